//! Events, and the check of them.

use std::iter;

use bytemuck::{Pod, Zeroable};
use generators::io::Table;
use generators::sts::Digi;

use super::rules::EventRules;
use crate::algorithm::mutants::inside;
use crate::algorithm::{CheckError, Choose, Element, Mutants, Output};

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

impl Output for Events {
    fn nothing() -> Self {
        Events::default()
    }

    fn compare(&self, right: &Self) -> Result<(), CheckError> {
        self.events.compare(&right.events)?;
        self.digis.compare(&right.digis)
    }

    fn mutants(&self, choose: Choose<'_>) -> Mutants<Self> {
        let events = self.events.mutants(choose);
        let digis = self.digis.mutants(choose);
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
