//! When timeslices are due, and how much is in them.

use rand::RngExt;

use crate::problem::{Problem, not_negative, positive};

/// Largest standard deviation of rates that are spread evenly above 0, over their mean.
const MAX_JITTER: f64 = 0.577_350_269_189_625_8;
/// Part of a timeslice that is less than any distance of a begin from a border that counts.
const BORDER: f64 = 1e-6;

/// Timeslices, due one after the other at the same distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrivals {
    /// Time from one to the next, in seconds.
    pub period_s: f64,
    /// Spills of the accelerator, in the same time; without, all are of spills.
    pub spills: Option<Spills>,
    /// Standard deviation of the interaction rate from timeslice to timeslice, over its mean, beyond that of
    /// the service times. Rates are spread evenly.
    pub jitter: f64,
    /// Time for which they come, in seconds.
    pub duration_s: f64,
}

/// Spills and pauses that take turns, spills first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spills {
    /// Length of a spill in seconds.
    pub on_s: f64,
    /// Length of a pause in seconds.
    pub off_s: f64,
}

impl Spills {
    /// True for a timeslice that begins in a pause, as timeslices of a stream do: by its begin and its length in
    /// seconds.
    pub fn is_pause(&self, begin_s: f64, length_s: f64) -> bool {
        // Multiples of its length are not exact: what begins at a border begins after it.
        (begin_s + length_s * BORDER) % (self.on_s + self.off_s) >= self.on_s
    }
}

/// A timeslice that is due.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// When it is due, in seconds.
    pub due_s: f64,
    /// True if it is of a pause.
    pub is_pause: bool,
    /// Interactions over the mean of its kind.
    pub load: f64,
}

impl Arrivals {
    /// Refuses what can't be simulated.
    ///
    /// # Errors
    /// If a time is not positive, or the jitter is not between 0 and 0.577.
    pub fn check(&self) -> Result<(), Problem> {
        positive("the time between timeslices", self.period_s)?;
        positive("the duration", self.duration_s)?;
        not_negative("the jitter", self.jitter)?;
        if self.jitter > MAX_JITTER {
            let jitter = self.jitter;
            return Err(Problem::TooLarge { what: "the jitter", value: jitter, max: MAX_JITTER });
        }
        if let Some(Spills { on_s, off_s }) = self.spills {
            positive("the length of a spill", on_s)?;
            not_negative("the length of a pause", off_s)?;
        }
        Ok(())
    }

    /// Number of timeslices that are due within the duration.
    pub fn count(&self) -> f64 {
        (self.duration_s / self.period_s * (1.0 + f64::EPSILON)).floor()
    }

    /// A timeslice by its number, from 0: the first one is due after its own length.
    pub fn arrival(&self, number: u64, random: &mut impl RngExt) -> Arrival {
        let due_s = (number + 1) as f64 * self.period_s;
        let begin_s = number as f64 * self.period_s;
        let is_pause = self.spills.is_some_and(|spills| spills.is_pause(begin_s, self.period_s));
        let spread = self.jitter / MAX_JITTER;
        let load = 1.0 + spread * (2.0 * random.random::<f64>() - 1.0);
        Arrival { due_s, is_pause, load }
    }
}
