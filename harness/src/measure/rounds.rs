//! The order of sampling: visits, and in each of them rounds in a random order
//! of their own.
//!
//! Whatever drifts (clocks, temperature, other load) hits all candidates of a
//! visit alike. Several visits, with fresh buffers and some time apart, show
//! what is peculiar to one of them. Nothing here knows what is sampled, so that
//! the tests can do without a clock.

use std::time::Duration;

use generators::random::{below, hash};

use super::series::{Series, Taken, VisitSoFar};
use super::stopping::Policy;

/// Runs that take longer are not repeated for warming up: what is cold at their
/// beginning takes some hundredths of that.
const WARM_BY_ITSELF: Duration = Duration::from_millis(50);

/// Something that can be sampled.
pub trait Sampler {
    /// What a sample tells.
    type Sample: Taken;
    /// What can go wrong.
    type Failure: ToString;
    /// Takes one sample.
    ///
    /// # Errors
    /// If it can't; no more samples are taken then.
    fn sample(&mut self) -> Result<Self::Sample, Self::Failure>;
    /// Whether something else keeps what it runs on warm, so that only the first visit
    /// has to warm up.
    fn is_kept_warm(&self) -> bool {
        false
    }
}

/// When a sample was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// The candidate's number.
    pub candidate: usize,
    /// The round, over all visits.
    pub round: usize,
    /// The sample's number within the candidate.
    pub number: usize,
    /// Whether it is the first of a visit.
    pub fresh: bool,
}

/// Who is told of samples as they come. Errors end the sampling.
pub trait Observer<T> {
    /// What can go wrong while taking note.
    type Error;
    /// A sample was taken.
    ///
    /// # Errors
    /// If it can't be noted.
    fn sampled(&mut self, at: At, sample: &T) -> Result<(), Self::Error>;
    /// Whether to stop now, rather than wait for a sample that takes so long.
    fn ends_before(&self, next: Duration) -> bool;
}

/// A candidate during a visit.
pub struct VisitedCandidate<'s, S: Sampler> {
    number: usize,
    sampler: &'s mut S,
    series: &'s mut Series<S::Sample>,
    so_far: VisitSoFar,
}

impl<'s, S: Sampler> VisitedCandidate<'s, S> {
    /// A candidate by its number, with the samples of earlier visits.
    pub fn new(number: usize, sampler: &'s mut S, series: &'s mut Series<S::Sample>) -> Self {
        series.begin_visit();
        VisitedCandidate { number, sampler, series, so_far: VisitSoFar::default() }
    }

    /// A run, unless it fails.
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

    /// Runs the very path that is timed. A run that takes long is warm by itself, once
    /// it has run in an earlier visit.
    fn warm_up(&mut self) {
        let known = statistics::median(&self.series.seconds);
        let kept_warm = self.sampler.is_kept_warm() && !self.series.samples.is_empty();
        if kept_warm || known >= WARM_BY_ITSELF.as_secs_f64() {
            return;
        }
        if let Some(sample) = self.run() {
            self.series.warming += sample.spent();
        }
    }

    fn is_done(&self, policy: &Policy) -> bool {
        self.series.failure.is_some() || policy.ends_visit(&self.so_far, self.series)
    }

    fn sample<O: Observer<S::Sample>>(
        &mut self,
        round: usize,
        observer: &mut O,
    ) -> Result<(), O::Error> {
        let Some(sample) = self.run() else {
            return Ok(());
        };
        let at = At {
            candidate: self.number,
            round,
            number: self.series.samples.len(),
            fresh: self.so_far.samples == 0,
        };
        observer.sampled(at, &sample)?;
        self.so_far.samples += 1;
        self.series.push(sample);
        Ok(())
    }
}

/// Samples all candidates in random rounds until each has enough for a visit;
/// returns the number of the next round.
///
/// # Errors
/// The observer's.
pub fn visit<S: Sampler, O: Observer<S::Sample>>(
    mut candidates: Vec<VisitedCandidate<'_, S>>,
    policy: &Policy,
    (first_round, seed): (usize, u64),
    observer: &mut O,
) -> Result<usize, O::Error> {
    for candidate in &mut candidates {
        if !observer.ends_before(candidate.series.last) {
            candidate.warm_up();
        }
    }
    for round in first_round.. {
        // What takes too long for the time that is left makes room for what does not.
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

/// Fisher and Yates.
pub(crate) fn shuffle<T>(items: &mut [T], seed: u64) {
    for i in (1..items.len()).rev() {
        let bits = (hash(seed, [i as u64]) >> 32) as u32;
        items.swap(i, below(bits, i as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests;
