//! The confidence interval of a median, by the bootstrap.
//!
//! The bootstrap draws samples from the samples, with replacement, and computes the variation of
//! their median. For the median this needs no random numbers: the m-th smallest of n draws is at
//! most the k-th smallest sample exactly if at least m draws hit one of the k smallest, which is a
//! binomial probability (Efron 1979; Maritz and Jarrett 1978). So the interval is that of
//! infinitely many resamples, the same each time.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock};

use serde::{Deserialize, Serialize};
use statrs::function::beta::beta_reg;

/// Tail probability on either side of a 95 % interval.
pub(super) const TAIL: f64 = 0.025;

/// Standard errors on either side of a 95 % interval, for many samples.
const NORMAL: f64 = 1.96;

/// Minimum number of samples of a 95 % interval: all of fewer samples are on the same side of the
/// median too often.
pub const MIN_SAMPLES: usize = 6;

/// The ends of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// The width as a fraction of `value`.
    pub fn relative_width(&self, value: f64) -> f64 {
        (self.high - self.low) / value
    }

    /// Interval of a value that is larger by this positive factor.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        Interval { low: factor * self.low, high: factor * self.high }
    }

    /// Standard error of the logarithm of the value in the interval, for many samples.
    pub fn standard_error(&self) -> f64 {
        (self.high / self.low).ln() / (2.0 * NORMAL)
    }
}

/// Coverage of the intervals.
const LEVEL: f64 = 0.95;

/// An interval and its coverage: the probability that it contains the true median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceInterval {
    /// The ends.
    pub interval: Interval,
    /// A probability: 0.95, or less for few samples.
    pub level: f64,
}

impl ConfidenceInterval {
    pub(super) fn with_full_level(interval: Interval) -> Self {
        ConfidenceInterval { interval, level: LEVEL }
    }

    /// From the smallest to the largest of few samples: it contains the true median unless all of
    /// them are on the same side of it. A single sample is both ends, with a coverage of 0. `None`
    /// without samples.
    pub(super) fn range_of_few(sorted: &[f64]) -> Option<Self> {
        let &low = sorted.first()?;
        let &high = sorted.last()?;
        let one_side = 0.5_f64.powi(sorted.len() as i32 - 1);
        Some(ConfidenceInterval { interval: Interval { low, high }, level: 1.0 - one_side })
    }
}

/// The 95 % confidence interval of the median; `None` for fewer than [`MIN_SAMPLES`] samples.
///
/// With an even number of samples the median is the mean of two of them; the interval then extends
/// from the lower end for the one to the upper end for the other.
pub(super) fn interval_of_sorted(sorted: &[f64]) -> Option<Interval> {
    let n = sorted.len();
    if n < MIN_SAMPLES {
        return None;
    }
    let lower_rank = n.div_ceil(2);
    Some(Interval {
        low: bootstrap_quantile(sorted, lower_rank, TAIL),
        high: bootstrap_quantile(sorted, n / 2 + 1, 1.0 - TAIL),
    })
}

/// The quantile of the bootstrap distribution of the `rank`-th smallest.
fn bootstrap_quantile(sorted: &[f64], rank: usize, probability: f64) -> f64 {
    let n = sorted.len();
    // The probability grows with k and is 1 for k = n.
    let reached = |k: usize| at_least(rank, n, k as f64 / n as f64) >= probability;
    sorted[first_of(1..n, reached) - 1]
}

/// The first number of a range for which `holds` is true, by bisection; the end of the range if
/// there is none.
pub(super) fn first_of(range: Range<usize>, holds: impl Fn(usize) -> bool) -> usize {
    let Range { start: mut low, end: mut high } = range;
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    high
}

/// Weights by the number of samples and the rank.
type KnownWeights = BTreeMap<(usize, usize), Arc<[f64]>>;

/// Probability of each of `n` samples to be the `rank`-th smallest of a resample.
///
/// The weights depend on these two numbers only, so thousands of points share them.
pub(super) fn bootstrap_weights(n: usize, rank: usize) -> Arc<[f64]> {
    static KNOWN: RwLock<KnownWeights> = RwLock::new(BTreeMap::new());
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(weights) = known.get(&(n, rank)) {
        return Arc::clone(weights);
    }
    drop(known);
    let reached: Vec<_> = (0..=n).map(|k| at_least(rank, n, k as f64 / n as f64)).collect();
    let weights: Arc<[f64]> = reached.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.insert((n, rank), Arc::clone(&weights));
    weights
}

/// The probability of at least `hits` hits in `n` draws.
fn at_least(hits: usize, n: usize, probability: f64) -> f64 {
    if hits == 0 {
        return 1.0;
    }
    beta_reg(hits as f64, (n - hits + 1) as f64, probability)
}

#[cfg(test)]
mod tests {
    use super::super::description::{median, sorted};
    use super::super::synthetic::Noise;
    use super::*;

    fn median_interval(samples: &[f64]) -> Option<Interval> {
        interval_of_sorted(&sorted(samples))
    }

    fn skewed(noise: &mut Noise, n: usize) -> Vec<f64> {
        (0..n).map(|_| 1.0 - noise.uniform().ln()).collect()
    }

    #[test]
    fn binomial_tails_are_known() {
        assert!((at_least(1, 2, 0.5) - 0.75).abs() < 1e-12);
        assert!((at_least(6, 11, 0.5) - 0.5).abs() < 1e-12);
        assert_eq!(at_least(3, 3, 1.0), 1.0);
    }

    #[test]
    fn it_agrees_with_resampling() {
        let mut noise = Noise::new(7);
        for n in [11, 12, 35] {
            let samples = skewed(&mut noise, n);
            let medians: Vec<_> = (0..20_000).map(|_| median(&noise.resampled(&samples))).collect();
            let medians = sorted(&medians);
            let exact = median_interval(&samples).expect("samples");
            let low = medians[500];
            let high = medians[19_500];
            // With an even number the exact one is a little wider.
            assert!(exact.low <= low * 1.0001 && exact.low > 0.9 * low, "{n}: {exact:?} {low}");
            assert!(exact.high >= high * 0.9999 && exact.high < 1.1 * high, "{n}: {exact:?}");
        }
    }

    #[test]
    fn it_has_its_coverage() {
        let mut noise = Noise::new(42);
        let truth = 1.0 + std::f64::consts::LN_2;
        for n in [10, 25, 60] {
            let covered = (0..2000).filter(|_| {
                let interval = median_interval(&skewed(&mut noise, n)).expect("samples");
                interval.low <= truth && truth <= interval.high
            });
            let share = covered.count() as f64 / 2000.0;
            assert!((0.93..0.99).contains(&share), "{n} samples: {share}");
        }
    }

    #[test]
    fn few_samples_have_no_interval() {
        assert_eq!(median_interval(&[1.0; MIN_SAMPLES - 1]), None);
        assert!(median_interval(&[1.0; MIN_SAMPLES]).is_some());
    }

    #[test]
    fn the_range_of_few_samples_has_its_exact_level() {
        let level = |n| ConfidenceInterval::range_of_few(&[1.0; 5][..n]).map(|found| found.level);
        assert_eq!(level(0), None);
        let levels = [1, 2, 3, 4, 5].map(|n| level(n).expect("samples"));
        assert_eq!(levels, [0.0, 0.5, 0.75, 0.875, 0.9375]);
        let found = ConfidenceInterval::range_of_few(&[1.0, 1.5, 4.0]).expect("samples");
        assert_eq!((found.interval.low, found.interval.high), (1.0, 4.0));
    }

    #[test]
    fn weights_of_many_samples_are_fast_and_add_up() {
        let weights = bootstrap_weights(200_000, 100_000);
        assert_eq!(weights.len(), 200_000);
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let mean: f64 = weights.iter().zip(1..).map(|(w, k)| w * f64::from(k)).sum();
        assert!((mean - 100_000.0).abs() < 2.0, "{mean}");
    }

    #[test]
    fn many_samples_do_not_underflow() {
        let samples: Vec<_> = (0..5000).map(f64::from).collect();
        let interval = median_interval(&samples).expect("samples");
        assert!((2420.0..2480.0).contains(&interval.low), "{interval:?}");
        assert!((2520.0..2580.0).contains(&interval.high), "{interval:?}");
    }
}
