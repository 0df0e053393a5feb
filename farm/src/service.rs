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

/// Times of timeslices in the order in which they were measured, from which those of simulated ones are drawn with
/// replacement, in blocks: the stationary bootstrap of Politis and Romano (1994). Blocks keep what times that follow
/// each other have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Service {
    /// Timeslices of spills.
    pub spill: Vec<ServiceTime>,
    /// Timeslices of pauses; without any, those of spills are used.
    pub pause: Vec<ServiceTime>,
    /// Mean number of times in a block, 1 or more; with 1 each is drawn by itself.
    pub block: f64,
}

/// Last times that were drawn, of spills and of pauses, by their indices.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Drawn {
    spill: Option<usize>,
    pause: Option<usize>,
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
        if self.block < 1.0 || !self.block.is_finite() {
            return Err(Problem::BlockTooShort(self.block));
        }
        for time in self.spill.iter().chain(&self.pause) {
            not_negative("a time before work", time.before_s)?;
            not_negative("a time of work", time.work_s)?;
            not_negative("a time after work", time.after_s)?;
        }
        Ok(())
    }

    /// Draws the times of a timeslice: those after the last ones, or of a new block.
    pub(crate) fn draw(
        &self,
        is_pause: bool,
        drawn: &mut Drawn,
        random: &mut impl RngExt,
    ) -> ServiceTime {
        let (times, last) = if is_pause && !self.pause.is_empty() {
            (&self.pause, &mut drawn.pause)
        } else {
            (&self.spill, &mut drawn.spill)
        };
        let is_new = random.random::<f64>() * self.block < 1.0;
        let index = match *last {
            Some(last) if !is_new => (last + 1) % times.len(),
            _ => random.random_range(0..times.len()),
        };
        *last = Some(index);
        times[index]
    }

    /// Mean time of a worker for a timeslice of a spill, in seconds.
    pub fn mean_busy_s(&self) -> f64 {
        self.spill.iter().map(ServiceTime::busy_s).sum::<f64>() / self.spill.len() as f64
    }
}
