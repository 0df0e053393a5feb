//! What is odd about a series of samples, in words with a hint.

use std::fmt;

use super::description::quantile;

/// Something that a reader of the numbers should know.
#[derive(Clone, Debug, PartialEq)]
pub enum Oddity {
    /// Samples far from the others; they are kept.
    Outliers {
        /// How many.
        count: usize,
        /// The furthest one over the median.
        furthest: f64,
    },
    /// The first sample was slower than all others, in spite of the warm-up.
    SlowStart {
        /// The first sample over the median.
        ratio: f64,
    },
    /// The samples fall into two groups.
    Bimodal {
        /// The mean of the faster group in seconds.
        fast: f64,
        /// The mean of the slower group in seconds.
        slow: f64,
    },
    /// The second half of the samples is slower or faster than the first.
    Drift {
        /// The later median over the earlier one.
        ratio: f64,
    },
}

/// Fewer samples than this show no pattern.
const MIN_SAMPLES: usize = 8;
/// An outlier is further from the median than so many times the usual distance.
const OUTLIER_DISTANCES: f64 = 5.0;
/// Differences below this fraction of the median are not worth a word.
const WORTH_MENTIONING: f64 = 0.02;

/// All oddities of a series in the order of measuring, in seconds.
pub fn oddities(samples: &[f64]) -> Vec<Oddity> {
    if samples.len() < MIN_SAMPLES {
        return Vec::new();
    }
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let found = [outliers(&sorted), slow_start(samples, &sorted), bimodal(&sorted), drift(samples)];
    found.into_iter().flatten().collect()
}

/// By the median of the distances from the median, which outliers can't move.
fn outliers(sorted: &[f64]) -> Option<Oddity> {
    let median = quantile(sorted, 0.5);
    let mut distances: Vec<_> = sorted.iter().map(|sample| (sample - median).abs()).collect();
    distances.sort_by(f64::total_cmp);
    // 1.4826 makes it the standard deviation where samples are normal.
    let usual = 1.4826 * quantile(&distances, 0.5);
    let limit = (OUTLIER_DISTANCES * usual).max(WORTH_MENTIONING * median);
    let far = |sample: &&f64| (**sample - median).abs() > limit;
    let count = sorted.iter().filter(far).count();
    let furthest = sorted.iter().copied().filter(|sample| far(&sample));
    let furthest = furthest.max_by(|a, b| (a - median).abs().total_cmp(&(b - median).abs()))?;
    Some(Oddity::Outliers { count, furthest: furthest / median })
}

fn slow_start(samples: &[f64], sorted: &[f64]) -> Option<Oddity> {
    let first = samples[0];
    let slowest_other = samples[1..].iter().copied().fold(0.0, f64::max);
    let ratio = first / quantile(sorted, 0.5);
    (first > slowest_other && ratio > 1.1).then_some(Oddity::SlowStart { ratio })
}

/// Splits where two groups explain most of the variance. One normal group,
/// split in the middle, explains 64 %, a flat one 75 %.
fn bimodal(sorted: &[f64]) -> Option<Oddity> {
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
    let (fast, slow) = (mean(&sorted[..best]), mean(&sorted[best..]));
    let explained = 1.0 - within(best) / squares(sorted);
    let apart = (slow - fast) / fast > WORTH_MENTIONING;
    (apart && explained > EXPLAINED).then_some(Oddity::Bimodal { fast, slow })
}

/// Compares the halves; noise alone seldom moves a median by two of the usual
/// distances of its samples.
fn drift(samples: &[f64]) -> Option<Oddity> {
    let (early, late) = samples.split_at(samples.len() / 2);
    let spread = |half: &[f64]| {
        let mut half = half.to_vec();
        half.sort_by(f64::total_cmp);
        let iqr = quantile(&half, 0.75) - quantile(&half, 0.25);
        (quantile(&half, 0.5), iqr)
    };
    let ((early, early_iqr), (late, late_iqr)) = (spread(early), spread(late));
    let ratio = late / early;
    let clear = (late - early).abs() > early_iqr.max(late_iqr);
    let worth = (ratio - 1.0).abs() > WORTH_MENTIONING;
    (clear && worth).then_some(Oddity::Drift { ratio })
}

impl fmt::Display for Oddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Oddity::Outliers { count: 1, furthest } => {
                write!(f, "one outlier ({furthest:.2} × the median): other load?")
            }
            Oddity::Outliers { count, furthest } => {
                write!(f, "{count} outliers (up to {furthest:.2} × the median): other load?")
            }
            Oddity::SlowStart { ratio } => write!(
                f,
                "the first sample took {ratio:.2} × the median: something was still warming up"
            ),
            Oddity::Bimodal { fast, slow } => write!(
                f,
                "two groups of samples, {:.2} × apart: a changing clock or placement?",
                slow / fast
            ),
            Oddity::Drift { ratio } => write!(
                f,
                "drift, the second half took {ratio:.2} × the first: throttling, or load that came or went?"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples around 1 with a little noise that looks like none of the oddities.
    fn quiet(n: usize) -> Vec<f64> {
        (0..n).map(|i| 1.0 + 0.001 * ((i * 7919 % 101) as f64 / 101.0 - 0.5)).collect()
    }

    #[test]
    fn quiet_samples_raise_no_word() {
        for n in [3, 10, 30, 100] {
            assert_eq!(oddities(&quiet(n)), [], "{n} samples");
        }
    }

    #[test]
    fn outliers_are_counted() {
        let mut samples = quiet(30);
        samples[7] = 1.5;
        samples[19] = 1.2;
        let expected = Oddity::Outliers { count: 2, furthest: 1.5 };
        let found = oddities(&samples);
        assert!(matches!(&found[..], [Oddity::Outliers { count: 2, .. }]), "{found:?}");
        assert!(expected.to_string().contains("2 outliers (up to 1.50"));
    }

    #[test]
    fn a_slow_first_sample_is_told() {
        let mut samples = quiet(30);
        samples[0] = 1.3;
        let found = oddities(&samples);
        assert!(found.iter().any(|o| matches!(o, Oddity::SlowStart { .. })), "{found:?}");
    }

    #[test]
    fn two_groups_are_told() {
        let samples: Vec<_> = quiet(40)
            .into_iter()
            .enumerate()
            .map(|(i, sample)| if i * 13 % 40 < 16 { sample * 1.1 } else { sample })
            .collect();
        let found = oddities(&samples);
        assert!(found.iter().any(|o| matches!(o, Oddity::Bimodal { .. })), "{found:?}");
    }

    #[test]
    fn drift_is_told() {
        let samples: Vec<_> = quiet(40)
            .into_iter()
            .enumerate()
            .map(|(i, sample)| sample + 0.004 * i as f64)
            .collect();
        let found = oddities(&samples);
        assert!(found.iter().any(|o| matches!(o, Oddity::Drift { .. })), "{found:?}");
    }
}
