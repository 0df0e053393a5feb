//! Simulated collisions that digis come from.

use generators_sts::physics::Truth;

/// The collision of each digi of a stream.
#[derive(Debug)]
pub(super) struct Collisions(Vec<u32>);

impl Collisions {
    /// Value of digis that are noise.
    pub(super) const NOISE: u32 = Truth::NOISE;

    /// Collisions of digis in the order of a stream.
    pub(super) fn new(of_digis: Vec<u32>) -> Self {
        Collisions(of_digis)
    }

    /// The collision of each digi.
    pub(super) fn of_digis(&self) -> &[u32] {
        &self.0
    }

    /// The collision that a digi of a simulation comes from.
    pub(super) fn of_digi(truth: &Truth, digi: usize) -> u32 {
        truth.crossing_of(digi).map_or(Self::NOISE, |crossing| crossing.collision)
    }
}
