//! Events, and the check of them.

use bytemuck::{Pod, Zeroable};
use generators::sts::Digi;

use super::rules::EventRules;
use crate::algorithm::mutants::inside;
use crate::algorithm::{Choose, Damage, Element, Mutants, Output};

/// What lies around a trigger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Event {
    /// The time of the trigger in half ns: the middle between the first and the last digi of the
    /// window that was full.
    pub trigger_half_ns: u32,
    /// The number of its first digi in the timeslice.
    pub begin: u32,
    /// The number of the digi behind its last one.
    pub end: u32,
    /// Where copies of its digis begin among those of all events.
    pub first_copy: u32,
}

impl Event {
    /// The number of its digis.
    pub fn digis(&self) -> usize {
        (self.end - self.begin) as usize
    }
}

/// All events of a timeslice in order of their triggers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// Where they are.
    pub events: Vec<Event>,
    /// Copies of the digis of each, event by event.
    pub digis: Vec<Digi>,
}

impl Events {
    /// The number of digis that are in any event: each once, though events that overlap have copies of
    /// the same ones.
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

/// Says where the copies of each event begin; returns how many there are.
pub(super) fn assign_copies(events: &mut [Event]) -> usize {
    let mut copies = 0;
    for event in events {
        event.first_copy = copies as u32;
        copies += event.digis();
    }
    copies
}

/// The most copies that there can be: places have 32 bits.
pub(super) const MOST_COPIES: u64 = u32::MAX as u64;

/// An upper bound for the copies of so many digis.
pub(super) fn most_copies(digis: u64, rules: &EventRules) -> u64 {
    digis.saturating_mul(rules.max_events_of_digi())
}

impl Output for Events {
    fn nothing() -> Self {
        Events::default()
    }

    fn compare(&self, right: &Self) -> Result<(), Damage> {
        self.events.compare(&right.events)?;
        self.digis.compare(&right.digis)
    }

    fn mutants(&self, choose: Choose<'_>) -> Mutants<Self> {
        let (events, digis) = (self.events.mutants(choose), self.digis.mutants(choose));
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
