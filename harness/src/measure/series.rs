//! Samples of a candidate, in blocks.

use std::time::Duration;

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
