//! Stopping rules for blocks and candidates.
//!
//! Checking repeatedly if the interval is narrow enough favours samples that happen to be close
//! together, and intervals of candidates that stop early then cover the true value less often than
//! promised. So the first blocks are a pilot: they determine the number of blocks, and the interval
//! is not checked again until these are done (Stein 1945; Kalibera and Jones 2013). The scatter of
//! the pilot is not part of the interval (see the crate `statistics`), so that stopping early is
//! independent of it.

use std::fmt;
use std::time::Duration;

use statistics::{PILOT, blocks_for};

use super::series::{BlockProgress, Series};

/// Samples per block: enough for a median, few enough for many blocks. If blocks differ more than
/// samples, more blocks yield more information.
const SAMPLES_PER_BLOCK: usize = 5;
/// Minimum number of blocks that should fit into the time of a candidate: enough to stop by the
/// interval, even if a sample takes longer than its share.
const MIN_BLOCKS_IN_TIME: u32 = 15;
/// A single sample has no interval: the time limit applies only after this number.
const MIN_SAMPLES: usize = 2;

/// Stopping rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// Minimum number of samples.
    pub min_samples: usize,
    /// True if the user specified the minimum: then the time limit does not apply before it is
    /// reached.
    pub min_is_given: bool,
    /// Maximum number of samples.
    pub max_samples: usize,
    /// Time limit of a candidate, including preparation of its samples.
    pub max_time: Duration,
    /// Sufficient width of the 95 % interval of the median, relative to the median.
    pub precision: f64,
}

/// Reason for ending the sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The number of blocks planned by the pilot was reached.
    Interval,
    /// The maximum number of samples was reached.
    Samples,
    /// Time ran out.
    Time,
    /// The user interrupted the run.
    Interrupt,
}

impl Policy {
    /// Returns true if a candidate has enough samples for this block.
    pub fn ends_block<T>(&self, block: &BlockProgress, series: &Series<T>) -> bool {
        let block_time = self.max_time / MIN_BLOCKS_IN_TIME;
        let late = block.spent >= block_time || series.spent >= self.max_time;
        let full = block.samples >= SAMPLES_PER_BLOCK || series.samples.len() >= self.max_samples;
        full || (late && block.samples > 0 && series.samples.len() >= MIN_SAMPLES)
    }

    /// Returns the reason to stop after these blocks, if any.
    pub fn stops<T>(&self, series: &Series<T>) -> Option<StopReason> {
        let taken = series.samples.len();
        if series.seconds.len() >= self.min_samples && self.has_planned_blocks(series) {
            return Some(StopReason::Interval);
        }
        if taken >= self.max_samples {
            return Some(StopReason::Samples);
        }
        let min_samples =
            if self.min_is_given { self.min_samples } else { MIN_SAMPLES.min(self.max_samples) };
        (taken >= min_samples && series.spent >= self.max_time).then_some(StopReason::Time)
    }

    /// Returns true if the number of blocks planned by the pilot was reached.
    fn has_planned_blocks<T>(&self, series: &Series<T>) -> bool {
        let blocks = series.block_offsets.len();
        let planned = || {
            let end = series.block_offsets.get(PILOT).copied();
            let pilot = &series.seconds[..end.unwrap_or(series.seconds.len())];
            let pilot = statistics::Series::new(pilot, &series.block_offsets[..PILOT]);
            let width = pilot.interval()?.relative_width(pilot.median());
            Some(blocks_for(self.precision, width))
        };
        blocks >= PILOT && planned().is_some_and(|planned| blocks >= planned)
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Interval => "interval",
            StopReason::Samples => "samples",
            StopReason::Time => "time",
            StopReason::Interrupt => "interrupt",
        })
    }
}

#[cfg(test)]
mod coverage;
#[cfg(test)]
mod tests;
