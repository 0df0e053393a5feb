use super::*;

const POLICY: Policy = Policy {
    min_samples: 10,
    min_is_given: false,
    max_samples: 75,
    max_time: Duration::from_secs(10),
    precision: 0.01,
};

/// A series of blocks of five samples each, spread by `width`, which took `seconds`.
fn series(blocks: usize, width: f64, seconds: u64) -> Series<f64> {
    let sample = |i: usize| 1.0 + width * (i * 7 % 10) as f64 / 10.0;
    let samples: Vec<_> = (0..5 * blocks).map(sample).collect();
    Series {
        seconds: samples.clone(),
        samples,
        block_offsets: (0..blocks).map(|block| 5 * block).collect(),
        spent: Duration::from_secs(seconds),
        ..Series::default()
    }
}

#[test]
fn a_precise_pilot_samples_and_time_end_it() {
    use StopReason::{Interval, Samples, Time};
    let given = Policy { min_is_given: true, ..POLICY };
    let one = Policy { max_samples: 1, ..POLICY };
    let mut single = series(1, 0.5, 10);
    single.samples.truncate(1);
    let mut of_no_duration = series(15, 0.0, 0);
    of_no_duration.seconds.fill(0.0);
    for (policy, series, expected, what) in [
        (POLICY, series(9, 0.0, 1), None, "one block less than planned"),
        (POLICY, series(10, 0.0, 1), Some(Interval), "the planned number of blocks"),
        (POLICY, series(10, 0.5, 1), None, "a wide pilot"),
        (POLICY, series(14, 0.5, 1), None, "not all samples yet"),
        (POLICY, series(15, 0.5, 1), Some(Samples), "all samples"),
        (POLICY, series(1, 0.5, 10), Some(Time), "all the time"),
        (POLICY, single.clone(), None, "two samples at least"),
        (one, single, Some(Samples), "no more are allowed"),
        (given, series(1, 0.5, 20), None, "more were asked for"),
        (given, series(2, 0.5, 20), Some(Time), "the requested number"),
        (POLICY, of_no_duration, Some(Samples), "no interval"),
    ] {
        assert_eq!(policy.stops(&series), expected, "{what}");
    }
}

/// A rule that checks again would stop.
#[test]
fn what_comes_after_the_pilot_does_not_change_the_plan() {
    let mut late = series(12, 0.0, 1);
    for (block, shift) in [0.98, 0.99, 1.0, 1.01, 1.02].into_iter().enumerate() {
        late.seconds[5 * block..5 * (block + 1)].fill(shift);
    }
    assert_eq!(POLICY.stops(&late), None);
    let mut early = series(10, 0.0, 1);
    early.seconds[25..30].fill(1.1);
    assert_eq!(POLICY.stops(&early), Some(StopReason::Interval));
}

#[test]
fn blocks_end_by_samples_or_time_share() {
    for (samples, milliseconds, blocks_before, ends, what) in [
        (4, 600, 1, false, "neither"),
        (5, 600, 1, true, "samples"),
        (1, 700, 1, true, "time"),
        (0, 700, 1, false, "one at least"),
        (1, 700, 0, false, "two of a point"),
        (0, 0, 15, true, "all of a point"),
    ] {
        let spent = Duration::from_millis(milliseconds);
        let block = BlockProgress { samples, spent };
        let before = series(blocks_before, 0.0, 1);
        assert_eq!(POLICY.ends_block(&block, &before), ends, "{what}");
    }
}
