//! Statistics of streams of events: rates over a window, and quantiles of times.

use statrs::function::beta::beta_reg;

use super::description::{quantile, sorted};
use super::estimate::RatioEstimate;
use super::evidence::t95;
use super::interval::{Interval, TAIL, first_of};

/// A figure with its 95 % interval, where there are enough values for one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// The interval.
    pub interval: Option<Interval>,
}

/// Mean of consecutive blocks of time, with Student's interval: the method of batch means (Law and
/// Kelton), valid as long as a block contains several events. `None` without blocks.
pub fn mean_of_blocks(blocks: &[f64]) -> Option<Estimate> {
    let count = blocks.len() as f64;
    let value = blocks.iter().sum::<f64>() / count;
    if blocks.is_empty() {
        return None;
    }
    if blocks.len() < 2 {
        return Some(Estimate { value, interval: None });
    }
    let squares = blocks.iter().map(|block| (block - value).powi(2)).sum::<f64>();
    let half = t95(count - 1.0) * (squares / (count - 1.0) / count).sqrt();
    Some(Estimate { value, interval: Some(Interval { low: value - half, high: value + half }) })
}

/// Ratio of two figures that were measured in the same blocks of time: the geometric mean of the
/// ratios of blocks, with Student's interval of their logarithms, in which drifts that a block shares
/// cancel. Pairs without a positive ratio are left out; `None` without any other.
pub fn ratio_of_blocks(pairs: impl IntoIterator<Item = (f64, f64)>) -> Option<RatioEstimate> {
    let logarithms = pairs.into_iter().map(|(over, under)| (over / under).ln());
    let logarithms: Vec<f64> = logarithms.filter(|value| value.is_finite()).collect();
    let Estimate { value, interval } = mean_of_blocks(&logarithms)?;
    let interval =
        interval.map(|Interval { low, high }| Interval { low: low.exp(), high: high.exp() });
    Some(RatioEstimate { ratio: value.exp(), interval })
}

/// A quantile of unsorted values, with the 95 % interval of order statistics, which holds for any
/// distribution. There is no interval if the values are too few to extend beyond the quantile on
/// both sides: for the 99th percentile below 368. `None` without values.
pub fn quantile_with_interval(values: &[f64], probability: f64) -> Option<Estimate> {
    let sorted = sorted(values);
    let n = sorted.len();
    if n == 0 {
        return None;
    }
    // Probability that at most k values are below the quantile.
    let at_most = |k: usize| if k >= n { 1.0 } else { at_most(k, n, probability) };
    let low = first_of(0..n, |k| at_most(k) > TAIL);
    let high = first_of(0..n, |k| at_most(k) >= 1.0 - TAIL) + 1;
    let interval =
        (low > 0 && high <= n).then(|| Interval { low: sorted[low - 1], high: sorted[high - 1] });
    Some(Estimate { value: quantile(&sorted, probability), interval })
}

/// Probability of at most `hits` hits in `n` draws; `hits` is below `n`.
fn at_most(hits: usize, n: usize, probability: f64) -> f64 {
    beta_reg((n - hits) as f64, hits as f64 + 1.0, 1.0 - probability)
}

#[cfg(test)]
mod tests {
    use super::super::synthetic::Noise;
    use super::*;

    #[test]
    fn blocks_that_agree_have_a_narrow_interval() {
        let found = mean_of_blocks(&[9.0, 10.0, 11.0, 10.0]).expect("blocks");
        let interval = found.interval.expect("several");
        assert_eq!(found.value, 10.0);
        // 3.182 standard errors of 0.408.
        assert!((interval.high - 11.299).abs() < 1e-3, "{interval:?}");
        assert_eq!(mean_of_blocks(&[]), None);
        assert_eq!(mean_of_blocks(&[3.0]), Some(Estimate { value: 3.0, interval: None }));
    }

    #[test]
    fn ratios_of_blocks_are_free_of_drifts_and_have_their_coverage() {
        let drifting = [(2.0, 1.0), (4.2, 2.1), (10.0, 5.0)];
        let found = ratio_of_blocks(drifting).expect("pairs");
        let interval = found.interval.expect("several");
        assert!((found.ratio - 2.0).abs() < 1e-12 && interval.relative_width(2.0) < 1e-12);
        let unusable = [(0.0, 1.0), (1.0, 0.0), (3.0, 2.0)];
        assert_eq!(ratio_of_blocks(unusable), Some(RatioEstimate::without_interval(1.5)));
        assert_eq!(ratio_of_blocks([]), None);
        let mut noise = Noise::new(11);
        let covered = (0..2000).filter(|_| {
            let pairs: Vec<_> = (0..5)
                .map(|_| {
                    let drift = 1.0 + noise.uniform();
                    (1.3 * drift * (0.05 * noise.normal()).exp(), drift)
                })
                .collect();
            let interval = ratio_of_blocks(pairs).expect("pairs").interval.expect("several");
            interval.low <= 1.3 && 1.3 <= interval.high
        });
        let share = covered.count() as f64 / 2000.0;
        assert!((0.935..0.965).contains(&share), "{share}");
    }

    #[test]
    fn intervals_of_quantiles_have_their_coverage() {
        let mut noise = Noise::new(5);
        for (probability, n) in [(0.5, 40), (0.99, 1000)] {
            let covered = (0..1000).filter(|_| {
                let values: Vec<f64> = (0..n).map(|_| noise.uniform()).collect();
                let found = quantile_with_interval(&values, probability).expect("values");
                let interval = found.interval.expect("enough");
                interval.low <= probability && probability <= interval.high
            });
            let share = covered.count() as f64 / 1000.0;
            assert!((0.93..0.995).contains(&share), "{probability}: {share}");
        }
    }

    #[test]
    fn few_values_have_no_interval_of_the_99th_percentile() {
        let values = |n: u32| -> Vec<f64> { (0..n).map(f64::from).collect() };
        let interval = |n| quantile_with_interval(&values(n), 0.99).expect("values").interval;
        assert_eq!((interval(10), interval(367)), (None, None));
        assert!(interval(368).is_some_and(|interval| interval.high == 367.0));
        assert_eq!(quantile_with_interval(&[], 0.5), None);
        assert_eq!(quantile_with_interval(&[2.0], 0.5).map(|found| found.value), Some(2.0));
    }
}
