//! Samples of a candidate in blocks, and stopping rules for blocks and candidates.
//!
//! Checking repeatedly if the interval is narrow enough favours samples that happen to be close
//! together, and intervals of candidates that stop early then cover the true value less often than
//! promised. So the first blocks are a pilot: they determine the number of blocks, and the interval
//! is not checked again until these are done (Stein 1945; Kalibera and Jones 2013). The scatter of
//! the pilot is not part of the interval (see the crate `statistics`), so that stopping early is
//! independent of it.

#[cfg(test)]
mod coverage;

use std::fmt;
use std::time::Duration;

use statistics::{PILOT, blocks_for};

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

/// Properties of a sample that the sampling order depends on.
pub trait Measurement {
    /// Time of the sample in seconds.
    fn seconds(&self) -> f64;
    /// True if the sample counts.
    fn counts(&self) -> bool;
    /// Total time spent on the sample, including preparation.
    fn spent(&self) -> Duration;
}

/// All samples of one candidate so far.
#[derive(Clone, Debug, Default)]
pub struct Series<T> {
    /// Samples of all blocks.
    pub samples: Vec<T>,
    /// Times of the samples that count, in seconds.
    pub seconds: Vec<f64>,
    /// Offset of each block in `seconds`.
    pub block_offsets: Vec<usize>,
    /// Total time spent on all samples, including preparation and warm-up.
    pub spent: Duration,
    /// Part of `spent` for warm-up.
    pub warming: Duration,
    /// Time spent on the last run.
    pub last: Duration,
    /// Error after which no more samples are taken.
    pub failure: Option<String>,
}

/// Progress of a candidate in the current block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockProgress {
    /// Number of samples taken.
    pub samples: usize,
    /// Time spent on them, including warm-up.
    pub spent: Duration,
}

impl<T: Measurement> Series<T> {
    /// Starts a new block.
    pub fn begin_block(&mut self) {
        self.block_offsets.push(self.seconds.len());
    }

    /// Adds a sample.
    pub fn push(&mut self, sample: T) {
        if sample.counts() {
            self.seconds.push(sample.seconds());
        }
        self.samples.push(sample);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: Policy = Policy {
        min_samples: 10,
        min_is_given: false,
        max_samples: 75,
        max_time: Duration::from_secs(10),
        precision: 0.01,
    };

    /// A series of blocks of five samples each, spread by `width`, which took `seconds`.
    fn series(blocks: usize, width: f64, seconds: u64) -> Series<f64> {
        let sample = |i: usize| 1.0 + width * (i * 7 % 10) as f64 / 10.0;
        let samples: Vec<_> = (0..5 * blocks).map(sample).collect();
        Series {
            seconds: samples.clone(),
            samples,
            block_offsets: (0..blocks).map(|block| 5 * block).collect(),
            spent: Duration::from_secs(seconds),
            ..Series::default()
        }
    }

    #[test]
    fn a_precise_pilot_samples_and_time_end_it() {
        use StopReason::{Interval, Samples, Time};
        let given = Policy { min_is_given: true, ..POLICY };
        let one = Policy { max_samples: 1, ..POLICY };
        let mut single = series(1, 0.5, 10);
        single.samples.truncate(1);
        let mut of_no_duration = series(15, 0.0, 0);
        of_no_duration.seconds.fill(0.0);
        for (policy, series, expected, what) in [
            (POLICY, series(9, 0.0, 1), None, "one block less than planned"),
            (POLICY, series(10, 0.0, 1), Some(Interval), "the planned number of blocks"),
            (POLICY, series(10, 0.5, 1), None, "a wide pilot"),
            (POLICY, series(14, 0.5, 1), None, "not all samples yet"),
            (POLICY, series(15, 0.5, 1), Some(Samples), "all samples"),
            (POLICY, series(1, 0.5, 10), Some(Time), "all the time"),
            (POLICY, single.clone(), None, "two samples at least"),
            (one, single, Some(Samples), "no more are allowed"),
            (given, series(1, 0.5, 20), None, "more were asked for"),
            (given, series(2, 0.5, 20), Some(Time), "the requested number"),
            (POLICY, of_no_duration, Some(Samples), "no interval"),
        ] {
            assert_eq!(policy.stops(&series), expected, "{what}");
        }
    }

    /// A rule that checks again would stop.
    #[test]
    fn what_comes_after_the_pilot_does_not_change_the_plan() {
        let mut late = series(12, 0.0, 1);
        for (block, shift) in [0.98, 0.99, 1.0, 1.01, 1.02].into_iter().enumerate() {
            late.seconds[5 * block..5 * (block + 1)].fill(shift);
        }
        assert_eq!(POLICY.stops(&late), None);
        let mut early = series(10, 0.0, 1);
        early.seconds[25..30].fill(1.1);
        assert_eq!(POLICY.stops(&early), Some(StopReason::Interval));
    }

    #[test]
    fn blocks_end_by_samples_or_time_share() {
        for (samples, milliseconds, blocks_before, ends, what) in [
            (4, 600, 1, false, "neither"),
            (5, 600, 1, true, "samples"),
            (1, 700, 1, true, "time"),
            (0, 700, 1, false, "one at least"),
            (1, 700, 0, false, "two of a point"),
            (0, 0, 15, true, "all of a point"),
        ] {
            let spent = Duration::from_millis(milliseconds);
            let block = BlockProgress { samples, spent };
            let before = series(blocks_before, 0.0, 1);
            assert_eq!(POLICY.ends_block(&block, &before), ends, "{what}");
        }
    }
}
