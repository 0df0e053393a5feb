//! Algorithms that compact the marked entries of a list: see the kernels.

mod scans;
#[cfg(test)]
mod tests;

use portable_gpu::{DeviceError, Gpu};

use super::batches::{Batch, most};
use super::context::{BatchContext, SAMPLES_OF_PEAK};
use crate::kernels::tpc_cluster_finder_scan::COMPACTED_TILE;
use scans::Scans;
use tasks::device::buffers;

const STAGE: &str = "compaction";
const TILE: usize = COMPACTED_TILE as usize;
/// Bytes of a position and its mark.
const MARKED: usize = 4 + 1;

/// Compaction algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompactionAlgorithm {
    /// No compaction: stages list marked entries themselves.
    AsFound,
    /// By sums of tiles, and sums of these, as published.
    Scans,
}

/// Compaction algorithm with its buffers.
pub(crate) enum Compaction {
    AsFound(()),
    Scans(Scans),
}

buffers!(enum Compaction: AsFound, Scans);

/// Input and output of a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Samples to raw peaks.
    Raw,
    /// Raw peaks to the remaining ones.
    Kept,
}

impl Target {
    /// Number of blocks for each job of a batch. Only the device knows the number of raw peaks.
    fn tiles(self, work: &BatchContext<'_>) -> usize {
        let samples = work.batch.samples;
        match self {
            Target::Raw => samples.div_ceil(TILE),
            Target::Kept => samples.div_ceil(SAMPLES_OF_PEAK * TILE),
        }
    }

    /// Lower bound of the traffic, as far as it is known.
    fn bytes(self, work: &BatchContext<'_>, of_sample: usize) -> u64 {
        match self {
            Target::Raw => (work.batch.jobs.len() * work.batch.samples * of_sample) as u64,
            Target::Kept => 0,
        }
    }
}

impl Compaction {
    /// Allocates buffers for any of these batches.
    pub(crate) fn new(
        gpu: &Gpu,
        algorithm: CompactionAlgorithm,
        batches: &[Batch],
    ) -> Result<Self, DeviceError> {
        let jobs = most(batches, |batch| batch.jobs.len());
        let samples = most(batches, |batch| batch.samples);
        Ok(match algorithm {
            CompactionAlgorithm::AsFound => Compaction::AsFound(()),
            CompactionAlgorithm::Scans => Compaction::Scans(Scans::new(gpu, jobs, samples)?),
        })
    }

    /// Lists the marked entries.
    pub(super) fn run(&self, work: &BatchContext<'_>, target: Target) -> Result<(), DeviceError> {
        work.gpu.scope(STAGE, || match self {
            Compaction::AsFound(()) => Ok(()),
            Compaction::Scans(scans) => scans.run(work, target),
        })
    }
}
