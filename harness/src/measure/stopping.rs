//! When a visit is long enough, and when a candidate has enough samples.

use std::fmt;
use std::time::Duration;

use reports::statistics::{self, Interval, MIN_VISITS};

use super::rounds::{Series, Visit};

/// Samples in a visit: enough for a median, few enough for many visits. Where
/// visits differ more than samples, more visits tell more.
const SAMPLES_A_VISIT: usize = 5;
/// So many visits at least should fit into the time of a candidate.
const VISITS_IN_TIME: u32 = 5;
/// So many disturbed samples of a visit are repeated.
const REPEATS: usize = 2 * SAMPLES_A_VISIT;
/// Who is never alone takes so many samples of a visit as they are.
const TAKEN_AS_THEY_ARE: usize = 2;

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
    /// Whether a disturbed sample of a visit is to be repeated.
    pub fn repeats(&self, visit: &Visit) -> bool {
        visit.repeated < REPEATS && visit.spent < self.visit_time()
    }

    /// Whether a candidate has enough samples for this visit.
    pub fn ends_visit<T>(&self, visit: &Visit, series: &Series<T>) -> bool {
        let late = visit.spent >= self.visit_time() || series.spent >= self.max_time;
        let full = visit.taken >= SAMPLES_A_VISIT || series.samples.len() >= self.max_samples;
        let never_alone = visit.repeated >= REPEATS && visit.taken >= TAKEN_AS_THEY_ARE;
        full || never_alone || (late && visit.taken > 0)
    }

    /// Whether, and why, to stop after these visits.
    pub fn stops<T>(&self, series: &Series<T>) -> Option<StopReason> {
        let taken = series.samples.len();
        if series.seconds.len() >= self.min_samples && self.is_precise(series) {
            return Some(StopReason::Interval);
        }
        if taken >= self.max_samples {
            return Some(StopReason::Samples);
        }
        (taken > 0 && series.spent >= self.max_time).then_some(StopReason::Time)
    }

    fn visit_time(&self) -> Duration {
        self.max_time / VISITS_IN_TIME
    }

    /// Fewer visits don't show how they differ.
    fn is_precise<T>(&self, series: &Series<T>) -> bool {
        if series.visits.len() < MIN_VISITS {
            return false;
        }
        let samples = statistics::Series::new(&series.seconds, &series.visits);
        let width = |interval: Interval| interval.relative_width(samples.median());
        samples
            .interval()
            .is_some_and(|interval| width(interval) <= self.precision)
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
        min_samples: 10,
        max_samples: 25,
        max_time: Duration::from_secs(10),
        precision: 0.01,
    };

    /// So many visits of five samples each, which spread by `width`.
    fn series(visits: usize, width: f64, spent: Duration) -> Series<f64> {
        let sample = |i: usize| 1.0 + width * (i * 7 % 10) as f64 / 10.0;
        let seconds: Vec<_> = (0..5 * visits).map(sample).collect();
        Series {
            samples: seconds.clone(),
            seconds,
            visits: (0..visits).map(|visit| 5 * visit).collect(),
            repeated: 0,
            spent,
            failure: None,
        }
    }

    #[test]
    fn a_narrow_interval_of_several_visits_is_enough() {
        let second = Duration::from_secs(1);
        assert_eq!(
            POLICY.stops(&series(2, 0.0, second)),
            None,
            "too few visits"
        );
        assert_eq!(
            POLICY.stops(&series(3, 0.0, second)),
            Some(StopReason::Interval)
        );
        assert_eq!(POLICY.stops(&series(3, 0.5, second)), None);
    }

    #[test]
    fn visits_that_differ_are_not_precise() {
        let mut series = series(3, 0.0, Duration::ZERO);
        series.seconds[5..10].fill(1.05);
        assert_eq!(POLICY.stops(&series), None);
    }

    /// Looking again after each visit until the interval is narrow favours
    /// samples that happen to lie close together: that costs some of the 95 %.
    #[test]
    fn the_rule_costs_little_of_the_coverage() {
        let policy = Policy {
            max_samples: 100,
            max_time: Duration::MAX,
            ..POLICY
        };
        let truth = 1.0 + 0.02 * std::f64::consts::LN_2;
        let covers = |seed: &u64| {
            let mut series = Series::default();
            while policy.stops(&series).is_none() {
                series.visits.push(series.seconds.len());
                for _ in 0..5 {
                    let bits = generators::random::hash(*seed, [series.seconds.len() as u64]);
                    let uniform = (bits >> 11) as f64 / (1_u64 << 53) as f64;
                    series.seconds.push(1.0 - 0.02 * (1.0 - uniform).ln());
                    series.samples.push(());
                }
            }
            let samples = statistics::Series::new(&series.seconds, &series.visits);
            samples
                .interval()
                .is_some_and(|found| found.low <= truth && truth <= found.high)
        };
        let share = (0..2000).filter(covers).count() as f64 / 2000.0;
        assert!((0.93..0.995).contains(&share), "{share}");
    }

    #[test]
    fn samples_and_time_are_limited() {
        let (second, ten) = (Duration::from_secs(1), Duration::from_secs(10));
        assert_eq!(POLICY.stops(&series(4, 0.5, second)), None);
        assert_eq!(
            POLICY.stops(&series(5, 0.5, second)),
            Some(StopReason::Samples)
        );
        assert_eq!(POLICY.stops(&series(2, 0.5, ten)), Some(StopReason::Time));
        assert_eq!(
            POLICY.stops(&series(0, 0.5, ten)),
            None,
            "one sample at least"
        );
    }

    #[test]
    fn samples_of_no_duration_end_by_number() {
        let mut series = series(5, 0.0, Duration::ZERO);
        series.seconds.fill(0.0);
        assert_eq!(POLICY.stops(&series), Some(StopReason::Samples));
    }

    #[test]
    fn visits_end_by_samples_or_by_their_share_of_the_time() {
        let visit = |taken: usize, seconds: u64| Visit {
            taken,
            repeated: 0,
            spent: Duration::from_secs(seconds),
        };
        let before = series(1, 0.0, Duration::from_secs(1));
        assert!(!POLICY.ends_visit(&visit(4, 1), &before));
        assert!(POLICY.ends_visit(&visit(5, 1), &before));
        assert!(POLICY.ends_visit(&visit(1, 2), &before));
        assert!(
            !POLICY.ends_visit(&visit(0, 2), &before),
            "one sample at least"
        );
        let all = series(5, 0.0, Duration::from_secs(1));
        assert!(POLICY.ends_visit(&visit(0, 0), &all));
    }

    #[test]
    fn whoever_is_never_alone_takes_a_little_of_what_there_is() {
        let visit = |repeated, seconds| Visit {
            taken: 0,
            repeated,
            spent: Duration::from_secs(seconds),
        };
        assert!(POLICY.repeats(&visit(9, 1)));
        assert!(!POLICY.repeats(&visit(10, 1)));
        assert!(!POLICY.repeats(&visit(5, 3)), "its time is over");
        let before = series(1, 0.0, Duration::from_secs(1));
        let ends = |taken| {
            POLICY.ends_visit(
                &Visit {
                    taken,
                    ..visit(10, 1)
                },
                &before,
            )
        };
        assert!(!ends(1) && ends(2));
    }
}
