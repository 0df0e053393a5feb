//! Normal numbers and numbers after Landau's distribution, without a logarithm for each of them: the
//! inverse of a distribution is a table of straight lines.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use rand::Rng;
use rand::distr::Distribution;

const BIN_BITS: u32 = 12;
const BINS: usize = 1 << BIN_BITS;
const FRACTION_BITS: u32 = 32 - BIN_BITS;

/// The quantiles at the lower end of each bin, and at the end of the last.
struct InverseTable(Vec<f32>);

impl InverseTable {
    /// Computes the table, given the quantile of a probability; these ascend.
    fn new(mut quantile: impl FnMut(f64) -> f64) -> Self {
        InverseTable((0..=BINS).map(|bin| quantile(bin as f64 / BINS as f64) as f32).collect())
    }

    /// The number that belongs to 32 random bits.
    #[inline]
    fn value(&self, bits: u32) -> f32 {
        const FRACTION: f32 = 1.0 / (1 << FRACTION_BITS) as f32;
        let bin = (bits >> FRACTION_BITS) as usize;
        let fraction = (bits & ((1 << FRACTION_BITS) - 1)) as f32 * FRACTION;
        let low = self.0[bin];
        let high = self.0[bin + 1];
        low + (high - low) * fraction
    }
}

/// The normal distribution.
pub struct Normal(InverseTable);

impl Normal {
    /// No number is further from the mean.
    pub const LIMIT: f64 = 4.5;

    /// Computes the table.
    pub fn new() -> Self {
        Normal(InverseTable::new(quantile))
    }

    /// The standard normal deviate of 32 random bits.
    #[inline]
    pub fn deviate(&self, bits: u32) -> f32 {
        self.0.value(bits)
    }
}

impl Distribution<f32> for Normal {
    #[inline]
    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f32 {
        self.deviate(random.next_u32())
    }
}

impl Default for Normal {
    fn default() -> Self {
        Self::new()
    }
}

/// Probability of a standard normal number below `deviate`.
pub fn normal_below(deviate: f64) -> f64 {
    0.5 * libm::erfc(-deviate * FRAC_1_SQRT_2)
}

/// The number that others are below with this probability, by bisection.
fn quantile(probability: f64) -> f64 {
    let mut low = -Normal::LIMIT;
    let mut high = Normal::LIMIT;
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if normal_below(middle) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Points at which the distribution is integrated, denser where it is steep.
const POINTS: usize = 1000;
const FIRST_POINT: f64 = -3.8;
const GROWTH: f64 = 0.005;
/// Steps of the integral over the root of `u`, and how long they are.
const STEPS: usize = 750;
const STEP: f64 = 0.01;

/// Landau's distribution of energy losses, cut off at a maximum value: its mean would be infinite.
///
/// The parameter is that of Landau (1944): the most probable value is [`Landau::MPV`],
/// the width (full, at half the maximum) is about 4.02.
pub struct Landau(InverseTable);

impl Landau {
    /// The most probable value.
    pub const MPV: f32 = -0.222_78;

    /// Computes the table; values are `largest` (300 at most) at most.
    pub fn new(largest: f64) -> Self {
        let points: Vec<_> = (0..POINTS).map(point).collect();
        let above: Vec<_> = points.iter().map(|value| exceedance(*value)).collect();
        let mut end = 1;
        Landau(InverseTable::new(|probability| {
            let wanted = 1.0 - probability;
            while end < POINTS - 1 && above[end] > wanted {
                end += 1;
            }
            let high = above[end - 1];
            let low = above[end];
            let fraction = ((high - wanted) / (high - low)).clamp(0.0, 1.0);
            let value = points[end - 1] + (points[end] - points[end - 1]) * fraction;
            value.min(largest)
        }))
    }

    /// The number that belongs to 32 random bits.
    #[inline]
    pub fn value(&self, bits: u32) -> f32 {
        self.0.value(bits)
    }
}

impl Distribution<f32> for Landau {
    #[inline]
    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> f32 {
        self.value(random.next_u32())
    }
}

fn point(number: usize) -> f64 {
    FIRST_POINT + 3.0 * libm::expm1(GROWTH * number as f64)
}

/// Probability of a value above `value`: the integral of `exp(-u (ln u + value)) sin(pi u) / (pi
/// u)` over all positive `u`.
fn exceedance(value: f64) -> f64 {
    let term = |step: usize| {
        // Steps of the root are short where large values need it.
        let root = step as f64 * STEP;
        let u = root * root;
        2.0 * root * libm::exp(-u * (libm::log(u) + value)) * libm::sin(PI * u) / (PI * u)
    };
    let sum: f64 = (1..STEPS).map(term).sum();
    // The sum misses a sixth of a squared step, because the integrand starts like a square root at
    // 0.
    (STEP * sum + STEP * STEP / 6.0).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    #[test]
    fn moments_are_those_of_a_normal_distribution() {
        let normal = Normal::new();
        let mut stream = stream(1, [4]);
        let mut sums = [0.0_f64; 3];
        for _ in 0..1_000_000 {
            let deviate = f64::from(normal.sample(&mut stream));
            for (power, sum) in (1..).zip(&mut sums) {
                *sum += deviate.powi(power);
            }
        }
        let [mean, variance, skewness] = sums.map(|sum| sum / 1e6);
        assert!(mean.abs() < 0.005, "{mean}");
        assert!((variance - 1.0).abs() < 0.01, "{variance}");
        assert!(skewness.abs() < 0.02, "{skewness}");
    }

    #[test]
    fn shares_beyond_a_limit_are_right_up_to_the_tails() {
        let normal = Normal::new();
        for limit in [-3.0_f32, -1.0, 0.5, 2.0, 3.2] {
            let bits = (0..u32::MAX).step_by(4001).map(|bits| normal.deviate(bits));
            let share = bits.filter(|deviate| *deviate < limit).count() as f64;
            let share = share / (f64::from(u32::MAX) / 4001.0);
            let expected = normal_below(f64::from(limit));
            assert!((share - expected).abs() < 2e-4, "{limit}: {share}");
        }
    }

    #[test]
    fn the_distribution_is_landaus() {
        // Integrated with a step of a tenth; the last by its asymptotic form.
        let expected = [
            (-2.0, 0.014_094),
            (0.0, 0.286_833),
            (2.0, 0.575_528),
            (10.0, 0.882_939),
            (300.0, 0.996_607),
        ];
        for (value, below) in expected {
            let found = 1.0 - exceedance(value);
            assert!((found - below).abs() < 3e-6, "{value}: {found}");
        }
    }

    #[test]
    fn the_density_peaks_at_the_most_probable_value() {
        let density = |value: f64| exceedance(value - 0.01) - exceedance(value + 0.01);
        let peak = f64::from(Landau::MPV);
        assert!(density(peak) > density(peak - 0.1));
        assert!(density(peak) > density(peak + 0.1));
    }

    #[test]
    fn values_follow_the_distribution_up_to_the_largest() {
        let landau = Landau::new(100.0);
        let share_below = |limit: f32| {
            let values = (0..u32::MAX).step_by(4001).map(|bits| landau.value(bits));
            let below = values.filter(|value| *value < limit).count();
            below as f64 / (f64::from(u32::MAX) / 4001.0)
        };
        for limit in [-2.0_f32, -1.0, 0.0, 2.0, 10.0, 50.0] {
            let expected = 1.0 - exceedance(f64::from(limit));
            let found = share_below(limit);
            assert!((found - expected).abs() < 3e-4, "{limit}: {found}");
        }
        assert_eq!(landau.value(u32::MAX), 100.0);
    }
}
