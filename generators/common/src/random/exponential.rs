//! Exponentially distributed gaps, without a logarithm for each of them.

use rand::Rng;
use rand::distr::Distribution;

const BINS: usize = 1024;
/// From here on the distribution is too curved for a straight line in a bin.
const TAIL: usize = BINS - 16;
const FRACTION_BITS: u32 = 22;

/// The inverse of the exponential distribution, as a table of straight lines;
/// in the tail, where they would be off by more than 0.0005 of the mean, the
/// logarithm itself. Gaps are whole numbers, so that sums of them are exact.
pub struct Exponential {
    /// -ln(1 - k / BINS) times the mean at the lower end of each bin, and how much more it is at the
    /// upper end: read together.
    lines: [[u32; 2]; BINS],
}

impl Exponential {
    /// The mean gap.
    pub const MEAN: u32 = 1 << 24;

    /// Computes the table.
    pub fn new() -> Self {
        let knot = |k: usize| gap_of_survival(1.0 - k as f64 / BINS as f64);
        // The last bin has no upper end and is never used.
        let line = |k: usize| [knot(k), knot((k + 1).min(BINS - 1)) - knot(k)];
        Exponential { lines: std::array::from_fn(line) }
    }

    /// The gap that belongs to 32 random bits.
    #[inline]
    pub fn gap(&self, bits: u32) -> u32 {
        let bin = (bits >> FRACTION_BITS) as usize;
        if bin >= TAIL {
            return tail_gap(bits);
        }
        let fraction = u64::from(bits & ((1 << FRACTION_BITS) - 1));
        let [low, rise] = self.lines[bin];
        low + ((u64::from(rise) * fraction) >> FRACTION_BITS) as u32
    }
}

impl Distribution<u32> for Exponential {
    #[inline]
    fn sample<R: Rng + ?Sized>(&self, random: &mut R) -> u32 {
        self.gap(random.next_u32())
    }
}

impl Default for Exponential {
    fn default() -> Self {
        Self::new()
    }
}

#[cold]
fn tail_gap(bits: u32) -> u32 {
    gap_of_survival((f64::from(!bits) + 0.5) / 4_294_967_296.0)
}

/// The gap that is exceeded with this probability.
fn gap_of_survival(probability: f64) -> u32 {
    (-libm::log(probability) * f64::from(Exponential::MEAN)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_tail_follow_the_logarithm() {
        let table = Exponential::new();
        for step in 0..100_000_u32 {
            let bits = step * 42_949;
            let exact = -f64::ln(1.0 - (f64::from(bits) + 0.5) / 4_294_967_296.0);
            let gap = f64::from(table.gap(bits)) / f64::from(Exponential::MEAN);
            assert!((gap - exact).abs() < 6e-4, "{bits}: {gap} and {exact}");
        }
    }

    #[test]
    fn the_largest_gap_is_in_range() {
        let largest = Exponential::new().gap(u32::MAX) / Exponential::MEAN;
        assert_eq!(largest, 22);
    }
}
