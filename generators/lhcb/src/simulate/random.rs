//! Random numbers of one event.

use std::sync::LazyLock;

use generators_common::random::{Exponential, Normal, Stream, below, poisson, stream};
use rand::Rng;
use rand::distr::Distribution;

use super::functions::exp;

/// Tables that all events share; computing them takes as long as some events.
#[derive(Default)]
struct Tables {
    normal: Normal,
    gaps: Exponential,
}

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::default);

/// Streams of an event, so that noise changes nothing else.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    /// Collisions, particles and pixels.
    Physics,
    /// Noise, and random clusters.
    Noise,
    /// Order of words, and wrong flags.
    Readout,
}

/// Distribution of numbers whose logarithm is normal.
#[derive(Clone, Copy)]
pub(super) struct LogNormal {
    /// Half of the numbers are below.
    pub median: f32,
    /// Width of the distribution of the logarithm.
    pub width: f32,
}

/// Random numbers of an event for a purpose.
pub(super) struct Random {
    stream: Stream,
    tables: &'static Tables,
}

/// Three random numbers between 0 and 1, without 1: of 21 bits each, for less time than others take.
#[derive(Clone, Copy, Default)]
pub(super) struct ThreeUniform(u64);

impl ThreeUniform {
    /// The largest numbers.
    pub(super) const ONES: ThreeUniform = ThreeUniform(u64::MAX);

    /// The first number.
    #[inline]
    pub(super) fn first(self) -> f32 {
        uniform_of_21(self.0)
    }

    /// The second number.
    #[inline]
    pub(super) fn second(self) -> f32 {
        uniform_of_21(self.0 >> 21)
    }

    /// The third number.
    #[inline]
    pub(super) fn third(self) -> f32 {
        uniform_of_21(self.0 >> 42)
    }
}

/// The number of the lowest 21 bits.
#[inline]
fn uniform_of_21(bits: u64) -> f32 {
    const END: i32 = 1 << 21;
    (bits as i32 & (END - 1)) as f32 * (1.0 / END as f32)
}

impl Random {
    /// The numbers of an event.
    pub(super) fn new(seed: u64, event: u64, purpose: Purpose) -> Self {
        Random { stream: stream(seed, [event, purpose as u64]), tables: &TABLES }
    }

    /// Between 0 and 1, without 1.
    #[inline]
    pub(super) fn uniform(&mut self) -> f32 {
        const SCALE: f32 = 1.0 / (1 << 24) as f32;
        (self.stream.next_u32() >> 8) as f32 * SCALE
    }

    /// Uniform between two values.
    #[inline]
    pub(super) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.uniform()
    }

    /// True with this probability.
    #[inline]
    pub(super) fn chance(&mut self, probability: f32) -> bool {
        self.uniform() < probability
    }

    /// A whole number below `end`.
    #[inline]
    pub(super) fn below(&mut self, end: usize) -> usize {
        below(self.stream.next_u32(), end as u64) as usize
    }

    /// A standard normal number.
    #[inline]
    pub(super) fn normal(&mut self) -> f32 {
        self.tables.normal.deviate(self.stream.next_u32())
    }

    /// Three numbers between 0 and 1.
    #[inline]
    pub(super) fn three_uniform(&mut self) -> ThreeUniform {
        ThreeUniform(self.stream.next_u64())
    }

    /// Two numbers that are about standard normal, within 3.5 of 0: each a sum of four bytes.
    #[inline]
    pub(super) fn two_nearly_normal(&mut self) -> [f32; 2] {
        const BYTES: u64 = 0x00FF_00FF_00FF_00FF;
        const SUMS: u64 = 0x0000_FFFF_0000_FFFF;
        const MEAN: f32 = 2.0 * 255.0;
        /// The variance of a byte is a twelfth of that of 256² - 1.
        const SCALE: f32 = 0.006_765_875;
        let bits = self.stream.next_u64();
        let pairs = (bits & BYTES) + (bits >> 8 & BYTES);
        let sums = (pairs & SUMS) + (pairs >> 16 & SUMS);
        [sums as i32, (sums >> 32) as i32].map(|sum| (sum as f32 - MEAN) * SCALE)
    }

    /// An exponential number of mean 1.
    #[inline]
    pub(super) fn exponential(&mut self) -> f32 {
        const SCALE: f32 = 1.0 / Exponential::MEAN as f32;
        self.tables.gaps.sample(&mut self.stream) as f32 * SCALE
    }

    /// A number whose logarithm is normal.
    #[inline]
    pub(super) fn log_normal(&mut self, LogNormal { median, width }: LogNormal) -> f32 {
        median * exp(width * self.normal())
    }

    /// A Poisson number of this mean.
    pub(super) fn poisson(&mut self, mean: f64) -> usize {
        poisson(mean, &self.tables.gaps, &mut self.stream)
    }

    /// Brings values in a random order.
    pub(super) fn shuffle<T>(&mut self, values: &mut [T]) {
        for end in (1..values.len()).rev() {
            let other = self.below(end + 1);
            values.swap(end, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: usize = 100_000;

    fn moments(values: impl Iterator<Item = f32>) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for value in values.map(f64::from) {
            sums[0] += value;
            sums[1] += value * value;
        }
        let mean = sums[0] / COUNT as f64;
        [mean, sums[1] / COUNT as f64 - mean * mean]
    }

    #[test]
    fn numbers_of_a_draw_have_their_mean_and_variance() {
        let mut random = Random::new(1, 2, Purpose::Physics);
        let normal: Vec<_> = (0..COUNT).map(|_| random.two_nearly_normal()).collect();
        let uniform: Vec<_> = (0..COUNT)
            .map(|_| random.three_uniform())
            .map(|numbers| [numbers.first(), numbers.second(), numbers.third()])
            .collect();
        for index in 0..2 {
            let [mean, variance] = moments(normal.iter().map(|numbers| numbers[index]));
            assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
        }
        let product = normal.iter().map(|[a, b]| a * b);
        assert!(moments(product)[0].abs() < 0.01);
        for index in 0..3 {
            let [mean, variance] = moments(uniform.iter().map(|numbers| numbers[index]));
            assert!((mean - 0.5).abs() < 0.005, "{mean}");
            assert!((variance - 1.0 / 12.0).abs() < 0.001, "{variance}");
        }
        assert!(uniform.iter().flatten().all(|number| (0.0..1.0).contains(number)));
    }
}
