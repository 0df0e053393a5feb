//! Warnings about unusual series of samples, with a hint each.

use super::description::{self, quantile, sorted};

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
    let usual = 1.4826 * description::median(&distances);
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
