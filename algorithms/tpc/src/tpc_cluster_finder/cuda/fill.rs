//! Stores samples in maps of charges, and lists their positions: the first stage of all variants
//! with maps.

use generators_tpc::charges::Charge;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu};

use super::batches::{Batch, Batches, most};
use super::context::{BatchContext, CLEAR, Samples};
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::Finding;
use crate::kernels::tpc_cluster_finder_fill::FILL_CHARGES;
use crate::tpc_decode::charge_map::entries;
use tasks::device::buffers;

/// Buffers filled from the samples of a batch.
pub(super) struct Filled {
    pub(super) charges: DeviceBuffer<u16>,
    pub(super) positions: DeviceBuffer<u32>,
}

buffers!(Filled: charges, positions);

impl Filled {
    pub(super) fn new(gpu: &Gpu, batches: &Batches) -> Result<Self, DeviceError> {
        let of_all = |batch: &Batch| batch.jobs.len() * entries(batch.time_bins);
        Ok(Filled {
            charges: gpu.buffer(most(&batches.batches, of_all))?,
            positions: gpu.buffer(batches.positions)?,
        })
    }

    /// The samples of a batch.
    pub(super) fn samples(&self, batch: &Batch) -> Samples {
        Samples {
            charges: self.charges.ptr(),
            entries: entries(batch.time_bins),
            positions: self.positions.ptr(),
        }
    }

    /// Fills maps that are cleared.
    pub(super) fn fill(
        &self,
        work: &BatchContext<'_>,
        samples: &DeviceBuffer<Charge>,
    ) -> Result<(), DeviceError> {
        let gpu = work.gpu;
        let batch = work.batch;
        let entries = batch.jobs.len() * work.samples.entries;
        gpu.scope(CLEAR, || gpu.fill_first(&self.charges, entries, 0))?;
        let arguments = Finding { samples: samples.ptr(), ..work.arguments() };
        // SAFETY: the list has an entry for the position of each sample, and the map a cell for
        // each position.
        unsafe { work.on_samples(&FILL_CHARGES, arguments) }
    }
}
