//! Tracking of epochs, and the values that hits need of them.

use generators::sts::raw::clock::{CYCLE_NS, EPOCHS_PER_CYCLE, TICKS_PER_EPOCH};

use super::lookup::Window;
use super::survey::Job;

/// 25 times the ticks of an epoch, which are 8 times its length in ns.
const EIGHTHS_OF_NS: u64 = 25 * TICKS_PER_EPOCH;

/// Epoch number in a microslice, with the begin of the epoch; all arithmetic wraps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// The first epoch of the cycle, counted from the beginning of the timeslice.
    cycle: u64,
    /// The epoch's number in its cycle.
    number: u32,
}

/// An epoch with the values that hits need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Epoch {
    /// Eighths of ns from the beginning of the timeslice to its own.
    pub(crate) eighths: u64,
    /// Begin of the epoch in ns, if hits can be looked up.
    pub(crate) begin: u32,
    /// True if hits can be looked up.
    pub(crate) is_inner: bool,
}

impl Clock {
    /// At the beginning of a microslice.
    #[inline]
    pub(crate) fn new(job: &Job) -> Self {
        // The experiment's code divides with a sign.
        let cycle = (job.index as i64 / CYCLE_NS as i64) as u64;
        let cycle = cycle.wrapping_mul(EPOCHS_PER_CYCLE).wrapping_sub(job.first_epoch);
        Clock { cycle, number: 0 }
    }

    /// The next number of an epoch: a smaller one is of the next cycle.
    #[inline]
    pub(crate) fn advance(&mut self, number: u32) {
        if number < self.number {
            self.cycle = self.cycle.wrapping_add(EPOCHS_PER_CYCLE);
        }
        self.number = number;
    }

    /// The epoch that it is.
    #[inline]
    pub(crate) fn epoch(&self, window: Window) -> Epoch {
        let eighths = self.cycle.wrapping_add(self.number.into()).wrapping_mul(EIGHTHS_OF_NS);
        // In the window no sum wraps: it is exact to divide first.
        let begin = eighths / 8;
        Epoch { eighths, begin: begin as u32, is_inner: window.has(begin) }
    }
}
