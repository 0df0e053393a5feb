//! Rules of event building.

use generators::DataError;

use super::axes;
use crate::axis::Params;

/// Rules of triggers and of the digis of their events. All times are below 2^31 ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventRules {
    /// Largest time difference of the digis of a trigger, in ns.
    pub window_ns: u32,
    /// Number of digis within a window that make a trigger; at least 1.
    pub min_digis: u32,
    /// Dead time after the last digi of a trigger in ns: digis within it, including its end, take
    /// part in no other trigger.
    pub dead_time_ns: u32,
    /// Begin of an event before its trigger, in ns.
    pub before_ns: u32,
    /// Time from the trigger of an event to its end, in ns.
    pub after_ns: u32,
}

impl EventRules {
    /// The rules that the values of [`RULES`](super::RULES) describe, with defaults for those that
    /// are missing.
    ///
    /// # Errors
    /// If a time or a number is too large.
    pub fn from_params(params: &Params) -> Result<Self, DataError> {
        let mut complete = params.clone();
        complete.complete(axes::RULES);
        axes::rules(&complete)
    }

    /// Number of digis from the last one of a window back to the first.
    pub(super) fn reach(&self) -> usize {
        self.min_digis.max(1) as usize - 1
    }

    /// The first and the last ns of the event of a trigger at this time, in half ns.
    pub(super) fn span(&self, trigger_half_ns: u32) -> (u32, u32) {
        let first = trigger_half_ns.saturating_sub(2 * self.before_ns).div_ceil(2);
        let last = trigger_half_ns.saturating_add(2 * self.after_ns) / 2;
        (first, last)
    }

    /// Maximum number of events of a digi. Triggers are further apart than the dead time.
    pub(super) fn max_events_of_digi(&self) -> u64 {
        let span = u64::from(self.before_ns) + u64::from(self.after_ns);
        span / (u64::from(self.dead_time_ns) + 1) + 1
    }
}
