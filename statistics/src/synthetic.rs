//! Reproducible synthetic noise for tests of statistics.

/// A source of random numbers.
#[derive(Debug)]
pub struct Noise(u64);

impl Noise {
    /// The source of a seed.
    pub fn new(seed: u64) -> Self {
        Noise(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    /// Evenly between 0 and 1, without either (SplitMix64).
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        ((bits >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// A number of mean 0 and variance 1 (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// With tails as heavy as those of Student's t for 3 degrees of freedom.
    pub fn heavy(&mut self) -> f64 {
        self.student(3)
    }

    /// Student's t.
    pub fn student(&mut self, df: u32) -> f64 {
        let squares: f64 = (0..df).map(|_| self.normal().powi(2)).sum();
        self.normal() / (squares / f64::from(df)).sqrt()
    }

    /// Draws `samples.len()` samples from these, with replacement.
    pub fn resampled(&mut self, samples: &[f64]) -> Vec<f64> {
        let count = samples.len();
        (0..count).map(|_| samples[(self.uniform() * count as f64) as usize]).collect()
    }
}
