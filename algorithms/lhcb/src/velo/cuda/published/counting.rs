//! Counts that a batch needs before hits are found.

use generators_lhcb::geometry::MODULE_PAIRS;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu};
use tasks::device::buffers;

use super::prefix_sum::HostPrefixSum;
use super::size::BatchSize;
use crate::kernels::velo_cuda_published_h::SENSORS;

buffers! {
    /// Counts and candidates.
    pub(super) struct Counting(gpu, size: BatchSize) {
        pub(super) limits: DeviceBuffer<u32> = gpu.buffer(size.events)?,
        pub(super) bank_of_sensor: DeviceBuffer<u8> = gpu.buffer(SENSORS as usize * size.events)?,
        pub(super) candidate_offsets: DeviceBuffer<u32> = gpu.buffer(size.events + 1)?,
        pub(super) candidates: DeviceBuffer<u32> = gpu.buffer(size.slots)?,
        pub(super) candidate_counts: DeviceBuffer<u32> = gpu.buffer(size.events)?,
        pub(super) estimates: DeviceBuffer<u32> = gpu.buffer(MODULE_PAIRS * size.events)?,
        pub(super) offsets: DeviceBuffer<u32> = gpu.buffer(MODULE_PAIRS * size.events + 1)?,
        sums: HostPrefixSum = HostPrefixSum::new(gpu, MODULE_PAIRS * size.events)?,
    }
}

impl Counting {
    /// Finds the first candidate of each event.
    pub(super) fn sum_candidates(&mut self, gpu: &Gpu, events: usize) -> Result<(), DeviceError> {
        self.sums.run(gpu, &self.limits, &self.candidate_offsets, events, 0).map(drop)
    }

    /// Finds the first hit of each pair of modules of the events, from the index `first` on; returns the
    /// index after the last one.
    pub(super) fn sum_estimates(
        &mut self,
        gpu: &Gpu,
        events: usize,
        first: u32,
    ) -> Result<u32, DeviceError> {
        self.sums.run(gpu, &self.estimates, &self.offsets, MODULE_PAIRS * events, first)
    }
}
