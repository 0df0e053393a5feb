//! Whether intervals hold the true median as often as they promise, whatever ended
//! the sampling: simulated with visits that differ, drift, and heavy tails.

use generators::random::{Stream, stream};
use rand_distr::{Distribution, Exp1, StandardNormal, StudentT};
use reports::statistics;

use super::*;

/// Of 95 % that are promised.
const PROMISED: f64 = 0.94;
const SERIES: u64 = 2000;

/// What samples are like: `exp(visit + noise)`, with a median of 1.
#[derive(Clone, Copy, Debug)]
struct Machine {
    /// Relative standard deviation of samples, roughly.
    noise: f64,
    tails: Tails,
    /// That of visits.
    visits: f64,
    /// From the first visit to the last that there may be.
    drift: f64,
}

#[derive(Clone, Copy, Debug)]
enum Tails {
    Normal,
    /// Slow samples now and then: exponential.
    Skewed,
    /// Student's t with three degrees of freedom.
    Heavy,
}

impl Tails {
    /// With a median of 0.
    fn noise(self, random: &mut Stream) -> f64 {
        match self {
            Tails::Normal => normal(random),
            Tails::Skewed => {
                let noise: f64 = Exp1.sample(random);
                noise - std::f64::consts::LN_2
            }
            Tails::Heavy => StudentT::new(3.0).expect("a distribution").sample(random),
        }
    }
}

fn normal(random: &mut Stream) -> f64 {
    StandardNormal.sample(random)
}

/// What became of a series.
struct Sampled {
    held: bool,
    reason: StopReason,
}

fn sample(machine: Machine, policy: &Policy, seed: u64) -> Sampled {
    let mut random = stream(seed, [0]);
    let mut series = Series::<()>::default();
    let most_visits = (policy.max_samples / SAMPLES_A_VISIT) as f64;
    let reason = loop {
        if let Some(reason) = policy.stops(&series) {
            break reason;
        }
        let visit = series.visit_starts.len() as f64;
        let level = machine.visits * normal(&mut random) + machine.drift * visit / most_visits;
        series.visit_starts.push(series.seconds.len());
        for _ in 0..SAMPLES_A_VISIT {
            let noise = machine.noise * machine.tails.noise(&mut random);
            series.seconds.push((level + noise).exp());
            series.samples.push(());
        }
    };
    // What is true of a machine that drifts is so in the middle of the time.
    let last_visit = (series.visit_starts.len() - 1) as f64;
    let truth = (machine.drift * last_visit / (2.0 * most_visits)).exp();
    let samples = statistics::Series::new(&series.seconds, &series.visit_starts);
    let found = samples.interval().expect("enough samples");
    Sampled {
        held: found.low <= truth && truth <= found.high,
        reason,
    }
}

/// The share of intervals that hold the truth, of all and of those that stopped early,
/// and how many these are.
fn coverage(machine: Machine) -> (f64, f64, usize) {
    let policy = Policy {
        min_samples: 10,
        min_is_given: false,
        max_samples: 100,
        max_time: Duration::MAX,
        precision: 0.01,
    };
    let all: Vec<_> = (0..SERIES)
        .map(|seed| sample(machine, &policy, seed))
        .collect();
    let held = |sampled: &[&Sampled]| {
        let held = sampled.iter().filter(|sampled| sampled.held).count();
        held as f64 / sampled.len() as f64
    };
    let is_early = |sampled: &&Sampled| sampled.reason == StopReason::Interval;
    let early: Vec<_> = all.iter().filter(is_early).collect();
    (
        held(&all.iter().collect::<Vec<_>>()),
        held(&early),
        early.len(),
    )
}

/// What is promised, less three standard deviations of what so many series tell.
fn least(series: usize) -> f64 {
    PROMISED - 3.0 * (PROMISED * (1.0 - PROMISED) / series as f64).sqrt()
}

#[test]
fn intervals_hold_what_they_promise_however_visits_differ() {
    for tails in [Tails::Normal, Tails::Skewed, Tails::Heavy] {
        for noise in [0.005, 0.02, 0.05] {
            for visits in [0.0, 0.005, 0.01] {
                let machine = Machine {
                    noise,
                    tails,
                    visits,
                    drift: 0.0,
                };
                let (all, early, count) = coverage(machine);
                assert!(all >= least(SERIES as usize), "{machine:?}: {all}");
                // Of few nothing can be said.
                if count >= 100 {
                    assert!(early >= least(count), "{machine:?}: {early} of {count}");
                }
            }
        }
    }
}

#[test]
fn a_drift_does_not_make_them_promise_too_much() {
    for drift in [0.005, 0.02] {
        let machine = Machine {
            noise: 0.01,
            tails: Tails::Normal,
            visits: 0.005,
            drift,
        };
        let (all, early, count) = coverage(machine);
        assert!(all >= least(SERIES as usize), "{machine:?}: {all}");
        assert!(count < 100 || early >= least(count), "{machine:?}: {early}");
    }
}

/// The rule before, which looked again after each visit: the test can fail.
#[test]
fn looking_again_after_each_visit_would_be_seen() {
    let held = |seed: u64| {
        let mut random = stream(seed, [0]);
        let (mut seconds, mut starts) = (Vec::new(), Vec::new());
        for _ in 0..20 {
            starts.push(seconds.len());
            let level = 0.01 * normal(&mut random);
            seconds.extend((0..5).map(|_| (level + 0.005 * normal(&mut random)).exp()));
            let samples = statistics::Series::new(&seconds, &starts);
            let narrow = samples
                .interval()
                .filter(|found| starts.len() >= 3 && found.relative_width(1.0) <= 0.01);
            if let Some(found) = narrow {
                return Some(found.low <= 1.0 && 1.0 <= found.high);
            }
        }
        None
    };
    let early: Vec<_> = (0..SERIES).filter_map(held).collect();
    let share = early.iter().filter(|held| **held).count() as f64 / early.len() as f64;
    assert!(share < least(early.len()), "{share}");
}
