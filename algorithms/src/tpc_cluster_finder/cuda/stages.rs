//! The stages of a batch, once its samples are in maps. All variants update maps in the same way.

use super::compaction::{Compaction, CompactionAlgorithm, Target};
use super::context::{BatchContext, CLEAR};
use crate::device::gpu::{DeviceError, Kernel};
use crate::kernels::tpc_cluster_finder_clusters::Clusterize;
use crate::kernels::tpc_cluster_finder_shares::DivideCharges;
use crate::kernels::tpc_cluster_finder_update::{UPDATE_PEAKS, UpdatePeaks};

/// A stage of a batch.
type Stage = fn(&BatchContext<'_>) -> Result<(), DeviceError>;

/// Stages that differ between variants.
pub(crate) struct Stages {
    /// Marks or lists the samples that are peaks, and sets their flags in the map.
    pub(super) find_peaks: Stage,
    /// Marks the peaks that are not suppressed, and may list them.
    pub(super) suppress_noise: Stage,
    /// Divides charges that several peaks claim.
    pub(super) divide: Stage,
    /// Finds the clusters of the remaining peaks.
    pub(super) clusterize: Stage,
    /// Algorithm that lists marked peaks.
    pub(crate) compaction: CompactionAlgorithm,
}

impl Stages {
    /// Finds the clusters of a batch whose maps are filled.
    pub(crate) fn find(
        &self,
        work: &BatchContext<'_>,
        compaction: &Compaction,
    ) -> Result<(), DeviceError> {
        work.gpu.scope(CLEAR, || work.lists.clear(work.gpu, work.batch))?;
        (self.find_peaks)(work)?;
        compaction.run(work, Target::Raw)?;
        (self.suppress_noise)(work)?;
        work.update()?;
        compaction.run(work, Target::Kept)?;
        (self.divide)(work)?;
        (self.clusterize)(work)
    }
}

impl BatchContext<'_> {
    fn update(&self) -> Result<(), DeviceError> {
        let lists = self.lists;
        let arguments = |batch| UpdatePeaks {
            jobs: self.jobs,
            raw: lists.raw.ptr(),
            counts: lists.counts.ptr(),
            is_kept: lists.predicate.ptr(),
            peaks: lists.peaks.ptr(),
            batch,
        };
        // SAFETY: peaks are in the map, and have marks.
        unsafe { self.on_peaks(&UPDATE_PEAKS, arguments) }
    }

    /// Divides charges by a kernel with a thread for each sample.
    pub(super) fn divide(&self, kernel: &Kernel<DivideCharges>) -> Result<(), DeviceError> {
        let arguments = |batch| DivideCharges {
            jobs: self.jobs,
            positions: self.samples.positions,
            charges: self.samples.charges,
            peaks: self.lists.peaks.ptr(),
            batch,
        };
        // SAFETY: positions and the charges around them are in the maps.
        unsafe { self.on_samples(kernel, arguments) }
    }

    /// Finds clusters by a kernel whose threads iterate over the remaining peaks.
    pub(super) fn clusterize(&self, kernel: &Kernel<Clusterize>) -> Result<(), DeviceError> {
        let tables = self.tables;
        let lists = self.lists;
        let buckets = self.buckets;
        let arguments = |batch| Clusterize {
            jobs: self.jobs,
            sectors: tables.settings.ptr(),
            pads_in_rows: tables.pads_in_rows.ptr(),
            charges: self.samples.charges,
            kept: lists.kept.ptr(),
            counts: lists.counts.ptr(),
            bucket_offsets: buckets.offsets,
            bucket_counts: buckets.counts,
            clusters: buckets.clusters,
            cluster_indices: self.cluster_indices,
            batch,
        };
        // SAFETY: peaks and the charges around them are in the maps; there is a bucket for each row
        // of each sector, and `cluster_indices`, unless null, has an entry for each peak.
        unsafe { self.on_peaks(kernel, arguments) }
    }
}
