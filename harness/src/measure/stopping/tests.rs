use super::*;

const POLICY: Policy = Policy {
    min_samples: 10,
    min_is_given: false,
    max_samples: 75,
    max_time: Duration::from_secs(10),
    precision: 0.01,
};

const SECOND: Duration = Duration::from_secs(1);

/// So many visits of five samples each, which spread by `width`.
fn series(visits: usize, width: f64, spent: Duration) -> Series<f64> {
    let sample = |i: usize| 1.0 + width * (i * 7 % 10) as f64 / 10.0;
    let seconds: Vec<_> = (0..5 * visits).map(sample).collect();
    Series {
        samples: seconds.clone(),
        seconds,
        visit_starts: (0..visits).map(|visit| 5 * visit).collect(),
        spent,
        ..Series::default()
    }
}

#[test]
fn a_narrow_pilot_and_as_many_visits_again_are_enough() {
    assert_eq!(POLICY.stops(&series(9, 0.0, SECOND)), None, "too few");
    let enough = series(10, 0.0, SECOND);
    assert_eq!(POLICY.stops(&enough), Some(StopReason::Interval));
    assert_eq!(POLICY.stops(&series(10, 0.5, SECOND)), None);
}

/// Who would look again would stop.
#[test]
fn what_comes_after_the_pilot_does_not_change_the_plan() {
    let mut late = series(12, 0.0, SECOND);
    for (visit, shift) in [0.98, 0.99, 1.0, 1.01, 1.02].into_iter().enumerate() {
        late.seconds[5 * visit..5 * (visit + 1)].fill(shift);
    }
    assert_eq!(POLICY.stops(&late), None);
    let mut early = series(10, 0.0, SECOND);
    early.seconds[25..30].fill(1.1);
    assert_eq!(POLICY.stops(&early), Some(StopReason::Interval));
}

#[test]
fn samples_and_time_are_limits() {
    let ten = 10 * SECOND;
    assert_eq!(POLICY.stops(&series(14, 0.5, SECOND)), None);
    let full = series(15, 0.5, SECOND);
    assert_eq!(POLICY.stops(&full), Some(StopReason::Samples));
    assert_eq!(POLICY.stops(&series(1, 0.5, ten)), Some(StopReason::Time));
    let mut single = series(1, 0.5, ten);
    single.samples.truncate(1);
    assert_eq!(POLICY.stops(&single), None, "two samples at least");
    let one = Policy {
        max_samples: 1,
        ..POLICY
    };
    assert_eq!(one.stops(&single), Some(StopReason::Samples));
}

#[test]
fn a_minimum_that_was_asked_for_is_one() {
    let given = Policy {
        min_is_given: true,
        ..POLICY
    };
    let late = 20 * SECOND;
    assert_eq!(given.stops(&series(1, 0.5, late)), None);
    assert_eq!(given.stops(&series(2, 0.5, late)), Some(StopReason::Time));
}

#[test]
fn samples_of_no_duration_end_by_number() {
    let mut series = series(15, 0.0, Duration::ZERO);
    series.seconds.fill(0.0);
    assert_eq!(POLICY.stops(&series), Some(StopReason::Samples));
}

#[test]
fn visits_end_by_samples_or_by_their_share_of_the_time() {
    let visit = |samples: usize, seconds: u64| VisitSoFar {
        samples,
        spent: Duration::from_secs(seconds),
    };
    let before = series(1, 0.0, SECOND);
    assert!(!POLICY.ends_visit(&visit(4, 1), &before));
    assert!(POLICY.ends_visit(&visit(5, 1), &before));
    assert!(POLICY.ends_visit(&visit(1, 2), &before));
    assert!(!POLICY.ends_visit(&visit(0, 2), &before), "one at least");
    let none = series(0, 0.0, SECOND);
    assert!(!POLICY.ends_visit(&visit(1, 2), &none), "two of a point");
    let all = series(15, 0.0, SECOND);
    assert!(POLICY.ends_visit(&visit(0, 0), &all));
}
