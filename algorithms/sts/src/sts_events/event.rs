//! Events, the check of them, and their digests.

use std::iter;

use bytemuck::{Pod, Zeroable};
use generators_common::io::Table;
use generators_common::random::mix;
use generators_sts::Digi;

use super::rules::EventRules;
use tasks::algorithm::mutants::{inside, of_elements};
use tasks::algorithm::{
    CheckError, Choose, Digest, Element, Mutants, Output, SegmentSums, Segments, compare_lists,
};

/// Range of digis around a trigger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Event {
    /// The time of the trigger in half ns: the middle between the first and the last digi of the
    /// window that was full.
    pub trigger_half_ns: u32,
    /// Index of its first digi in the timeslice.
    pub begin: u32,
    /// Index after its last digi.
    pub end: u32,
    /// Offset of its copies among those of all events.
    pub first_copy: u32,
}

impl Event {
    /// Number of its digis.
    pub fn digis(&self) -> usize {
        (self.end - self.begin) as usize
    }
}

/// All events of a timeslice in order of their triggers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// The events.
    pub events: Vec<Event>,
    /// Copies of the digis of each, event by event.
    pub digis: Vec<Digi>,
}

impl Events {
    /// A row for each event: the time of its trigger and the range of its digis among those of the
    /// timeslice in order of time.
    pub(super) fn event_table(&self) -> Table {
        let events = &self.events;
        Table::new()
            .with("event", 0..events.len() as u32)
            .with("trigger_ns", events.iter().map(|event| f64::from(event.trigger_half_ns) / 2.0))
            .with("first_digi", events.iter().map(|event| event.begin))
            .with("digis", events.iter().map(|event| event.end - event.begin))
    }

    /// A row for each digi of each event; channels from 1024 on are those of the back side.
    pub(super) fn digi_table(&self) -> Table {
        let numbered = (0_u32..).zip(&self.events);
        let events = numbered.flat_map(|(number, event)| iter::repeat_n(number, event.digis()));
        let digis = &self.digis;
        Table::new()
            .with("event", events)
            .with("address", digis.iter().map(|digi| digi.address().full()))
            .with("channel", digis.iter().map(|digi| digi.channel()))
            .with("time_ns", digis.iter().map(|digi| digi.time_ns()))
            .with("adc", digis.iter().map(|digi| digi.adc()))
    }

    /// Number of digis that are in any event: each counts once, even if it has copies in several
    /// events.
    pub fn digis_kept(&self) -> usize {
        let mut seen = 0;
        let new = |event: &Event| {
            let begin = event.begin.max(seen);
            seen = seen.max(event.end);
            event.end.saturating_sub(begin) as usize
        };
        self.events.iter().map(new).sum()
    }
}

/// Sets the offset of the copies of each event; returns the number of copies.
pub(super) fn assign_copies(events: &mut [Event]) -> usize {
    let mut copies = 0;
    for event in events {
        event.first_copy = copies as u32;
        copies += event.digis();
    }
    copies
}

/// Maximum number of copies: offsets have 32 bits.
pub(super) const MAX_COPIES: u64 = u32::MAX as u64;

/// An upper bound for the number of copies of `digis` digis.
pub(super) fn max_copies(digis: u64, rules: &EventRules) -> u64 {
    digis.saturating_mul(rules.max_events_of_digi())
}

impl Output<super::StsEvents> for Events {
    fn nothing() -> Self {
        Events::default()
    }

    fn compare(&self, right: &Self) -> Result<(), CheckError> {
        compare_lists(&self.events, &right.events)?;
        compare_lists(&self.digis, &right.digis)
    }

    fn mutants(&self, choose: Choose<'_>) -> Mutants<Self> {
        let events = of_elements(&self.events, choose);
        let digis = of_elements(&self.digis, choose);
        let events = inside(self, events, |all, list| all.events = list);
        let digis = inside(self, digis, |all, list| all.digis = list);
        events.chain(digis).collect()
    }
}

impl Element for Event {
    const NAME: &'static str = "event";

    fn changed(&self, choose: Choose<'_>) -> Self {
        let mut numbers: [u32; 4] = bytemuck::cast(*self);
        numbers[choose(4)] ^= 1 << choose(32);
        bytemuck::cast(numbers)
    }
}

// A digest has: how many there are, how many digis are in them, and sums over their bits.

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
    use generators_sts::{Address, Digi};

    use super::*;
    use crate::sts_events::{EventRules, build_events};
    use tasks::algorithm::Output;

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
