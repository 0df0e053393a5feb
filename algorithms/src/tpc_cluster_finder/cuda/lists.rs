//! Lists that the stages of a batch exchange: peaks.

use super::batches::{Batch, most};
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu};
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h as map;
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::PeakCounts;
use crate::tpc_decode::charge_map::{self, TIME_MARGIN};

const _: () = {
    assert!(map::TILES_IN_ROW as usize == charge_map::TILES_IN_ROW);
    assert!(map::TILE_PADS as usize == charge_map::TILE_PADS);
    assert!(map::CHARGE_TILE_TIMES as usize == charge_map::TILE_TIMES);
    assert!(map::TIME_MARGIN == TIME_MARGIN);
};

/// Maps and lists for the jobs of a batch, one after the other.
pub(crate) struct Lists {
    pub(super) peaks: DeviceBuffer<u8>,
    /// For each position, true if it is a peak; later for each peak, true if it survives noise
    /// suppression.
    pub(super) predicate: DeviceBuffer<u8>,
    pub(super) raw: DeviceBuffer<u32>,
    pub(super) kept: DeviceBuffer<u32>,
    pub(super) counts: DeviceBuffer<PeakCounts>,
}

buffers!(Lists: peaks, predicate, raw, kept, counts);

impl Lists {
    /// Allocates lists for any of these batches, with at most `positions` positions.
    pub(crate) fn new(gpu: &Gpu, batches: &[Batch], positions: usize) -> Result<Self, DeviceError> {
        let peaks = |batch: &Batch| batch.jobs.len() * peak_entries(batch.time_bins);
        Ok(Lists {
            peaks: gpu.buffer(most(batches, peaks))?,
            predicate: gpu.buffer(positions)?,
            raw: gpu.buffer(positions)?,
            kept: gpu.buffer(positions)?,
            counts: gpu.buffer(most(batches, |batch| batch.jobs.len()))?,
        })
    }

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
