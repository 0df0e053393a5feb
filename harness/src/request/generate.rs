//! What `bench generate` is asked for.

use std::path::PathBuf;

use super::AxisValues;

/// A time frame of the TPC to be written.
pub struct TimeFrameRequest {
    /// The axes with a value each.
    pub axes: AxisValues,
    /// A folder with the tables of the experiment's pad mapping; the regular one if
    /// not given.
    pub mapping: Option<PathBuf>,
    /// The seed.
    pub seed: u64,
    /// The file.
    pub out: PathBuf,
}

/// Simulated digis of the STS to be written.
pub struct SimulationRequest {
    /// The axes with a value each.
    pub axes: AxisValues,
    /// Whether truth is written beside the digis.
    pub truth: TruthFiles,
    /// The seed.
    pub seed: u64,
    /// The file.
    pub out: PathBuf,
}

/// What becomes of the truth of simulated digis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TruthFiles {
    /// It is written beside the digis.
    Written,
    /// It is not kept.
    Dropped,
}
