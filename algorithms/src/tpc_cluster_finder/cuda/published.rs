//! The published stages: see the kernels. Their compaction algorithm is a parameter.

use super::compaction::CompactionAlgorithm;
use super::context::BatchContext;
use super::runner::find_on_gpu;
use super::stages::Stages;
use crate::algorithm::Variant;
use crate::device::gpu::DeviceError;
use crate::kernels::tpc_cluster_finder_clusters::CLUSTERIZE;
use crate::kernels::tpc_cluster_finder_noise::{SUPPRESS_NOISE, SuppressNoise};
use crate::kernels::tpc_cluster_finder_peaks::{FIND_PEAKS, FindPeaks};
use crate::kernels::tpc_cluster_finder_shares::DIVIDE_CHARGES;
use crate::tpc_cluster_finder::TpcClusterFinder;

pub(super) const PUBLISHED: Variant<TpcClusterFinder> = Variant::cuda(
    "published",
    "published: blocks load what is around their samples together; lists compacted by scans",
    |at| find_on_gpu(at, STAGES),
);

pub(crate) const STAGES: Stages = Stages {
    find_peaks,
    suppress_noise,
    divide: |work| work.divide(&DIVIDE_CHARGES),
    clusterize: |work| work.clusterize(&CLUSTERIZE),
    compaction: CompactionAlgorithm::Scans,
};

fn find_peaks(work: &BatchContext<'_>) -> Result<(), DeviceError> {
    let tables = work.tables;
    let lists = work.lists;
    let arguments = |batch| FindPeaks {
        jobs: work.jobs,
        sectors: tables.settings.ptr(),
        noisy: tables.noisy.ptr(),
        positions: work.samples.positions,
        charges: work.samples.charges,
        peaks: lists.peaks.ptr(),
        is_peak: lists.predicate.ptr(),
        batch,
    };
    // SAFETY: positions and the charges around them are in the maps, and each position has a mark.
    unsafe { work.on_samples(&FIND_PEAKS, arguments) }
}

fn suppress_noise(work: &BatchContext<'_>) -> Result<(), DeviceError> {
    let lists = work.lists;
    let arguments = |batch| SuppressNoise {
        jobs: work.jobs,
        sectors: work.tables.settings.ptr(),
        charges: work.samples.charges,
        peaks: lists.peaks.ptr(),
        raw: lists.raw.ptr(),
        counts: lists.counts.ptr(),
        is_kept: lists.predicate.ptr(),
        batch,
    };
    // SAFETY: peaks and the charges around them are in the maps, and each peak has a mark.
    unsafe { work.on_peaks(&SUPPRESS_NOISE, arguments) }
}
