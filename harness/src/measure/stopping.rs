//! When a candidate has enough samples.

use std::fmt;
use std::time::Duration;

use reports::statistics::describe;

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
    /// Whether, and why, to stop after these samples (in seconds), on which so
    /// much time was spent.
    pub fn stops(&self, samples: &[f64], spent: Duration) -> Option<StopReason> {
        if samples.len() >= self.min_samples && self.is_precise(samples) {
            return Some(StopReason::Interval);
        }
        if samples.len() >= self.max_samples {
            return Some(StopReason::Samples);
        }
        (!samples.is_empty() && spent >= self.max_time).then_some(StopReason::Time)
    }

    fn is_precise(&self, samples: &[f64]) -> bool {
        describe(samples).is_some_and(|described| {
            described.interval.relative_width(described.median) <= self.precision
        })
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
mod tests {
    use super::*;

    const POLICY: Policy = Policy {
        min_samples: 5,
        max_samples: 20,
        max_time: Duration::from_secs(10),
        precision: 0.01,
    };

    fn spread(n: usize, width: f64) -> Vec<f64> {
        (0..n)
            .map(|i| 1.0 + width * (i * 7 % n) as f64 / n as f64)
            .collect()
    }

    #[test]
    fn a_narrow_interval_is_enough_but_not_too_early() {
        let second = Duration::from_secs(1);
        assert_eq!(POLICY.stops(&spread(4, 0.0), second), None);
        assert_eq!(
            POLICY.stops(&spread(5, 0.0), second),
            Some(StopReason::Interval)
        );
        assert_eq!(POLICY.stops(&spread(5, 0.5), second), None);
    }

    #[test]
    fn samples_and_time_are_limited() {
        let second = Duration::from_secs(1);
        assert_eq!(POLICY.stops(&spread(19, 0.5), second), None);
        assert_eq!(
            POLICY.stops(&spread(20, 0.5), second),
            Some(StopReason::Samples)
        );
        assert_eq!(
            POLICY.stops(&spread(2, 0.5), 10 * second),
            Some(StopReason::Time)
        );
        assert_eq!(POLICY.stops(&[], 10 * second), None, "one sample at least");
    }

    #[test]
    fn samples_of_no_duration_end_by_number() {
        let none = vec![0.0; 20];
        assert_eq!(
            POLICY.stops(&none, Duration::ZERO),
            Some(StopReason::Samples)
        );
    }
}
