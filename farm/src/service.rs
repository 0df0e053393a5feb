//! Times that a worker takes for a timeslice, as measured.

use rand::RngExt;

use crate::problem::{Problem, not_negative};

/// Times of a timeslice that was measured, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServiceTime {
    /// From when it is due until a worker that is free has it: what the source and handing over take.
    pub before_s: f64,
    /// From when the worker has it until its result is there.
    pub work_s: f64,
    /// From when its result is there until the worker takes the next one.
    pub after_s: f64,
}

/// Times of timeslices, from which those of simulated ones are drawn with replacement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Service {
    /// Timeslices of spills.
    pub spill: Vec<ServiceTime>,
    /// Timeslices of pauses; without any, those of spills are used.
    pub pause: Vec<ServiceTime>,
}

impl ServiceTime {
    /// Time of the worker in seconds.
    pub fn busy_s(&self) -> f64 {
        self.work_s + self.after_s
    }
}

impl Service {
    /// Refuses what can't be simulated.
    ///
    /// # Errors
    /// If there are no times, or one is negative.
    pub fn check(&self) -> Result<(), Problem> {
        if self.spill.is_empty() {
            return Err(Problem::NoServiceTimes);
        }
        for time in self.spill.iter().chain(&self.pause) {
            not_negative("a time before work", time.before_s)?;
            not_negative("a time of work", time.work_s)?;
            not_negative("a time after work", time.after_s)?;
        }
        Ok(())
    }

    /// Draws the times of a timeslice; work is in proportion to its load.
    pub fn draw(&self, is_pause: bool, load: f64, random: &mut impl RngExt) -> ServiceTime {
        let times = if is_pause && !self.pause.is_empty() { &self.pause } else { &self.spill };
        let time = times[random.random_range(0..times.len())];
        ServiceTime { work_s: time.work_s * load, ..time }
    }

    /// Mean time of a worker for a timeslice of a spill, in seconds.
    pub fn mean_busy_s(&self) -> f64 {
        self.spill.iter().map(ServiceTime::busy_s).sum::<f64>() / self.spill.len() as f64
    }
}
