//! Digests of events: how many there are, how many digis are in them, and sums over their bits.

use generators::random::mix;

use super::{Event, Events};
use crate::algorithm::{Digest, SegmentSums, Segments};

/// Kinds of segments: one for each event, and one for the number of copies of digis.
const EVENTS: usize = 0;
const COPIES: usize = 1;

/// The digest of events, each of which is a segment: counts are those of events, and of digis that
/// are in any event. The order of digis of the same time does not matter.
pub fn events_digest(events: &Events, segments: Segments) -> Digest {
    sums_of(events, segments).digest(Segments::ALL)
}

/// Sums of all segments of events.
pub fn event_sums(events: &Events) -> SegmentSums {
    sums_of(events, Segments::ALL)
}

/// Sums of the segments that are covered, without gaps between them.
fn sums_of(events: &Events, segments: Segments) -> SegmentSums {
    let of_event = |index: usize| sum_of(events, index as u64, &events.events[index]);
    let of_events = segments.indices(events.events.len()).map(of_event);
    let copies = mix(events.digis.len() as u64);
    let mut sums = SegmentSums::default();
    sums.add(EVENTS, events.events.len(), of_events.collect());
    sums.add(COPIES, events.digis_kept(), segments.indices(1).map(|_| copies).collect());
    sums
}

fn sum_of(events: &Events, index: u64, event: &Event) -> u64 {
    let Event { trigger_half_ns, begin, end, first_copy } = *event;
    let words = [trigger_half_ns, begin, end, first_copy];
    let event_sum = words.into_iter().fold(mix(index), |sum, word| mix(sum ^ u64::from(word)));
    // A wrong event may have its copies anywhere.
    let first = first_copy as usize;
    let copies = first..first + end.saturating_sub(begin) as usize;
    let copies = events.digis.get(copies).unwrap_or_default();
    let mut offset = 0;
    copies.chunk_by(|a, b| a.time_ns() == b.time_ns()).fold(event_sum, |sum, at_once| {
        let salt = mix(index << 32 ^ offset);
        offset += at_once.len() as u64;
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

    fn whole(events: &Events) -> Digest {
        events_digest(events, Segments::ALL)
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
    fn a_digi_in_two_events_counts_once() {
        let found = built(&[digi(1, 0), digi(2, 2), digi(3, 9), digi(4, 10), digi(5, 90)]);
        assert_eq!((found.events.len(), found.digis.len()), (2, 8));
        assert_eq!(whole(&found).counts, [2, 4]);
        assert_eq!(whole(&Events::default()).counts, [0, 0]);
    }

    #[test]
    fn the_order_of_digis_of_the_same_time_counts_for_nothing() {
        let right = built(&[digi(1, 5), digi(2, 5), digi(3, 6)]);
        let turned = built(&[digi(2, 5), digi(1, 5), digi(3, 6)]);
        assert_ne!(right, turned);
        assert_eq!(whole(&turned), whole(&right));
    }

    #[test]
    fn all_else_counts() {
        let right = built(&[digi(1, 4), digi(2, 5), digi(3, 6), digi(1, 40), digi(2, 41)]);
        let digest = whole(&right);
        assert_eq!(digest.counts[EVENTS], 2);
        let mut drawn = 0;
        for _ in 0..20 {
            let wrong = right.mutants(&mut |count| {
                drawn += 1;
                (mix(drawn) % count as u64) as usize
            });
            for (harm, wrong) in wrong.into_iter().filter(|(_, wrong)| *wrong != right) {
                assert_ne!(whole(&wrong), digest, "{harm:?}: {wrong:?}");
            }
        }
    }
}
