//! Arguments of the stages of a batch, and launches of their kernels.

use super::batches::Batch;
use super::buckets::BucketPtrs;
use super::input::Tables;
use super::lists::{self, Lists};
use super::samples::Samples;
use crate::device::gpu::{Arguments, DeviceError, Gpu, Kernel, LaunchConfig, Ptr};
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::{Batch as KernelBatch, Job};

/// Stage in which maps are cleared by the driver.
pub(super) const CLEAR: &str = "clear";
/// Launches use a thread for this number of samples, of which one is a peak at most; where there
/// are more, threads have several. Only the device knows the count, and the host need not wait for
/// it.
pub(super) const SAMPLES_OF_PEAK: usize = 8;

/// Arguments that all stages of a batch share.
pub(crate) struct BatchContext<'w> {
    pub(crate) gpu: &'w Gpu,
    pub(crate) tables: &'w Tables,
    pub(crate) samples: Samples,
    pub(crate) jobs: Ptr<Job>,
    pub(crate) lists: &'w Lists,
    pub(crate) buckets: BucketPtrs,
    /// Destination of the index of each remaining peak's cluster; null if not needed.
    pub(crate) cluster_indices: Ptr<u32>,
    pub(crate) batch: &'w Batch,
}

impl BatchContext<'_> {
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
