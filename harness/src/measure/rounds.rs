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
mod tests {
    use super::*;

    /// Samples that a script gives, without a clock.
    struct Scripted(Vec<f64>);

    /// Beyond 100 s it does not count.
    impl Taken for f64 {
        fn seconds(&self) -> f64 {
            *self
        }

        fn counts(&self) -> bool {
            *self < 100.0
        }

        fn spent(&self) -> Duration {
            Duration::from_secs_f64(*self)
        }
    }

    impl Sampler for Scripted {
        type Sample = f64;
        type Failure = &'static str;

        fn sample(&mut self) -> Result<f64, &'static str> {
            let sample = self.0[0];
            self.0.rotate_left(1);
            if sample.is_nan() {
                return Err("the device is gone");
            }
            Ok(sample)
        }
    }

    #[derive(Default)]
    struct Log {
        sampled: Vec<At>,
        interrupt_after: Option<usize>,
        longest: Option<Duration>,
        fail: bool,
    }

    impl Observer<f64> for Log {
        type Error = &'static str;

        fn sampled(&mut self, at: At, _: &f64) -> Result<(), &'static str> {
            self.sampled.push(at);
            if self.fail { Err("disk full") } else { Ok(()) }
        }

        fn ends_before(&self, next: Duration) -> bool {
            let enough = |limit| self.sampled.len() >= limit;
            self.interrupt_after.is_some_and(enough)
                || self.longest.is_some_and(|longest| next > longest)
        }
    }

    const POLICY: Policy = Policy {
        min_samples: 7,
        min_is_given: false,
        max_samples: 30,
        max_time: Duration::from_secs(1000),
        precision: 0.01,
    };

    fn steady(seconds: f64) -> Scripted {
        Scripted(vec![seconds])
    }

    fn visited<const N: usize>(
        samplers: [Scripted; N],
        series: &mut [Series<f64>; N],
        first_round: usize,
        log: &mut Log,
    ) -> Result<usize, &'static str> {
        let both = samplers.into_iter().zip(series).enumerate();
        let visitors = both.map(|(i, (sampler, series))| Visitor::new(i, sampler, series));
        visit(visitors.collect(), &POLICY, (first_round, 1), log)
    }

    #[test]
    fn each_round_has_every_candidate_once_in_changing_order() {
        let (mut log, mut series) = (Log::default(), Default::default());
        let noisy = || Scripted(vec![1.0, 2.0, 3.0, 1.5, 2.5]);
        let samplers = [noisy(), noisy(), noisy(), noisy()];
        assert_eq!(visited(samplers, &mut series, 0, &mut log), Ok(5));
        let order: Vec<_> = log.sampled.iter().map(|at| at.candidate).collect();
        let rounds: Vec<_> = order.chunks(4).collect();
        assert_eq!(rounds.len(), 5);
        for round in &rounds {
            let mut sorted = round.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3]);
        }
        assert!(
            rounds.iter().any(|round| *round != rounds[0]),
            "the order never changes"
        );
    }

    #[test]
    fn visits_continue_the_count_of_samples_and_rounds() {
        let (mut log, mut series) = (Log::default(), Default::default());
        assert_eq!(visited([steady(1.0)], &mut series, 0, &mut log), Ok(5));
        assert_eq!(visited([steady(2.0)], &mut series, 5, &mut log), Ok(10));
        let numbers: Vec<_> = log.sampled.iter().map(|at| at.number).collect();
        assert_eq!(numbers, (0..10).collect::<Vec<_>>());
        let fresh: Vec<_> = log
            .sampled
            .iter()
            .filter(|at| at.fresh)
            .map(|at| at.round)
            .collect();
        assert_eq!(fresh, [0, 5]);
        assert_eq!(series[0].visits, [0, 5]);
        assert_eq!(series[0].spent, Duration::from_secs(16));
    }

    #[test]
    fn slow_candidates_get_their_share_of_the_time() {
        let (mut log, mut series) = (Log::default(), Default::default());
        // A fifth of 1000 s is over after warming up and two samples.
        visited([steady(1.0), steady(99.0)], &mut series, 0, &mut log).expect("no errors");
        assert_eq!(series.map(|series| series.samples.len()), [5, 2]);
    }

    #[test]
    fn a_failure_ends_one_candidate_and_no_other() {
        let (mut log, mut series) = (Log::default(), Default::default());
        // The first is the warm-up.
        let failing = Scripted(vec![1.0, 1.0, 2.0, f64::NAN, 1.0]);
        visited([failing, steady(1.0)], &mut series, 0, &mut log).expect("no errors");
        let [failed, steady] = series;
        assert_eq!(failed.samples, [1.0, 2.0]);
        assert_eq!(failed.failure.as_deref(), Some("the device is gone"));
        assert_eq!((steady.samples.len(), steady.failure), (5, None));
    }

    #[test]
    fn the_warm_up_is_not_a_sample() {
        let (mut log, mut series) = (Log::default(), Default::default());
        // Slow once, for the warm-up, and steady from then on.
        let mut script = vec![1.0; 100];
        script[0] = 50.0;
        visited([Scripted(script)], &mut series, 0, &mut log).expect("no errors");
        assert_eq!(series[0].samples, [1.0; 5]);
    }

    #[test]
    fn what_takes_too_long_for_the_time_that_is_left_ends_alone() {
        let mut log = Log {
            longest: Some(Duration::from_secs(2)),
            ..Log::default()
        };
        let mut series = Default::default();
        visited([steady(1.0), steady(3.0)], &mut series, 0, &mut log).expect("no errors");
        // How long it takes is seen when it warms up.
        assert_eq!(series.map(|series| series.samples.len()), [5, 0]);
    }

    #[test]
    fn long_runs_are_warm_by_themselves_once_they_are_known() {
        let (mut log, mut series) = (Log::default(), Default::default());
        visited([steady(1.0), steady(0.01)], &mut series, 0, &mut log).expect("no errors");
        visited([steady(1.0), steady(0.01)], &mut series, 5, &mut log).expect("no errors");
        let [long, short] = series.map(|series| (series.warming, series.samples.len()));
        assert_eq!(
            long,
            (Duration::from_secs(1), 10),
            "in the first visit only"
        );
        assert_eq!(short, (Duration::from_millis(20), 10));
    }

    #[test]
    fn an_interrupt_keeps_what_there_is() {
        let mut log = Log {
            interrupt_after: Some(3),
            ..Log::default()
        };
        let mut series = Default::default();
        visited([steady(1.0), steady(2.0)], &mut series, 0, &mut log).expect("no errors");
        assert_eq!(
            series
                .map(|series| series.samples.len())
                .iter()
                .sum::<usize>(),
            3
        );
    }

    #[test]
    fn an_observer_that_fails_ends_it() {
        let mut log = Log {
            fail: true,
            ..Log::default()
        };
        let result = visited([steady(1.0)], &mut Default::default(), 0, &mut log);
        assert_eq!((result, log.sampled.len()), (Err("disk full"), 1));
    }

    #[test]
    fn samples_that_do_not_count_are_kept_apart() {
        let (mut log, mut series) = (Log::default(), Default::default());
        // The first is the warm-up, then every other one counts.
        visited([Scripted(vec![1.0, 120.0])], &mut series, 0, &mut log).expect("no errors");
        let [series] = series;
        assert!(series.seconds.len() < series.samples.len());
        assert!(series.seconds.iter().all(|seconds| *seconds < 100.0));
    }

    #[test]
    fn without_candidates_there_is_nothing_to_do() {
        let mut log = Log::default();
        assert_eq!(visited([], &mut [], 4, &mut log), Ok(4));
        assert_eq!(log.sampled, []);
    }
}
