//! The ratio of two medians with its interval.

use super::blocks::evidence_of;
use super::description::{quantile, sorted};
use super::estimate::RatioEstimate;
use super::evidence::{Evidence, MANY};
use super::interval::{
    ConfidenceInterval, Interval, MIN_SAMPLES, TAIL, bootstrap_weights, interval_of_sorted,
};

/// Weights below this change no digit of an interval that matters.
const NEGLIGIBLE: f64 = 1e-9;
/// Halvings of the interval that the quantile is sought in: to 1e-12 of it.
const HALVINGS: usize = 40;

impl RatioEstimate {
    /// The ratio of the medians of `new` and `base`, by their samples.
    pub fn from_series(base: &Series, new: &Series) -> Self {
        let interval = ratio_interval(base, new);
        RatioEstimate { ratio: new.median() / base.median(), interval }
    }
}

/// Samples of one point, prepared for comparing.
#[derive(Clone, Debug)]
pub struct Series {
    sorted: Vec<f64>,
    by_blocks: Option<Evidence>,
}

impl Series {
    /// Builds a series from samples in seconds, in the order of measuring, and the indices at which
    /// blocks start.
    pub fn new(samples: &[f64], block_starts: &[usize]) -> Self {
        let by_blocks = evidence_of(blocks(samples, block_starts));
        Series { sorted: sorted(samples), by_blocks }
    }

    /// Number of samples.
    pub fn samples(&self) -> usize {
        self.sorted.len()
    }

    /// The samples in increasing order.
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// The median; NaN without samples.
    pub fn median(&self) -> f64 {
        match self.sorted.as_slice() {
            [] => f64::NAN,
            sorted => quantile(sorted, 0.5),
        }
    }

    /// The 95 % interval of the median; `None` for too few samples.
    pub fn interval(&self) -> Option<Interval> {
        Some(widened(interval_of_sorted(&self.sorted)?, self.by_blocks))
    }

    /// The interval of the median with its level: of 95 % if there are enough
    /// samples, else from the smallest to the largest; `None` without samples.
    pub fn leveled_interval(&self) -> Option<ConfidenceInterval> {
        let of_many = self.interval().map(ConfidenceInterval::with_full_level);
        of_many.or_else(|| ConfidenceInterval::range_of_few(&self.sorted))
    }

    /// The median with its error, by the blocks if there are enough of them;
    /// `None` for too few samples, or for samples of no duration.
    pub fn estimate(&self) -> Option<Evidence> {
        let by_samples = || Some(self.interval()?.standard_error().powi(2));
        let variance = self.by_blocks.map(|found| found.variance).or_else(by_samples)?;
        let centre = self.median().ln();
        let df = self.by_blocks.map_or(MANY, Evidence::df);
        let is_known = centre.is_finite() && variance.is_finite();
        is_known.then_some(Evidence { centre, variance, df })
    }

    /// True if the variation between blocks of samples is known.
    pub fn has_blocks(&self) -> bool {
        self.by_blocks.is_some()
    }
}

/// The samples of each block.
pub fn blocks<'a>(samples: &'a [f64], starts: &'a [usize]) -> impl Iterator<Item = &'a [f64]> {
    let ends = starts.iter().skip(1).copied().chain([samples.len()]);
    starts.iter().zip(ends).map(|(&start, end)| &samples[start..end])
}

/// The 95 % interval of the ratio of the medians of `new` and `base`; `None` for too few samples,
/// or for samples of no duration.
///
/// By the bootstrap over samples, and widened by the scatter of the blocks of samples, where both
/// have blocks.
pub fn ratio_interval(base: &Series, new: &Series) -> Option<Interval> {
    let by_samples = bootstrap(&base.sorted, &new.sorted)?;
    Some(widened(by_samples, ratio_by_blocks(base, new)))
}

/// Degrees of freedom of [`ratio_interval`]: those of the blocks where both have some, otherwise
/// those of the side with fewer samples.
pub fn ratio_freedom(base: &Series, new: &Series) -> f64 {
    let by_samples = || base.samples().min(new.samples()).saturating_sub(1) as f64;
    ratio_by_blocks(base, new).map_or_else(by_samples, Evidence::df)
}

fn ratio_by_blocks(base: &Series, new: &Series) -> Option<Evidence> {
    Some(new.by_blocks?.over(base.by_blocks?))
}

/// The interval that contains both that over samples and that over blocks.
fn widened(by_samples: Interval, by_blocks: Option<Evidence>) -> Interval {
    let by_blocks = by_blocks.map_or(by_samples, Evidence::interval);
    Interval { low: by_samples.low.min(by_blocks.low), high: by_samples.high.max(by_blocks.high) }
}

/// The bootstrap distribution of either median is known (see
/// [`interval`](super::interval)), so that of their ratio is, too: no random
/// numbers are needed.
fn bootstrap(base: &[f64], new: &[f64]) -> Option<Interval> {
    let positive = |sorted: &[f64]| sorted.first().is_some_and(|&least| least > 0.0);
    if base.len().min(new.len()) < MIN_SAMPLES || !positive(base) || !positive(new) {
        return None;
    }
    let (base_low, base_high) = weighted_medians(base);
    let (new_low, new_high) = weighted_medians(new);
    Some(Interval {
        low: quantile_of_ratio(&new_low, &base_high, TAIL),
        high: quantile_of_ratio(&new_high, &base_low, 1.0 - TAIL),
    })
}

/// A value that a resampled median may have, with its probability.
type Weighted = (f64, f64);

/// The distributions of the lower and the upper median of an even number of samples; they are equal
/// for an odd number.
fn weighted_medians(sorted: &[f64]) -> (Vec<Weighted>, Vec<Weighted>) {
    let n = sorted.len();
    let weighted = |rank: usize| {
        let weights = bootstrap_weights(n, rank);
        let pairs = sorted.iter().copied().zip(weights.iter().copied());
        pairs.filter(|(_, weight)| *weight > NEGLIGIBLE).collect()
    };
    (weighted(n.div_ceil(2)), weighted(n / 2 + 1))
}

/// Quantile of the ratio at this probability.
fn quantile_of_ratio(over: &[Weighted], under: &[Weighted], probability: f64) -> f64 {
    let first = over[0].0;
    let last = over[over.len() - 1].0;
    let mut low = first / under[under.len() - 1].0;
    let mut high = last / under[0].0;
    for _ in 0..HALVINGS {
        let middle = low + (high - low) / 2.0;
        if share_below(over, under, middle) >= probability {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

/// The probability of `over / under ≤ ratio`. Both are sorted, so one pass does.
fn share_below(over: &[Weighted], under: &[Weighted], ratio: f64) -> f64 {
    let mut share = 0.0;
    let mut below = 0.0;
    let mut next = 0;
    for (value, weight) in under {
        while next < over.len() && over[next].0 <= ratio * value {
            below += over[next].1;
            next += 1;
        }
        share += weight * below;
    }
    share
}

#[cfg(test)]
mod tests {
    use super::super::description::median;
    use super::super::synthetic::Noise;
    use super::*;

    /// Samples around `middle` that spread by a few per cent.
    fn spread(n: usize, middle: f64) -> Vec<f64> {
        let step = |i: usize| (i * 7919 % n) as f64 / n as f64 - 0.5;
        (0..n).map(|i| middle * (1.0 + 0.04 * step(i))).collect()
    }

    fn interval(base: &[f64], new: &[f64]) -> Interval {
        ratio_interval(&Series::new(base, &[0]), &Series::new(new, &[0])).expect("enough samples")
    }

    #[test]
    fn it_holds_the_ratio_of_the_medians() {
        for (n, m) in [(10, 10), (25, 40), (101, 100)] {
            let found = interval(&spread(n, 2.0), &spread(m, 3.0));
            assert!(found.low < 1.5 && 1.5 < found.high, "{found:?}");
            assert!(found.relative_width(1.5) < 0.06, "{found:?}");
        }
    }

    #[test]
    fn exchanging_the_sides_turns_it_over() {
        let a = spread(30, 1.0);
        let b = spread(21, 1.3);
        let there = interval(&a, &b);
        let back = interval(&b, &a);
        assert!((there.low * back.high - 1.0).abs() < 1e-3, "{there:?} {back:?}");
        assert!((there.high * back.low - 1.0).abs() < 1e-3, "{there:?} {back:?}");
    }

    #[test]
    fn it_agrees_with_resampling() {
        let a = spread(15, 1.0);
        let b = spread(23, 1.1);
        let mut noise = Noise::new(1);
        let mut draw = |samples: &[f64]| median(&noise.resampled(samples));
        let ratios: Vec<_> = (0..20_000).map(|_| draw(&b) / draw(&a)).collect();
        let ratios = sorted(&ratios);
        let found = interval(&a, &b);
        assert!((found.low / ratios[500] - 1.0).abs() < 2e-3, "{found:?} {}", ratios[500]);
        assert!((found.high / ratios[19_500] - 1.0).abs() < 2e-3, "{found:?}");
    }

    #[test]
    fn blocks_that_differ_widen_it() {
        let shifted = |shifts: [f64; 4]| {
            let blocks = shifts.map(|shift| spread(10, shift));
            Series::new(&blocks.concat(), &[0, 10, 20, 30])
        };
        let alike = shifted([1.0; 4]);
        let unlike = shifted([1.0, 1.1, 0.95, 1.05]);
        let narrow = ratio_interval(&alike, &alike).expect("enough samples");
        let wide = ratio_interval(&alike, &unlike).expect("enough samples");
        assert!(narrow.relative_width(1.0) < 0.03, "{narrow:?}");
        assert!((3.0..4.0).contains(&ratio_freedom(&alike, &unlike)));
        assert_eq!(ratio_freedom(&Series::new(&[1.0; 7], &[0]), &unlike), 6.0);
        assert!(wide.relative_width(1.0) > 0.15, "{wide:?}");
    }

    #[test]
    fn an_estimate_knows_its_error() {
        let samples = spread(30, 2.0);
        let by_samples = Series::new(&samples, &[0]).estimate().expect("enough");
        let by_blocks = Series::new(&samples, &[0, 10, 20]).estimate().expect("enough");
        assert_eq!(by_samples.centre, by_blocks.centre);
        for estimate in [by_samples, by_blocks] {
            assert!((1e-6..1e-4).contains(&estimate.variance), "{estimate:?}");
        }
        assert_eq!(Series::new(&[1.0; 2], &[0]).estimate(), None);
        assert_eq!(Series::new(&[0.0; 10], &[0]).estimate(), None);
    }

    #[test]
    fn too_little_has_no_interval() {
        let few = Series::new(&[1.0; MIN_SAMPLES - 1], &[0]);
        let enough = Series::new(&[1.0; MIN_SAMPLES], &[0]);
        let nothing = Series::new(&[0.0; MIN_SAMPLES], &[0]);
        assert_eq!(ratio_interval(&few, &enough), None);
        assert_eq!(ratio_interval(&nothing, &enough), None);
        assert!(ratio_interval(&enough, &enough).is_some());
        assert!(few.median() == 1.0 && Series::new(&[], &[]).median().is_nan());
    }

    #[test]
    fn blocks_are_cut_at_their_starts() {
        let samples = [1.0, 2.0, 3.0, 4.0];
        let cut: Vec<_> = blocks(&samples, &[0, 3]).collect();
        assert_eq!(cut, [&samples[..3], &samples[3..]]);
        assert_eq!(blocks(&[], &[]).count(), 0);
    }
}
