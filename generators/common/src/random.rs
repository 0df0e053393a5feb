//! Reproducible random streams.
//!
//! Data are generated in chunks of a fixed size, and every chunk has its own stream, named by what
//! the chunk contains and not by the thread that generates it. Therefore the number of threads
//! can't change a byte. The generator (Xoshiro256++) and the logarithm (`libm`) are pinned, so the
//! machine can't either.

mod exponential;
mod inverse;

pub use exponential::Exponential;
pub use inverse::normal_below;
pub use inverse::{Landau, Normal};

use std::ops::Range;

use rand::distr::Distribution;
use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The random number generator of all data: Xoshiro256++ (Blackman, Vigna 2019).
pub type Stream = Xoshiro256PlusPlus;

/// The stream of one chunk: `seed` of the data set, `name` of the chunk
/// (such as segment and number).
pub fn stream<const N: usize>(seed: u64, name: [u64; N]) -> Stream {
    Stream::seed_from_u64(hash(seed, name))
}

/// A random number that depends on the seed and `name` only, for random access.
pub fn hash<const N: usize>(seed: u64, name: [u64; N]) -> u64 {
    name.into_iter().fold(mix(seed), |state, word| mix(state ^ mix(word)))
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014) with its increment.
#[inline]
pub fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Scales 32 random bits to `0..range` (Lemire 2019, without the rejection:
/// the bias is below `range / 2^32`).
#[inline]
pub fn below(bits: u32, range: u64) -> u64 {
    (u64::from(bits) * range) >> 32
}

/// Between 0 and 1, neither of them.
pub fn uniform(stream: &mut Stream) -> f64 {
    (f64::from(stream.next_u32()) + 0.5) / 4_294_967_296.0
}

/// Uniform in a range.
pub fn within(range: Range<f64>, stream: &mut Stream) -> f64 {
    range.start + (range.end - range.start) * uniform(stream)
}

/// A random number of a range, uniform on a logarithmic scale.
pub fn logarithmic(range: Range<f64>, stream: &mut Stream) -> f64 {
    range.start * libm::exp(libm::log(range.end / range.start) * uniform(stream))
}

/// A Poisson number with this mean: the number of gaps of mean 1 that fit into it.
pub fn poisson(mean: f64, gaps: &Exponential, stream: &mut Stream) -> usize {
    let limit = mean * f64::from(Exponential::MEAN);
    let mut elapsed = 0.0;
    for index in 0.. {
        elapsed += f64::from(gaps.sample(stream)) + 1.0;
        if elapsed > limit {
            return index;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_golden() {
        let mut stream = stream(1, [2, 3]);
        assert_eq!(stream.next_u64(), 1_061_077_329_242_429_918);
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn neighbouring_names_give_unlike_streams() {
        let first = stream(1, [2, 3]).next_u64();
        assert_ne!(first, stream(1, [3, 2]).next_u64());
        assert_ne!(first, stream(2, [2, 3]).next_u64());
        assert_ne!(first, stream(1, [2, 4]).next_u64());
    }

    #[test]
    fn scaled_bits_stay_in_range() {
        assert_eq!(below(u32::MAX, 10), 9);
        assert_eq!(below(0, 10), 0);
        assert_eq!(below(u32::MAX, 1 << 32), u64::from(u32::MAX));
    }

    #[test]
    fn poisson_numbers_have_their_mean() {
        let gaps = Exponential::new();
        let mut stream = stream(1, [9]);
        let sum: usize = (0..10_000).map(|_| poisson(3.0, &gaps, &mut stream)).sum();
        assert!((29_000..31_000).contains(&sum), "{sum}");
    }
}
