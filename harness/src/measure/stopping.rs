//! When a candidate has enough samples.

use std::fmt;
use std::time::Duration;

use reports::statistics::{Interval, MIN_SAMPLES, describe};

/// From one look at the interval to the next the samples grow by this factor.
const GROWTH: f64 = 1.2;

/// The rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Policy {
    /// At least so many samples, time permitting.
    pub min_samples: usize,
    /// At most so many samples.
    pub max_samples: usize,
    /// The time for a candidate, with all that surrounds its samples.
    pub max_time: Duration,
    /// The width of the 95 % interval of the median, relative to it, that is
    /// enough.
    pub precision: f64,
}

/// What ended the sampling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The interval is narrow enough.
    Interval,
    /// The samples are as many as allowed.
    Samples,
    /// The time is over.
    Time,
    /// The user asked for an end.
    Interrupt,
}

impl Policy {
    /// Whether, and why, to stop after these samples (in seconds), of so many
    /// taken in so much time.
    pub fn stops(&self, samples: &[f64], taken: usize, spent: Duration) -> Option<StopReason> {
        let enough = samples.len() >= self.min_samples;
        if enough && is_due(samples.len()) && self.is_precise_twice(samples) {
            return Some(StopReason::Interval);
        }
        if taken >= self.max_samples {
            return Some(StopReason::Samples);
        }
        (taken > 0 && spent >= self.max_time).then_some(StopReason::Time)
    }

    /// Precise now, and at the look before: once may be luck.
    fn is_precise_twice(&self, samples: &[f64]) -> bool {
        let before = (samples.len() as f64 / GROWTH) as usize;
        let at_first = before < MIN_SAMPLES;
        self.is_precise(samples) && (at_first || self.is_precise(&samples[..before]))
    }

    fn is_precise(&self, samples: &[f64]) -> bool {
        describe(samples).is_some_and(|described| {
            let width = |interval: Interval| interval.relative_width(described.median);
            described
                .interval
                .map(width)
                .is_some_and(|width| width <= self.precision)
        })
    }
}

/// Whether to look at the interval after so many samples: after every fifth
/// part more. Whoever looks after each sample stops when a few happen to lie
/// close together, and would spend more time looking than sampling.
fn is_due(samples: usize) -> bool {
    let looks = |samples: usize| (samples as f64).log(GROWTH).floor();
    samples < 2 || looks(samples) > looks(samples - 1)
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
mod tests {
    use super::*;

    const POLICY: Policy = Policy {
        min_samples: 7,
        max_samples: 20,
        max_time: Duration::from_secs(10),
        precision: 0.01,
    };

    fn stops(policy: &Policy, samples: &[f64], spent: Duration) -> Option<StopReason> {
        policy.stops(samples, samples.len(), spent)
    }

    fn spread(n: usize, width: f64) -> Vec<f64> {
        (0..n)
            .map(|i| 1.0 + width * (i * 7 % n) as f64 / n as f64)
            .collect()
    }

    #[test]
    fn a_narrow_interval_is_enough_but_not_too_early() {
        let second = Duration::from_secs(1);
        assert_eq!(stops(&POLICY, &spread(6, 0.0), second), None);
        assert_eq!(
            stops(&POLICY, &spread(8, 0.0), second),
            Some(StopReason::Interval)
        );
        assert_eq!(stops(&POLICY, &spread(8, 0.5), second), None);
    }

    #[test]
    fn too_few_samples_are_never_precise() {
        let hasty = Policy {
            min_samples: 1,
            ..POLICY
        };
        assert_eq!(stops(&hasty, &[1.0; 5], Duration::ZERO), None);
        let stopped = stops(&hasty, &[1.0; 8], Duration::ZERO);
        assert_eq!(stopped, Some(StopReason::Interval));
    }

    /// Looking again and again until the interval is narrow favours samples
    /// that happen to lie close together. That costs some of the 95 %: 2.6 %
    /// with this rule on skewed samples (6 % without the second look).
    #[test]
    fn the_rule_costs_little_of_the_coverage() {
        let policy = Policy {
            min_samples: 10,
            max_samples: 100,
            max_time: Duration::MAX,
            precision: 0.01,
        };
        let truth = 1.0 + 0.02 * std::f64::consts::LN_2;
        let covers = |seed: &u64| {
            let mut samples = Vec::new();
            while stops(&policy, &samples, Duration::ZERO).is_none() {
                let bits = generators::random::hash(*seed, [samples.len() as u64]);
                let uniform = (bits >> 11) as f64 / (1_u64 << 53) as f64;
                samples.push(1.0 - 0.02 * (1.0 - uniform).ln());
            }
            let interval = describe(&samples).and_then(|described| described.interval);
            interval.is_some_and(|interval| interval.low <= truth && truth <= interval.high)
        };
        let share = (0..2000).filter(covers).count() as f64 / 2000.0;
        assert!((0.90..0.97).contains(&share), "{share}");
    }

    #[test]
    fn samples_and_time_are_limited() {
        let second = Duration::from_secs(1);
        assert_eq!(stops(&POLICY, &spread(19, 0.5), second), None);
        assert_eq!(
            stops(&POLICY, &spread(20, 0.5), second),
            Some(StopReason::Samples)
        );
        assert_eq!(
            stops(&POLICY, &spread(2, 0.5), 10 * second),
            Some(StopReason::Time)
        );
        assert_eq!(
            stops(&POLICY, &[], 10 * second),
            None,
            "one sample at least"
        );
    }

    #[test]
    fn samples_of_no_duration_end_by_number() {
        let none = vec![0.0; 20];
        assert_eq!(
            stops(&POLICY, &none, Duration::ZERO),
            Some(StopReason::Samples)
        );
    }
}
