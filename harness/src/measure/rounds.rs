//! The order of sampling: visits, and in each of them rounds in a random order
//! of their own.
//!
//! Whatever drifts (clocks, temperature, other load) hits all candidates of a
//! visit alike. Several visits, with fresh buffers and some time apart, show
//! what is peculiar to one of them. Nothing here knows what is sampled, so that
//! the tests can do without a clock.

use std::time::Duration;

use generators::random::{below, hash};
use reports::statistics;

use super::Policy;

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

impl<S: Sampler> Sampler for &mut S {
    type Sample = S::Sample;
    type Failure = S::Failure;

    fn sample(&mut self) -> Result<S::Sample, S::Failure> {
        (**self).sample()
    }

    fn is_kept_warm(&self) -> bool {
        (**self).is_kept_warm()
    }
}

/// A sample that was taken.
pub trait Taken {
    /// The time of the sample in seconds.
    fn seconds(&self) -> f64;
    /// Whether the sample is one to be counted.
    fn counts(&self) -> bool;
    /// The time that the sample cost, with all that surrounds it.
    fn spent(&self) -> Duration;
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

/// All samples of one candidate so far.
#[derive(Clone, Debug)]
pub struct Series<T> {
    /// The samples of all visits.
    pub samples: Vec<T>,
    /// The times of those that count, in seconds.
    pub seconds: Vec<f64>,
    /// Where in `seconds` each visit begins.
    pub visits: Vec<usize>,
    /// The time that all of them cost, with all that surrounds them, and warming up.
    pub spent: Duration,
    /// That part of it in which runs were for warming up only.
    pub warming: Duration,
    /// What the last run cost.
    pub last: Duration,
    /// Why there are no more.
    pub failure: Option<String>,
}

impl<T> Default for Series<T> {
    fn default() -> Self {
        Series {
            samples: Vec::new(),
            seconds: Vec::new(),
            visits: Vec::new(),
            spent: Duration::ZERO,
            warming: Duration::ZERO,
            last: Duration::ZERO,
            failure: None,
        }
    }
}

/// A candidate during a visit.
pub struct Visitor<'s, S: Sampler> {
    candidate: usize,
    sampler: S,
    series: &'s mut Series<S::Sample>,
    visit: Visit,
}

/// What a candidate did in this visit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visit {
    /// Samples taken.
    pub taken: usize,
    /// The time that all of them cost, and warming up.
    pub spent: Duration,
}

impl<'s, S: Sampler> Visitor<'s, S> {
    /// A candidate by its number, with the samples of earlier visits.
    pub fn new(candidate: usize, sampler: S, series: &'s mut Series<S::Sample>) -> Self {
        series.visits.push(series.seconds.len());
        Visitor {
            candidate,
            sampler,
            series,
            visit: Visit::default(),
        }
    }

    /// A run, unless it fails.
    fn take(&mut self) -> Option<S::Sample> {
        match self.sampler.sample() {
            Ok(sample) => {
                self.visit.spent += sample.spent();
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
        if let Some(sample) = self.take() {
            self.series.warming += sample.spent();
        }
    }

    fn is_done(&self, policy: &Policy) -> bool {
        self.series.failure.is_some() || policy.ends_visit(&self.visit, self.series)
    }

    fn sample<O: Observer<S::Sample>>(
        &mut self,
        round: usize,
        observer: &mut O,
    ) -> Result<(), O::Error> {
        let Some(sample) = self.take() else {
            return Ok(());
        };
        let at = At {
            candidate: self.candidate,
            round,
            number: self.series.samples.len(),
            fresh: self.visit.taken == 0,
        };
        observer.sampled(at, &sample)?;
        self.visit.taken += 1;
        if sample.counts() {
            self.series.seconds.push(sample.seconds());
        }
        self.series.samples.push(sample);
        Ok(())
    }
}

/// Samples all candidates in random rounds until each has enough for a visit;
/// returns the number of the next round.
///
/// # Errors
/// The observer's.
pub fn visit<S: Sampler, O: Observer<S::Sample>>(
    mut visitors: Vec<Visitor<'_, S>>,
    policy: &Policy,
    (first_round, seed): (usize, u64),
    observer: &mut O,
) -> Result<usize, O::Error> {
    for visitor in &mut visitors {
        if !observer.ends_before(visitor.series.last) {
            visitor.warm_up();
        }
    }
    for round in first_round.. {
        // What takes too long for the time that is left makes room for what does not.
        visitors.retain(|visitor| {
            !visitor.is_done(policy) && !observer.ends_before(visitor.series.last)
        });
        if visitors.is_empty() {
            return Ok(round);
        }
        shuffle(&mut visitors, hash(seed, [round as u64]));
        for visitor in &mut visitors {
            if !observer.ends_before(visitor.series.last) {
                visitor.sample(round, observer)?;
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
