//! The stages of a batch, once its samples are in maps. All variants update these alike.

use super::batches::Batch;
use super::buckets::BucketPtrs;
use super::compaction::{Compaction, CompactionWay, Target};
use super::fill::Samples;
use super::input::Tables;
use super::lists::{self, Lists};
use crate::device::gpu::{Arguments, DeviceError, Gpu, Grid, Kernel, Ptr};
use crate::kernels::tpc_cluster_finder_clusters::Clusterize;
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::{Batch as KernelBatch, Job};
use crate::kernels::tpc_cluster_finder_shares::DivideCharges;
use crate::kernels::tpc_cluster_finder_update::{UPDATE_PEAKS, UpdatePeaks};

/// Maps are cleared by the driver.
pub(super) const CLEAR: &str = "clear";
/// One sample in so many is a peak, or fewer are; where there are more, threads have several.
/// Only the device knows how many there are, and the host need not wait for it.
pub(super) const SAMPLES_OF_PEAK: usize = 8;

/// A stage on a batch.
type Stage = fn(&Work<'_>) -> Result<(), DeviceError>;

/// What variants do in their own way.
pub(crate) struct Stages {
    /// Marks or lists the samples that are peaks, and notes them in the map.
    pub(super) find_peaks: Stage,
    /// Marks the peaks that are kept, and may list them.
    pub(super) suppress_noise: Stage,
    /// Divides charges that several peaks claim.
    pub(super) divide: Stage,
    /// Finds the clusters of the peaks that are kept.
    pub(super) clusterize: Stage,
    /// What is only marked is listed so.
    pub(crate) compaction: CompactionWay,
}

/// What all stages of a batch know.
pub(crate) struct Work<'w> {
    pub(crate) gpu: &'w Gpu,
    pub(crate) tables: &'w Tables,
    pub(crate) samples: Samples,
    pub(crate) jobs: Ptr<Job>,
    pub(crate) lists: &'w Lists,
    pub(crate) compaction: &'w Compaction,
    pub(crate) buckets: BucketPtrs,
    /// Where the place of the cluster of each kept peak goes; none if nobody asks for it.
    pub(crate) places: Ptr<u32>,
    pub(crate) batch: &'w Batch,
}

impl Work<'_> {
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
        // SAFETY: peaks are in the map, and were marked.
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
        // SAFETY: positions are in the maps, with what is around them.
        unsafe { self.on_samples(kernel, arguments) }
    }

    /// Finds clusters by a kernel whose threads go over the peaks that are kept.
    pub(super) fn clusterize(&self, kernel: &Kernel<Clusterize>) -> Result<(), DeviceError> {
        let (tables, lists, buckets) = (self.tables, self.lists, self.buckets);
        let arguments = |batch| Clusterize {
            jobs: self.jobs,
            sectors: tables.settings.ptr(),
            pads_in_rows: tables.pads_in_rows.ptr(),
            charges: self.samples.charges,
            kept: lists.kept.ptr(),
            counts: lists.counts.ptr(),
            begins: buckets.begins,
            bucket_counts: buckets.counts,
            clusters: buckets.clusters,
            places: self.places,
            batch,
        };
        // SAFETY: peaks are in the maps, with what is around them; there is a bucket for each row of
        // each sector, and a place for each peak where places are asked for.
        unsafe { self.on_peaks(kernel, arguments) }
    }

    /// Starts a kernel with a thread for each sample. What it reads and writes of the maps depends on
    /// how near samples are to each other.
    ///
    /// # Safety
    /// As for [`Gpu::launch`].
    pub(super) unsafe fn on_samples<A: Arguments>(
        &self,
        kernel: &Kernel<A>,
        arguments: impl FnOnce(KernelBatch) -> A,
    ) -> Result<(), DeviceError> {
        let blocks = self.batch.samples.div_ceil(kernel.threads() as usize);
        // SAFETY: as the caller says.
        unsafe { self.launch(kernel, (blocks, 0), arguments) }
    }

    /// Starts a kernel whose threads go over lists of peaks.
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
        // SAFETY: as the caller says.
        unsafe { self.launch(kernel, (blocks, 0), arguments) }
    }

    /// Starts a kernel with so many blocks for each job.
    ///
    /// # Safety
    /// As for [`Gpu::launch`].
    pub(super) unsafe fn launch<A: Arguments>(
        &self,
        kernel: &Kernel<A>,
        (blocks, bytes): (usize, u64),
        arguments: impl FnOnce(KernelBatch) -> A,
    ) -> Result<(), DeviceError> {
        let batch = lists::of_kernels(self.batch, self.samples, blocks);
        let grid = Grid::blocks((self.batch.jobs.len() * blocks) as u32).moving(bytes);
        // SAFETY: as the caller says.
        unsafe { self.gpu.launch(kernel, grid, arguments(batch)) }
    }
}
