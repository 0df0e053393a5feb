//! Context that all stages of a batch share: the arguments of their kernels, and launches.

use portable_gpu::{Arguments, DeviceError, Gpu, Kernel, LaunchConfig, Ptr};

use super::batches::Batch;
use super::buckets::Buckets;
use super::input::Tables;
use super::lists::{Lists, peak_entries};
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::{Finding, Job};

/// Stage in which maps are cleared by the driver.
pub(super) const CLEAR: &str = "clear";
/// Launches use a thread for this number of samples, of which one is a peak at most; where there
/// are more, threads have several. Only the device knows the count, and the host need not wait for
/// it.
pub(super) const SAMPLES_OF_PEAK: usize = 8;

/// The samples in which clusters are found, from any source.
#[derive(Clone, Copy)]
pub(crate) struct Samples {
    /// A map for each job of a batch.
    pub(crate) charges: Ptr<u16>,
    /// Entries of each map.
    pub(crate) entries: usize,
    /// Positions of the jobs' charges.
    pub(crate) positions: Ptr<u32>,
}

/// Context that all stages of a batch share.
pub(crate) struct BatchContext<'w> {
    pub(crate) gpu: &'w Gpu,
    pub(crate) tables: &'w Tables,
    pub(crate) samples: Samples,
    pub(crate) jobs: Ptr<Job>,
    pub(crate) lists: &'w Lists,
    pub(crate) buckets: &'w Buckets,
    /// Destination of the index of each remaining peak's cluster; null if not needed.
    pub(crate) cluster_indices: Ptr<u32>,
    pub(crate) batch: &'w Batch,
}

impl BatchContext<'_> {
    /// Arguments of the kernels of all stages.
    pub(super) fn arguments(&self) -> Finding {
        let lists = self.lists;
        Finding {
            samples: Ptr::NONE,
            jobs: self.jobs,
            sectors: self.tables.settings.ptr(),
            noisy: self.tables.noisy.ptr(),
            pads_in_rows: self.tables.pads_in_rows.ptr(),
            positions: self.samples.positions,
            charges: self.samples.charges,
            peaks: lists.peaks.ptr(),
            marks: lists.predicate.ptr(),
            raw: lists.raw.ptr(),
            kept: lists.kept.ptr(),
            counts: lists.counts.ptr(),
            bucket_offsets: self.buckets.offsets(),
            bucket_counts: self.buckets.device_counts(),
            clusters: self.buckets.clusters(),
            cluster_indices: self.cluster_indices,
            first_job: self.batch.jobs.start as u32,
            blocks_of_job: 0,
            charge_entries: self.samples.entries as u32,
            peak_entries: peak_entries(self.batch.time_bins) as u32,
        }
    }

    /// Starts a kernel with a thread for each sample. Its traffic of maps depends on the distances
    /// between samples.
    ///
    /// # Safety
    /// As for [`Gpu::launch`].
    pub(super) unsafe fn on_samples(
        &self,
        kernel: &Kernel<Finding>,
        all: Finding,
    ) -> Result<(), DeviceError> {
        let blocks = self.batch.samples.div_ceil(kernel.threads() as usize);
        // SAFETY: the caller ensures that the arguments are valid for this batch.
        unsafe { self.launch(kernel, blocks, 0, with_blocks(all, blocks)) }
    }

    /// Starts a kernel whose threads iterate over lists of peaks.
    ///
    /// # Safety
    /// As for [`Gpu::launch`].
    pub(super) unsafe fn on_peaks(
        &self,
        kernel: &Kernel<Finding>,
        all: Finding,
    ) -> Result<(), DeviceError> {
        let peaks = self.batch.samples.div_ceil(SAMPLES_OF_PEAK);
        let blocks = peaks.div_ceil(kernel.threads() as usize);
        // SAFETY: the caller ensures that the arguments are valid for this batch.
        unsafe { self.launch(kernel, blocks, 0, with_blocks(all, blocks)) }
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
        arguments: A,
    ) -> Result<(), DeviceError> {
        let grid =
            LaunchConfig::blocks((self.batch.jobs.len() * blocks) as u32).with_traffic(bytes);
        // SAFETY: the caller ensures that the arguments are valid for this batch.
        unsafe { self.gpu.launch(kernel, grid, arguments) }
    }
}

/// Arguments of a kernel with `blocks` blocks for each job.
pub(super) fn with_blocks(all: Finding, blocks: usize) -> Finding {
    Finding { blocks_of_job: blocks as u32, ..all }
}
