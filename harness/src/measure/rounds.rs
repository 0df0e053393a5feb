//! The order of sampling: blocks of samples, each consisting of rounds in random order.
//!
//! Drifts (clocks, temperature, other load) affect all candidates of a block equally. Several
//! blocks, with fresh buffers and some time between them, reveal effects that are specific to one
//! of them. This module is independent of what is sampled, so that tests need no clock.

use std::time::Duration;

use generators_common::random::{below, hash};

use super::stopping::{BlockProgress, Measurement, Policy, Series};

/// Longer runs are not repeated for warm-up: cold caches at their start cost a few hundredths of
/// that.
const WARM_BY_ITSELF: Duration = Duration::from_millis(50);

/// Source of samples.
pub trait Sampler {
    /// Type of a sample.
    type Sample: Measurement;
    /// Error of a failed sample.
    type Failure: ToString;
    /// Takes one sample. After an error no more samples are taken.
    fn sample(&mut self) -> Result<Self::Sample, Self::Failure>;
    /// Returns true if the next run is slower than those after it, for a reason of its own, so that
    /// it should not be a sample.
    fn needs_warm_up(&self) -> bool {
        false
    }
    /// Returns true if the hardware is kept warm by other means, so that only the first block has
    /// to warm up.
    fn is_kept_warm(&self) -> bool {
        false
    }
}

/// Indices of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleIndex {
    /// Index of the candidate.
    pub candidate: usize,
    /// Index of the round, over all blocks.
    pub round: usize,
    /// Index of the sample within the candidate.
    pub index: usize,
    /// True for the first sample of a block.
    pub fresh: bool,
}

/// Receiver of samples as they are taken. Errors end the sampling.
pub trait Observer<T> {
    /// Error of recording.
    type Error;
    /// Records a sample.
    fn sampled(&mut self, at: SampleIndex, sample: &T) -> Result<(), Self::Error>;
    /// Returns true to stop now because a sample of this duration would not finish in time.
    fn ends_before(&self, next: Duration) -> bool;
}

/// A candidate during a block.
pub struct BlockCandidate<'s, S: Sampler> {
    index: usize,
    sampler: &'s mut S,
    series: &'s mut Series<S::Sample>,
    so_far: BlockProgress,
}

impl<'s, S: Sampler> BlockCandidate<'s, S> {
    /// Creates a candidate by its index, with the samples of earlier blocks.
    pub fn new(index: usize, sampler: &'s mut S, series: &'s mut Series<S::Sample>) -> Self {
        series.begin_block();
        BlockCandidate { index, sampler, series, so_far: BlockProgress::default() }
    }

    /// Runs once; returns `None` if the run fails.
    fn run(&mut self) -> Option<S::Sample> {
        match self.sampler.sample() {
            Ok(sample) => {
                self.so_far.spent += sample.spent();
                self.series.spent += sample.spent();
                self.series.last = sample.spent();
                Some(sample)
            }
            Err(failure) => {
                self.series.failure = Some(failure.to_string());
                None
            }
        }
    }

    /// Warms up with the same code path that is timed. Long runs need no warm-up once they have run
    /// in an earlier block.
    fn warm_up(&mut self) {
        let known = statistics::median(&self.series.seconds);
        let kept_warm = self.sampler.is_kept_warm() && !self.series.samples.is_empty();
        let is_warm = kept_warm || known >= WARM_BY_ITSELF.as_secs_f64();
        if is_warm && !self.sampler.needs_warm_up() {
            return;
        }
        if let Some(sample) = self.run() {
            self.series.warming += sample.spent();
        }
    }

    fn is_done(&self, policy: &Policy) -> bool {
        self.series.failure.is_some() || policy.ends_block(&self.so_far, self.series)
    }

    fn sample<O: Observer<S::Sample>>(
        &mut self,
        round: usize,
        observer: &mut O,
    ) -> Result<(), O::Error> {
        let Some(sample) = self.run() else {
            return Ok(());
        };
        let at = SampleIndex {
            candidate: self.index,
            round,
            index: self.series.samples.len(),
            fresh: self.so_far.samples == 0,
        };
        observer.sampled(at, &sample)?;
        self.so_far.samples += 1;
        self.series.push(sample);
        Ok(())
    }
}

/// Samples all candidates in random rounds until each has enough for a block; returns the index of
/// the next round.
pub(crate) fn sample_block<S: Sampler, O: Observer<S::Sample>>(
    mut candidates: Vec<BlockCandidate<'_, S>>,
    policy: &Policy,
    first_round: usize,
    seed: u64,
    observer: &mut O,
) -> Result<usize, O::Error> {
    for candidate in &mut candidates {
        if !observer.ends_before(candidate.series.last) {
            candidate.warm_up();
        }
    }
    for round in first_round.. {
        // Candidates that take too long for the remaining time are dropped in favour of shorter
        // ones.
        candidates.retain(|candidate| {
            !candidate.is_done(policy) && !observer.ends_before(candidate.series.last)
        });
        if candidates.is_empty() {
            return Ok(round);
        }
        shuffle(&mut candidates, hash(seed, [round as u64]));
        for candidate in &mut candidates {
            if !observer.ends_before(candidate.series.last) {
                candidate.sample(round, observer)?;
            }
        }
    }
    Ok(first_round)
}

/// Fisher–Yates shuffle.
pub(crate) fn shuffle<T>(items: &mut [T], seed: u64) {
    for i in (1..items.len()).rev() {
        let bits = (hash(seed, [i as u64]) >> 32) as u32;
        items.swap(i, below(bits, i as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests;
