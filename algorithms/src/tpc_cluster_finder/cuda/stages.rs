//! The stages of a batch, once its samples are in maps. All variants update maps in the same way.

use super::batches::Batch;
use super::buckets::BucketPtrs;
use super::compaction::{Compaction, CompactionAlgorithm, Target};
use super::fill::Samples;
use super::input::Tables;
use super::lists::{self, Lists};
use crate::device::gpu::{Arguments, DeviceError, Gpu, Kernel, LaunchConfig, Ptr};
use crate::kernels::tpc_cluster_finder_clusters::Clusterize;
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::{Batch as KernelBatch, Job};
use crate::kernels::tpc_cluster_finder_shares::DivideCharges;
use crate::kernels::tpc_cluster_finder_update::{UPDATE_PEAKS, UpdatePeaks};

/// Stage in which maps are cleared by the driver.
pub(super) const CLEAR: &str = "clear";
/// Launches use a thread for this number of samples, of which one is a peak at most; where there
/// are more, threads have several. Only the device knows the count, and the host need not wait for
/// it.
pub(super) const SAMPLES_OF_PEAK: usize = 8;

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

/// Arguments that all stages of a batch share.
pub(crate) struct BatchContext<'w> {
    pub(crate) gpu: &'w Gpu,
    pub(crate) tables: &'w Tables,
    pub(crate) samples: Samples,
    pub(crate) jobs: Ptr<Job>,
    pub(crate) lists: &'w Lists,
    pub(crate) compaction: &'w Compaction,
    pub(crate) buckets: BucketPtrs,
    /// Destination of the index of each remaining peak's cluster; null if not needed.
    pub(crate) cluster_indices: Ptr<u32>,
    pub(crate) batch: &'w Batch,
}

impl BatchContext<'_> {
    /// Finds the clusters of a batch whose maps are filled.
    pub(crate) fn find(&self, stages: &Stages) -> Result<(), DeviceError> {
        self.gpu.scope(CLEAR, || self.lists.clear(self.gpu, self.batch))?;
        (stages.find_peaks)(self)?;
        self.compaction.run(self, Target::Raw)?;
        (stages.suppress_noise)(self)?;
        self.update()?;
        self.compaction.run(self, Target::Kept)?;
        (stages.divide)(self)?;
        (stages.clusterize)(self)
    }

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

    /// Starts a kernel with a thread for each sample. Its traffic of maps depends on the distances
    /// between samples.
    ///
    /// # Safety
    /// As for [`Gpu::launch`].
    pub(super) unsafe fn on_samples<A: Arguments>(
        &self,
        kernel: &Kernel<A>,
        arguments: impl FnOnce(KernelBatch) -> A,
    ) -> Result<(), DeviceError> {
        let blocks = self.batch.samples.div_ceil(kernel.threads() as usize);
        // SAFETY: the caller ensures that the arguments are valid for this batch.
        unsafe { self.launch(kernel, blocks, 0, arguments) }
    }

    /// Starts a kernel whose threads iterate over lists of peaks.
    ///
    /// # Safety
    /// As for [`Gpu::launch`].
    pub(super) unsafe fn on_peaks<A: Arguments>(
        &self,
        kernel: &Kernel<A>,
        arguments: impl FnOnce(KernelBatch) -> A,
    ) -> Result<(), DeviceError> {
        let peaks = self.batch.samples.div_ceil(SAMPLES_OF_PEAK);
        let blocks = peaks.div_ceil(kernel.threads() as usize);
        // SAFETY: the caller ensures that the arguments are valid for this batch.
        unsafe { self.launch(kernel, blocks, 0, arguments) }
    }

    /// Starts a kernel with `blocks` blocks for each job, and a traffic of `bytes` bytes.
    ///
    /// # Safety
    /// As for [`Gpu::launch`].
    pub(super) unsafe fn launch<A: Arguments>(
        &self,
        kernel: &Kernel<A>,
        blocks: usize,
        bytes: u64,
        arguments: impl FnOnce(KernelBatch) -> A,
    ) -> Result<(), DeviceError> {
        let batch = lists::of_kernels(self.batch, self.samples, blocks);
        let grid =
            LaunchConfig::blocks((self.batch.jobs.len() * blocks) as u32).with_traffic(bytes);
        // SAFETY: the caller ensures that the arguments are valid for this batch.
        unsafe { self.gpu.launch(kernel, grid, arguments(batch)) }
    }
}
