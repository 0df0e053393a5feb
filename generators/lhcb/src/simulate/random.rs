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

    /// About a standard normal number, within 3.5 of 0: a sum of four uniform ones, without table.
    #[inline]
    pub(super) fn nearly_normal(&mut self) -> f32 {
        /// The variance of the sum is a third of the squared range of one number.
        const SCALE: f32 = 1.732_050_8 / (1 << 16) as f32;
        let bits = self.stream.next_u64();
        let sum: u64 = [0, 16, 32, 48].iter().map(|shift| bits >> shift & 0xFFFF).sum();
        (sum as f32 - 2.0 * 65_535.0) * SCALE
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
