//! The order of sampling: rounds, each in a random order of its own.
//!
//! Whatever drifts (clocks, temperature, other load) then hits all candidates
//! alike. Nothing here knows what is sampled, so that the tests can do without
//! a clock.

use std::time::Duration;

use generators::random::{below, hash};

use super::{Policy, StopReason};

/// Something that can be sampled.
pub trait Sampler {
    /// What a sample tells.
    type Sample;
    /// Takes one sample.
    fn sample(&mut self) -> Self::Sample;
    /// The time of the sample in seconds.
    fn seconds(sample: &Self::Sample) -> f64;
    /// Whether the sample is one to be counted.
    fn counts(sample: &Self::Sample) -> bool;
    /// The time that the sample cost, with all that surrounds it.
    fn spent(sample: &Self::Sample) -> Duration;
}

/// Who is told of samples as they come. Errors end the sampling.
pub trait Observer<S: Sampler> {
    /// What can go wrong while taking note.
    type Error;
    /// A sample was taken: of which candidate, in which round, with which
    /// number.
    ///
    /// # Errors
    /// If it can't be noted.
    fn sampled(
        &mut self,
        candidate: usize,
        round: usize,
        number: usize,
        sample: &S::Sample,
    ) -> Result<(), Self::Error>;
    /// A candidate has enough samples.
    ///
    /// # Errors
    /// If it can't be noted.
    fn finished(
        &mut self,
        candidate: usize,
        reason: StopReason,
        samples: &[S::Sample],
    ) -> Result<(), Self::Error>;
    /// Whether to stop now.
    fn interrupted(&self) -> bool;
}

/// Samples all candidates in random rounds until each has enough.
///
/// # Errors
/// The observer's.
pub fn interleave<S: Sampler, O: Observer<S>>(
    samplers: &mut [S],
    policy: &Policy,
    seed: u64,
    observer: &mut O,
) -> Result<(), O::Error> {
    // The first sample warms the very path that is timed, and is dropped.
    for sampler in &mut *samplers {
        if !observer.interrupted() {
            sampler.sample();
        }
    }
    let mut active: Vec<_> = samplers.iter_mut().enumerate().map(Series::new).collect();
    for round in 0.. {
        shuffle(&mut active, hash(seed, [round as u64]));
        for series in &mut active {
            if !observer.interrupted() {
                series.sample(round, observer)?;
            }
        }
        active = unfinished(active, policy, observer)?;
        if active.is_empty() {
            break;
        }
    }
    Ok(())
}

/// The series that need more samples; the others are reported.
fn unfinished<'s, S: Sampler, O: Observer<S>>(
    active: Vec<Series<'s, S>>,
    policy: &Policy,
    observer: &mut O,
) -> Result<Vec<Series<'s, S>>, O::Error> {
    let mut unfinished = Vec::new();
    for series in active {
        let reason = if observer.interrupted() {
            Some(StopReason::Interrupt)
        } else {
            policy.stops(&series.seconds, series.samples.len(), series.spent)
        };
        match reason {
            Some(reason) => observer.finished(series.candidate, reason, &series.samples)?,
            None => unfinished.push(series),
        }
    }
    Ok(unfinished)
}

/// The samples of one candidate.
struct Series<'s, S: Sampler> {
    candidate: usize,
    sampler: &'s mut S,
    samples: Vec<S::Sample>,
    seconds: Vec<f64>,
    spent: Duration,
}

impl<'s, S: Sampler> Series<'s, S> {
    fn new((candidate, sampler): (usize, &'s mut S)) -> Self {
        Series {
            candidate,
            sampler,
            samples: Vec::new(),
            seconds: Vec::new(),
            spent: Duration::ZERO,
        }
    }

    fn sample<O: Observer<S>>(&mut self, round: usize, observer: &mut O) -> Result<(), O::Error> {
        let sample = self.sampler.sample();
        observer.sampled(self.candidate, round, self.samples.len(), &sample)?;
        if S::counts(&sample) {
            self.seconds.push(S::seconds(&sample));
        }
        self.spent += S::spent(&sample);
        self.samples.push(sample);
        Ok(())
    }
}

/// Fisher and Yates.
fn shuffle<T>(items: &mut [T], seed: u64) {
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

    impl Sampler for Scripted {
        type Sample = f64;

        fn sample(&mut self) -> f64 {
            let sample = self.0[0];
            self.0.rotate_left(1);
            sample
        }

        fn seconds(sample: &f64) -> f64 {
            *sample
        }

        fn counts(sample: &f64) -> bool {
            *sample < 100.0
        }

        fn spent(sample: &f64) -> Duration {
            Duration::from_secs_f64(*sample)
        }
    }

    #[derive(Default)]
    struct Log {
        order: Vec<usize>,
        rounds: Vec<usize>,
        finished: Vec<(usize, StopReason, usize)>,
        interrupt_after: Option<usize>,
        fail: bool,
    }

    impl Observer<Scripted> for Log {
        type Error = &'static str;

        fn sampled(
            &mut self,
            candidate: usize,
            round: usize,
            _: usize,
            _: &f64,
        ) -> Result<(), &'static str> {
            self.order.push(candidate);
            self.rounds.push(round);
            if self.fail { Err("disk full") } else { Ok(()) }
        }

        fn finished(
            &mut self,
            candidate: usize,
            reason: StopReason,
            samples: &[f64],
        ) -> Result<(), &'static str> {
            self.finished.push((candidate, reason, samples.len()));
            Ok(())
        }

        fn interrupted(&self) -> bool {
            self.interrupt_after
                .is_some_and(|limit| self.order.len() >= limit)
        }
    }

    const POLICY: Policy = Policy {
        min_samples: 7,
        max_samples: 30,
        max_time: Duration::from_secs(1000),
        precision: 0.01,
    };

    fn steady(seconds: f64) -> Scripted {
        Scripted(vec![seconds])
    }

    #[test]
    fn each_round_has_every_active_candidate_once_in_changing_order() {
        let mut log = Log::default();
        let noisy = || Scripted(vec![1.0, 2.0, 3.0, 1.5, 2.5]);
        let mut samplers = [noisy(), noisy(), noisy(), noisy()];
        interleave(&mut samplers, &POLICY, 1, &mut log).expect("no errors");
        let rounds: Vec<_> = log.order.chunks(4).collect();
        assert_eq!(rounds.len(), 30);
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
    fn steady_candidates_stop_early_and_noisy_ones_go_on() {
        let mut log = Log::default();
        let mut samplers = [steady(1.0), Scripted(vec![1.0, 2.0, 3.0])];
        interleave(&mut samplers, &POLICY, 1, &mut log).expect("no errors");
        let expected = [(0, StopReason::Interval, 7), (1, StopReason::Samples, 30)];
        assert_eq!(log.finished, expected);
    }

    #[test]
    fn the_warm_up_is_not_a_sample() {
        let mut log = Log::default();
        // Slow once, for the warm-up, and steady from then on.
        let mut script = vec![1.0; 100];
        script[0] = 50.0;
        interleave(&mut [Scripted(script)], &POLICY, 1, &mut log).expect("no errors");
        assert_eq!(log.finished, [(0, StopReason::Interval, 7)]);
        assert_eq!(log.rounds, [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn an_interrupt_keeps_what_there_is() {
        let mut log = Log {
            interrupt_after: Some(3),
            ..Log::default()
        };
        interleave(&mut [steady(1.0), steady(2.0)], &POLICY, 1, &mut log).expect("no errors");
        assert_eq!(log.order.len(), 3);
        let mut finished = log.finished.clone();
        finished.sort_by_key(|(candidate, ..)| *candidate);
        let samples: usize = finished.iter().map(|(.., samples)| samples).sum();
        assert_eq!((finished.len(), samples), (2, 3));
        assert!(
            finished
                .iter()
                .all(|(_, reason, _)| *reason == StopReason::Interrupt)
        );
    }

    #[test]
    fn an_observer_that_fails_ends_it() {
        let mut log = Log {
            fail: true,
            ..Log::default()
        };
        let result = interleave(&mut [steady(1.0)], &POLICY, 1, &mut log);
        assert_eq!((result, log.order.len()), (Err("disk full"), 1));
    }

    #[test]
    fn samples_that_do_not_count_do_not_go_on_for_ever() {
        let mut log = Log::default();
        // The first is the warm-up, then every other one counts.
        let half = Scripted(vec![1.0, 500.0]);
        let policy = Policy {
            max_time: Duration::MAX,
            ..POLICY
        };
        interleave(&mut [half, steady(500.0)], &policy, 1, &mut log).expect("no errors");
        assert_eq!(log.finished.len(), 2);
        assert_eq!(log.finished[1], (1, StopReason::Samples, 30));
    }

    #[test]
    fn without_candidates_there_is_nothing_to_do() {
        let mut log = Log::default();
        interleave(&mut [] as &mut [Scripted], &POLICY, 1, &mut log).expect("no errors");
        assert_eq!(log.order, [0; 0]);
    }
}
