//! Which thread of a team goes to which place.

use std::fmt;
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

const NAMES: [(&str, Bind); 4] = [
    ("false", Bind::False),
    ("close", Bind::Close),
    ("spread", Bind::Spread),
    ("primary", Bind::Primary),
];

/// A policy for each level of nested teams, the outermost first:
/// `spread+primary`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindLevels(pub Vec<Bind>);

/// The places of the threads of a team, by their numbers. The primary thread is in the
/// first one.
pub fn assign(places: usize, threads: usize, bind: Bind) -> Vec<usize> {
    match bind {
        Bind::False | Bind::Primary => vec![0; threads],
        Bind::Close if threads <= places => (0..threads).collect(),
        // The places are cut into as many parts as there are threads: the first of each.
        Bind::Spread if threads <= places => {
            let cut = |part| part * places / threads;
            (0..threads).map(cut).collect()
        }
        // More threads than places: threads with consecutive numbers share one, about as
        // many in each.
        Bind::Close | Bind::Spread => {
            let (each, more) = (threads / places, threads % places);
            let in_place = |place| std::iter::repeat_n(place, each + usize::from(place < more));
            (0..places).flat_map(in_place).collect()
        }
    }
}

impl fmt::Display for Bind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, bind)| bind == self);
        f.write_str(name.map_or("", |(name, _)| name))
    }
}

impl FromStr for Bind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bind = NAMES.iter().find(|(name, _)| *name == text);
        bind.map(|(_, bind)| *bind).ok_or_else(|| {
            format!("unknown binding \"{text}\"; there are false, close, spread and primary")
        })
    }
}

impl FromStr for BindLevels {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let levels: Result<_, _> = text.split('+').map(str::parse).collect();
        levels.map(BindLevels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_side_by_side_or_far_apart_and_shared_in_order() {
        for (places, threads, bind, expected) in [
            (8, 4, Bind::Close, &[0, 1, 2, 3][..]),
            (2, 2, Bind::Close, &[0, 1]),
            (8, 4, Bind::Spread, &[0, 2, 4, 6]),
            (8, 3, Bind::Spread, &[0, 2, 5]),
            (8, 3, Bind::Primary, &[0, 0, 0]),
            (2, 4, Bind::Close, &[0, 0, 1, 1]),
            (2, 5, Bind::Spread, &[0, 0, 0, 1, 1]),
            (3, 7, Bind::Close, &[0, 0, 0, 1, 1, 2, 2]),
        ] {
            assert_eq!(assign(places, threads, bind), expected, "{bind}");
        }
        let crowd = assign(128, 144, Bind::Close);
        let some = [crowd[31], crowd[32], crowd[143]];
        assert_eq!((crowd.len(), some), (144, [15, 16, 127]));
    }

    #[test]
    fn policies_come_back_from_their_names() {
        for (name, bind) in NAMES {
            assert_eq!(name.parse(), Ok(bind));
            assert_eq!(bind.to_string(), name);
        }
        assert!("master".parse::<Bind>().is_err());
        let levels: BindLevels = "spread+primary".parse().expect("two levels");
        assert_eq!(levels.0, [Bind::Spread, Bind::Primary]);
        assert!("spread+".parse::<BindLevels>().is_err());
    }
}
