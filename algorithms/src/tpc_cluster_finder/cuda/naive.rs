//! A thread for each sample or peak: see the kernels.

use super::compaction::CompactionAlgorithm;
use super::context::BatchContext;
use super::runner::find_on_gpu;
use super::stages::Stages;
use crate::algorithm::Variant;
use crate::device::gpu::DeviceError;
use crate::kernels::tpc_cluster_finder_naive::{
    CLUSTERIZE_EACH, DIVIDE_CHARGES_EACH, FIND_PEAKS_EACH, FindPeaksEach, SUPPRESS_NOISE_EACH,
    SuppressNoiseEach,
};
use crate::tpc_cluster_finder::TpcClusterFinder;

pub(super) const NAIVE: Variant<TpcClusterFinder> = Variant::cuda(
    "naive",
    "ours: a thread a sample or a peak for each stage, which reads the maps by itself",
    |at| find_on_gpu(at, STAGES),
);

pub(super) const STAGES: Stages = Stages {
    find_peaks,
    suppress_noise,
    divide: |work| work.divide(&DIVIDE_CHARGES_EACH),
    clusterize: |work| work.clusterize(&CLUSTERIZE_EACH),
    compaction: CompactionAlgorithm::AsFound,
};

fn find_peaks(work: &BatchContext<'_>) -> Result<(), DeviceError> {
    let tables = work.tables;
    let lists = work.lists;
    let arguments = |batch| FindPeaksEach {
        jobs: work.jobs,
        sectors: tables.settings.ptr(),
        noisy: tables.noisy.ptr(),
        positions: work.samples.positions,
        charges: work.samples.charges,
        peaks: lists.peaks.ptr(),
        raw: lists.raw.ptr(),
        counts: lists.counts.ptr(),
        batch,
    };
    // SAFETY: positions and the charges around them are in the maps, and the lists have capacity
    // for all of them.
    unsafe { work.on_samples(&FIND_PEAKS_EACH, arguments) }
}

fn suppress_noise(work: &BatchContext<'_>) -> Result<(), DeviceError> {
    let lists = work.lists;
    let arguments = |batch| SuppressNoiseEach {
        jobs: work.jobs,
        sectors: work.tables.settings.ptr(),
        charges: work.samples.charges,
        peaks: lists.peaks.ptr(),
        raw: lists.raw.ptr(),
        is_kept: lists.predicate.ptr(),
        kept: lists.kept.ptr(),
        counts: lists.counts.ptr(),
        batch,
    };
    // SAFETY: peaks and the charges around them are in the maps, and the lists have capacity for
    // all of them.
    unsafe { work.on_peaks(&SUPPRESS_NOISE_EACH, arguments) }
}
