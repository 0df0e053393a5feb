//! Which thread of a team goes to which place.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A binding policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bind {
    /// Threads may be anywhere.
    False,
    /// All threads are where the primary one is.
    Primary,
    /// Threads are in neighbouring places.
    Close,
    /// Threads are as far apart as can be.
    Spread,
}

/// A policy for each level of nested teams, the outermost first:
/// `spread+primary`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindLevels(pub Vec<Bind>);

/// Where a thread of a team is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its place.
    pub place: usize,
    /// The places that a team which it starts can use.
    pub partition: Range<usize>,
}

/// The places of the threads of one team, by their numbers.
pub fn assign(places: usize, threads: usize, bind: Bind) -> Vec<Member> {
    let primary = Member {
        place: 0,
        partition: 0..places,
    };
    team(&primary, threads, bind)
}

/// The places of nested teams: each thread of a team starts one of the next
/// size. Returns the threads of the innermost teams in order.
pub fn assign_nested(places: usize, sizes: &[usize], binds: &[Bind]) -> Vec<Member> {
    let mut members = vec![Member {
        place: 0,
        partition: 0..places,
    }];
    for (&size, &bind) in sizes.iter().zip(binds) {
        members = members
            .iter()
            .flat_map(|primary| team(primary, size, bind))
            .collect();
    }
    members
}

/// A team of `threads` whose primary thread is where it is.
fn team(primary: &Member, threads: usize, bind: Bind) -> Vec<Member> {
    let places = primary.partition.len();
    match bind {
        Bind::False | Bind::Primary => vec![primary.clone(); threads],
        Bind::Close if threads <= places => close(primary, threads),
        Bind::Spread if threads <= places => spread(primary, threads),
        Bind::Close => crowd(primary, threads, |_| primary.partition.clone()),
        Bind::Spread => crowd(primary, threads, |place| place..place + 1),
    }
}

/// The place so many on from the primary thread's, around the partition.
fn place_on(primary: &Member, steps: usize) -> usize {
    let Range { start, end } = primary.partition;
    start + (primary.place - start + steps) % (end - start)
}

fn close(primary: &Member, threads: usize) -> Vec<Member> {
    let member = |thread| Member {
        place: place_on(primary, thread),
        partition: primary.partition.clone(),
    };
    (0..threads).map(member).collect()
}

/// Cuts the partition into as many as there are threads. The primary thread
/// stays where it is, the others go to the first places of theirs.
fn spread(primary: &Member, threads: usize) -> Vec<Member> {
    let Range { start, end } = primary.partition;
    let cut = |part: usize| start + part * (end - start) / threads;
    let part_of = |part: usize| cut(part)..cut(part + 1);
    let own = (0..threads).find(|&part| part_of(part).contains(&primary.place));
    let member = |thread: usize| {
        let partition = part_of((own.unwrap_or(0) + thread) % threads);
        let place = if thread == 0 {
            primary.place
        } else {
            partition.start
        };
        Member { place, partition }
    };
    (0..threads).map(member).collect()
}

/// More threads than places: threads with consecutive numbers share one, about
/// as many in each.
fn crowd(
    primary: &Member,
    threads: usize,
    partition: impl Fn(usize) -> Range<usize>,
) -> Vec<Member> {
    let places = primary.partition.len();
    let (each, more) = (threads / places, threads % places);
    let of_step = |step: usize| {
        let place = place_on(primary, step);
        let member = Member {
            place,
            partition: partition(place),
        };
        std::iter::repeat_n(member, each + usize::from(step < more))
    };
    (0..places).flat_map(of_step).collect()
}

impl fmt::Display for Bind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bind::False => "false",
            Bind::Primary => "primary",
            Bind::Close => "close",
            Bind::Spread => "spread",
        })
    }
}

impl FromStr for Bind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "false" => Ok(Bind::False),
            "primary" => Ok(Bind::Primary),
            "close" => Ok(Bind::Close),
            "spread" => Ok(Bind::Spread),
            _ => Err(format!(
                "unknown binding \"{text}\"; there are false, close, spread and primary"
            )),
        }
    }
}

impl FromStr for BindLevels {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.split('+')
            .map(str::parse)
            .collect::<Result<_, _>>()
            .map(BindLevels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(members: &[Member]) -> Vec<usize> {
        members.iter().map(|member| member.place).collect()
    }

    #[test]
    fn close_fills_neighbouring_places() {
        assert_eq!(places(&assign(8, 4, Bind::Close)), [0, 1, 2, 3]);
        assert_eq!(places(&assign(2, 2, Bind::Close)), [0, 1]);
    }

    #[test]
    fn spread_goes_as_far_apart_as_it_can() {
        assert_eq!(places(&assign(8, 4, Bind::Spread)), [0, 2, 4, 6]);
        assert_eq!(places(&assign(8, 3, Bind::Spread)), [0, 2, 5]);
        let members = assign(8, 2, Bind::Spread);
        assert_eq!(members[1].partition, 4..8);
    }

    #[test]
    fn primary_stays_in_one_place() {
        assert_eq!(places(&assign(8, 3, Bind::Primary)), [0, 0, 0]);
    }

    #[test]
    fn more_threads_than_places_share_them_in_order() {
        assert_eq!(places(&assign(2, 4, Bind::Close)), [0, 0, 1, 1]);
        assert_eq!(places(&assign(2, 5, Bind::Spread)), [0, 0, 0, 1, 1]);
        assert_eq!(places(&assign(3, 7, Bind::Close)), [0, 0, 0, 1, 1, 2, 2]);
        let members = assign(2, 4, Bind::Spread);
        assert_eq!(members[2].partition, 1..2);
        let crowd = places(&assign(128, 144, Bind::Close));
        assert_eq!(
            (crowd.len(), crowd[31], crowd[32], crowd[143]),
            (144, 15, 16, 127)
        );
    }

    #[test]
    fn nested_teams_stay_in_the_partition_of_their_primary_thread() {
        let spread_close = assign_nested(8, &[2, 4], &[Bind::Spread, Bind::Close]);
        assert_eq!(places(&spread_close), [0, 1, 2, 3, 4, 5, 6, 7]);
        let spread_primary = assign_nested(8, &[2, 3], &[Bind::Spread, Bind::Primary]);
        assert_eq!(places(&spread_primary), [0, 0, 0, 4, 4, 4]);
        // Close does not narrow the partition: inner teams wrap around it.
        let close_close = assign_nested(4, &[2, 2], &[Bind::Close, Bind::Close]);
        assert_eq!(places(&close_close), [0, 1, 1, 2]);
        let close_spread = assign_nested(4, &[2, 2], &[Bind::Close, Bind::Spread]);
        assert_eq!(places(&close_spread), [0, 2, 1, 2]);
    }

    #[test]
    fn policies_come_back_from_their_names() {
        for name in ["false", "primary", "close", "spread"] {
            assert_eq!(name.parse::<Bind>().expect("known").to_string(), name);
        }
        assert!("master".parse::<Bind>().is_err());
        let levels: BindLevels = "spread+primary".parse().expect("two levels");
        assert_eq!(levels.0, [Bind::Spread, Bind::Primary]);
        assert!("spread+".parse::<BindLevels>().is_err());
    }
}
