//! Lists that the stages of a batch exchange: peaks.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu};

use super::batches::{Batch, most};
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h as map;
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::PeakCounts;
use crate::tpc_decode::charge_map::{self, TIME_MARGIN};
use tasks::device::buffers;

const _: () = {
    assert!(map::TILES_IN_ROW as usize == charge_map::TILES_IN_ROW);
    assert!(map::TILE_PADS as usize == charge_map::TILE_PADS);
    assert!(map::CHARGE_TILE_TIMES as usize == charge_map::TILE_TIMES);
    assert!(map::TIME_MARGIN == TIME_MARGIN);
};

buffers! {
    /// Maps and lists for the jobs of a batch, one after the other.
    pub(crate) struct Lists(gpu, batches: &[Batch], positions: usize) {
        pub(super) peaks: DeviceBuffer<u8> =
            gpu.buffer(most(batches, |batch| batch.jobs.len() * peak_entries(batch.time_bins)))?,
        /// For each position, true if it is a peak; later for each peak, true if it survives noise
        /// suppression.
        pub(super) predicate: DeviceBuffer<u8> = gpu.buffer(positions)?,
        pub(super) raw: DeviceBuffer<u32> = gpu.buffer(positions)?,
        pub(super) kept: DeviceBuffer<u32> = gpu.buffer(positions)?,
        pub(super) counts: DeviceBuffer<PeakCounts> =
            gpu.buffer(most(batches, |batch| batch.jobs.len()))?,
    }
}

impl Lists {
    /// Clears the map of peaks.
    pub(super) fn clear(&self, gpu: &Gpu, batch: &Batch) -> Result<(), DeviceError> {
        gpu.fill_first(&self.peaks, batch.jobs.len() * peak_entries(batch.time_bins), 0)?;
        gpu.fill(&self.counts, 0)
    }
}

/// Entries of a map of peaks for `time_bins` time bins.
pub(super) fn peak_entries(time_bins: u32) -> usize {
    let lines = (time_bins + 2 * TIME_MARGIN).next_multiple_of(map::PEAK_TILE_TIMES);
    lines as usize * map::COLUMNS as usize
}
