//! Rules of event building.

use generators_common::DataError;

use tasks::axis::{Flag, Params, axes};

axes! {
    /// Rules of event building.
    pub RULES {
        WINDOW: u64 = Flag::duration("window").or("20ns").of_algorithm() =>
            "Digis of a trigger are no further apart than this";
        MIN_DIGIS: u64 = Flag::integer("min-digis").or("10").of_algorithm() =>
            "Number of digis within the window that makes a trigger; 0 is as 1";
        DEAD_TIME: u64 = Flag::duration("dead-time").or("50ns").of_algorithm() =>
            "Digis that are no further behind the last one of a trigger than this take part in no \
             other";
        BEFORE: u64 = Flag::duration("before").or("30ns").of_algorithm() =>
            "Time from the start of an event to its trigger";
        AFTER: u64 = Flag::duration("after").or("50ns").of_algorithm() =>
            "Time from the trigger of an event to its end";
    }
}

/// Times of digis have 31 bits, and no time of a rule has to be longer.
const MAX_NS: u64 = (1 << 31) - 1;

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
    /// The rules that the values of [`RULES`] describe, with defaults for those that
    /// are missing.
    ///
    /// # Errors
    /// If a time or a number is too large.
    pub fn from_params(params: &Params) -> Result<Self, DataError> {
        let mut complete = params.clone();
        complete.complete(RULES);
        rules(&complete)
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

/// The rules that complete parameters describe.
pub(super) fn rules(params: &Params) -> Result<EventRules, DataError> {
    let min_digis = MIN_DIGIS.value(params)?;
    let min_digis = u32::try_from(min_digis).map_err(|_| {
        DataError::Shape(format!("--min-digis {min_digis}: use {} or fewer", u32::MAX))
    })?;
    Ok(EventRules {
        window_ns: nanoseconds(params, WINDOW)?,
        min_digis,
        dead_time_ns: nanoseconds(params, DEAD_TIME)?,
        before_ns: nanoseconds(params, BEFORE)?,
        after_ns: nanoseconds(params, AFTER)?,
    })
}

fn nanoseconds(params: &Params, flag: Flag<u64>) -> Result<u32, DataError> {
    let given = flag.value(params)?;
    if given <= MAX_NS {
        return Ok(given as u32);
    }
    let name = flag.name;
    Err(DataError::Shape(format!("--{name} {given}ns: use {MAX_NS}ns or less, as times of digis")))
}
