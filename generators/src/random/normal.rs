//! Normally distributed numbers, without a logarithm for each of them.

use std::f64::consts::FRAC_1_SQRT_2;

use rand::Rng;
use rand::distr::Distribution;

const BIN_BITS: u32 = 12;
const BINS: usize = 1 << BIN_BITS;
const FRACTION_BITS: u32 = 32 - BIN_BITS;

/// The inverse of the normal distribution, as a table of straight lines.
pub struct Normal {
    /// The quantiles at the lower end of each bin, and at the end of the last.
    knots: Vec<f32>,
}

impl Normal {
    /// No number is further from the mean.
    pub const LIMIT: f64 = 4.5;

    /// Computes the table.
    pub fn new() -> Self {
        let knot = |k: usize| quantile(k as f64 / BINS as f64) as f32;
        Normal { knots: (0..=BINS).map(knot).collect() }
    }

    /// The standard normal deviate of 32 random bits.
    #[inline]
    pub fn deviate(&self, bits: u32) -> f32 {
        const FRACTION: f32 = 1.0 / (1 << FRACTION_BITS) as f32;
        let bin = (bits >> FRACTION_BITS) as usize;
        let fraction = (bits & ((1 << FRACTION_BITS) - 1)) as f32 * FRACTION;
        let low = self.knots[bin];
        let high = self.knots[bin + 1];
        low + (high - low) * fraction
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
pub(crate) fn normal_below(deviate: f64) -> f64 {
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
}
