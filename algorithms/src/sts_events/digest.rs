//! Events in short: enough to tell whether they are the same as elsewhere.

use generators::random::mix;

use super::{Event, Events};

/// How many events there are, how many digis are in them, and a sum over all their bits.
///
/// Two lists that the check takes for the same have the same digest, whatever the order of digis of
/// the same time; two that it tells apart have another sum, but by a chance of one in 2⁶⁴.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventsDigest {
    /// Events.
    pub events: u64,
    /// Digis that are in any event, each counted once.
    pub digis: u64,
    /// Of each event, and each digi in it, a number that its bits and the event's place decide.
    pub sum: u64,
}

impl EventsDigest {
    /// The digest of events.
    pub fn of(events: &Events) -> Self {
        let each = events.events.iter().enumerate();
        let sums = each.map(|(number, event)| sum_of(events, number as u64, event));
        let begin = mix(events.digis.len() as u64);
        EventsDigest {
            events: events.events.len() as u64,
            digis: events.digis_kept() as u64,
            sum: sums.fold(begin, u64::wrapping_add),
        }
    }
}

fn sum_of(events: &Events, number: u64, event: &Event) -> u64 {
    let Event { trigger_half_ns, begin, end, first_copy } = *event;
    let words = [trigger_half_ns, begin, end, first_copy];
    let own = words.into_iter().fold(mix(number), |sum, word| mix(sum ^ u64::from(word)));
    // What is wrong may have its copies anywhere.
    let first = first_copy as usize;
    let copies = first..first + end.saturating_sub(begin) as usize;
    let copies = events.digis.get(copies).unwrap_or_default();
    let mut place = 0;
    copies.chunk_by(|a, b| a.time_ns() == b.time_ns()).fold(own, |sum, at_once| {
        let salt = mix(number << 32 ^ place);
        place += at_once.len() as u64;
        at_once.iter().fold(sum, |sum, digi| sum.wrapping_add(mix(digi.bits() ^ salt)))
    })
}

#[cfg(test)]
mod tests {
    use generators::sts::{Address, Digi};

    use super::*;
    use crate::algorithm::Output;
    use crate::sts_events::{EventRules, build_events};

    fn digi(channel: u16, time: u32) -> Digi {
        Digi::new(Address::of_module(0), channel, time, 1)
    }

    fn built(digis: &[Digi]) -> Events {
        let rules = EventRules {
            window_ns: 10,
            min_digis: 2,
            dead_time_ns: 5,
            before_ns: 10,
            after_ns: 10,
        };
        build_events(digis, &rules)
    }

    #[test]
    fn a_digi_in_two_events_is_kept_once() {
        let found = built(&[digi(1, 0), digi(2, 2), digi(3, 9), digi(4, 10), digi(5, 90)]);
        assert_eq!((found.events.len(), found.digis.len()), (2, 8));
        let EventsDigest { events, digis, .. } = EventsDigest::of(&found);
        assert_eq!((events, digis), (2, 4));
        let EventsDigest { events, digis, .. } = EventsDigest::of(&Events::default());
        assert_eq!((events, digis), (0, 0));
    }

    #[test]
    fn the_order_of_digis_of_the_same_time_counts_for_nothing() {
        let right = built(&[digi(1, 5), digi(2, 5), digi(3, 6)]);
        let turned = built(&[digi(2, 5), digi(1, 5), digi(3, 6)]);
        assert_ne!(right, turned);
        assert_eq!(EventsDigest::of(&turned), EventsDigest::of(&right));
    }

    #[test]
    fn all_else_counts() {
        let right = built(&[digi(1, 4), digi(2, 5), digi(3, 6), digi(1, 40), digi(2, 41)]);
        let digest = EventsDigest::of(&right);
        assert_eq!(digest.events, 2);
        let mut drawn = 0;
        for _ in 0..20 {
            let wrong = right.mutants(&mut |count| {
                drawn += 1;
                (mix(drawn) % count as u64) as usize
            });
            for (harm, wrong) in wrong.into_iter().filter(|(_, wrong)| *wrong != right) {
                assert_ne!(EventsDigest::of(&wrong), digest, "{harm:?}: {wrong:?}");
            }
        }
    }
}
