//! Samples in a few numbers, and warnings about unusual series with a hint each.

/// The numbers that a summary has of a series of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Description {
    /// Number of samples.
    pub samples: usize,
    /// Half of the samples are below it.
    pub median: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Sample standard deviation; 0 for a single sample.
    pub stddev: f64,
    /// The smallest sample.
    pub min: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// The largest sample.
    pub max: f64,
}

/// Describes a series; `None` if there are no samples.
pub fn describe(samples: &[f64]) -> Option<Description> {
    let sorted = sorted(samples);
    let &min = sorted.first()?;
    let &max = sorted.last()?;
    let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
    Some(Description {
        samples: sorted.len(),
        median: quantile(&sorted, 0.5),
        mean,
        stddev: stddev(&sorted, mean),
        min,
        p95: quantile(&sorted, 0.95),
        p99: quantile(&sorted, 0.99),
        max,
    })
}

/// A quantile of sorted samples, interpolated between neighbours (type 7 of
/// Hyndman and Fan 1996, as R and NumPy do).
pub(super) fn quantile(sorted: &[f64], probability: f64) -> f64 {
    let position = probability * (sorted.len() - 1) as f64;
    let low = position.floor() as usize;
    let fraction = position.fract();
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] + fraction * (sorted[high] - sorted[low])
}

/// The samples in increasing order.
pub(super) fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The median of samples in any order; NaN without samples.
pub fn median(samples: &[f64]) -> f64 {
    match samples {
        [] => f64::NAN,
        samples => quantile(&sorted(samples), 0.5),
    }
}

/// The lower quartile of the samples; `None` without any.
pub fn lower_quartile(samples: &[f64]) -> Option<f64> {
    (!samples.is_empty()).then(|| quantile(&sorted(samples), 0.25))
}

fn stddev(samples: &[f64], mean: f64) -> f64 {
    if samples.len() < 2 {
        return 0.0;
    }
    let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    (squares / (samples.len() - 1) as f64).sqrt()
}

/// Fewer samples than this show no pattern.
const MIN_SAMPLES: usize = 8;
/// Minimum distance of an outlier from the median, in units of the usual distance.
const OUTLIER_DISTANCES: f64 = 5.0;
/// Differences below this fraction of the median are not worth a word.
const WORTH_MENTIONING: f64 = 0.02;

/// All warnings about a series of samples in seconds, in the order of measuring.
pub fn sample_warnings(samples: &[f64]) -> Vec<String> {
    if samples.len() < MIN_SAMPLES {
        return Vec::new();
    }
    let sorted = sorted(samples);
    let found = [outliers(&sorted), slow_start(samples, &sorted), bimodal(&sorted), drift(samples)];
    found.into_iter().flatten().collect()
}

/// By the median of the distances from the median, which outliers don't affect.
fn outliers(sorted: &[f64]) -> Option<String> {
    let median = quantile(sorted, 0.5);
    let distances: Vec<_> = sorted.iter().map(|sample| (sample - median).abs()).collect();
    // 1.4826 makes it the standard deviation where samples are normal.
    let usual = 1.4826 * self::median(&distances);
    let limit = (OUTLIER_DISTANCES * usual).max(WORTH_MENTIONING * median);
    let mut far: Vec<_> = sorted.iter().filter(|it| (**it - median).abs() > limit).collect();
    far.sort_by(|a, b| (**a - median).abs().total_cmp(&(**b - median).abs()));
    let furthest = **far.last()? / median;
    Some(match far.len() {
        1 => format!("one outlier ({furthest:.2} × the median): other load?"),
        count => format!("{count} outliers (up to {furthest:.2} × the median): other load?"),
    })
}

/// A slow start, in spite of the warm-up.
fn slow_start(samples: &[f64], sorted: &[f64]) -> Option<String> {
    let first = samples[0];
    let slowest_other = samples[1..].iter().copied().fold(0.0, f64::max);
    let ratio = first / quantile(sorted, 0.5);
    (first > slowest_other && ratio > 1.1).then(|| {
        format!("the first sample took {ratio:.2} × the median: something was still warming up")
    })
}

/// Splits where two groups explain most of the variance. One normal group, split in the middle,
/// explains 64 %, a flat one 75 %.
fn bimodal(sorted: &[f64]) -> Option<String> {
    const EXPLAINED: f64 = 0.9;
    const SMALLEST_GROUP: f64 = 0.2;
    let n = sorted.len();
    let smallest = ((SMALLEST_GROUP * n as f64).ceil() as usize).max(2);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let squares = |part: &[f64]| {
        let mean = mean(part);
        part.iter().map(|x| (x - mean).powi(2)).sum::<f64>()
    };
    let within = |split: usize| squares(&sorted[..split]) + squares(&sorted[split..]);
    let best = (smallest..=n - smallest).min_by(|&a, &b| within(a).total_cmp(&within(b)))?;
    let fast = mean(&sorted[..best]);
    let slow = mean(&sorted[best..]);
    let explained = 1.0 - within(best) / squares(sorted);
    let apart = (slow - fast) / fast > WORTH_MENTIONING;
    (apart && explained > EXPLAINED).then(|| {
        let apart = slow / fast;
        format!("two groups of samples, {apart:.2} × apart: a changing clock or placement?")
    })
}

/// Compares the halves; noise alone seldom moves a median by two of the usual distances of its
/// samples.
fn drift(samples: &[f64]) -> Option<String> {
    let (early, late) = samples.split_at(samples.len() / 2);
    let spread = |half: &[f64]| {
        let half = sorted(half);
        let iqr = quantile(&half, 0.75) - quantile(&half, 0.25);
        (quantile(&half, 0.5), iqr)
    };
    let (early, early_iqr) = spread(early);
    let (late, late_iqr) = spread(late);
    let ratio = late / early;
    let clear = (late - early).abs() > early_iqr.max(late_iqr);
    let worth = (ratio - 1.0).abs() > WORTH_MENTIONING;
    (clear && worth).then(|| {
        format!(
            "drift, the second half took {ratio:.2} × the first: throttling, or load that came or \
             went?"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers() {
        let described = describe(&[4.0, 1.0, 3.0, 2.0]).expect("samples");
        assert_eq!((described.median, described.mean), (2.5, 2.5));
        assert_eq!((described.min, described.max), (1.0, 4.0));
        assert!((described.stddev - (5.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((described.p95 - 3.85).abs() < 1e-12);
    }

    #[test]
    fn one_sample_describes_itself_and_none_has_no_description() {
        let described = describe(&[2.0]).expect("a sample");
        assert_eq!((described.median, described.p99, described.stddev), (2.0, 2.0, 0.0));
        assert_eq!((describe(&[]), lower_quartile(&[])), (None, None));
        assert!(median(&[]).is_nan());
    }

    /// Samples around 1 with a little noise that causes no warning.
    fn quiet(n: usize) -> Vec<f64> {
        (0..n).map(|i| 1.0 + 0.001 * ((i * 7919 % 101) as f64 / 101.0 - 0.5)).collect()
    }

    #[test]
    fn quiet_samples_raise_no_warning() {
        for n in [3, 10, 30, 100] {
            assert_eq!(sample_warnings(&quiet(n)), [""; 0], "{n} samples");
        }
    }

    #[test]
    fn unusual_samples_raise_a_warning() {
        let changed = |change: fn(usize, f64) -> f64| {
            let samples = quiet(40).into_iter().enumerate();
            sample_warnings(&samples.map(|(i, sample)| change(i, sample)).collect::<Vec<_>>())
                .join("; ")
        };
        for (found, expected) in [
            (changed(|i, x| if i == 7 { 1.5 } else { x }), "one outlier (1.50 × the median)"),
            (
                changed(|i, x| if i == 7 || i == 19 { 1.5 } else { x }),
                "2 outliers (up to 1.50 × the median)",
            ),
            (changed(|i, x| if i == 0 { 1.3 } else { x }), "the first sample took 1.30 ×"),
            (changed(|i, x| if i * 13 % 40 < 16 { 1.1 * x } else { x }), "two groups"),
            (changed(|i, x| x + 0.004 * i as f64), "drift, the second half took 1.0"),
        ] {
            assert!(found.contains(expected), "{expected}: {found}");
        }
    }
}
