//! What the stages of a batch leave for each other: maps, positions, peaks.

use super::batches::{Batch, Batches};
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu};
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::{Batch as KernelBatch, PeakCounts};
use crate::kernels::tpc_cluster_finder_cuda_finder_map_h as map;
use crate::tpc_decode::charge_map::{self, TIME_MARGIN, entries as charge_entries};

const _: () = {
    assert!(map::TILES_IN_ROW as usize == charge_map::TILES_IN_ROW);
    assert!(map::TILE_PADS as usize == charge_map::TILE_PADS);
    assert!(map::CHARGE_TILE_TIMES as usize == charge_map::TILE_TIMES);
    assert!(map::TIME_MARGIN == TIME_MARGIN);
};

/// Maps and lists for the jobs of a batch, each behind that of another.
pub(super) struct Lists {
    pub(super) charges: DeviceBuffer<u16>,
    pub(super) peaks: DeviceBuffer<u8>,
    pub(super) positions: DeviceBuffer<u32>,
    /// Of each position whether it is a peak, then of each peak whether it is kept.
    pub(super) predicate: DeviceBuffer<u8>,
    pub(super) raw: DeviceBuffer<u32>,
    pub(super) kept: DeviceBuffer<u32>,
    pub(super) counts: DeviceBuffer<PeakCounts>,
    /// Samples of a job that there is room for.
    room: usize,
}

buffers!(Lists: charges, peaks, positions, predicate, raw, kept, counts);

impl Lists {
    pub(super) fn new(gpu: &Gpu, batches: &Batches) -> Result<Self, DeviceError> {
        let jobs = batches.most(|batch| batch.jobs.len());
        let room = batches.most(|batch| batch.samples);
        let of_all = |entries: fn(u32) -> usize| {
            batches.most(|batch| batch.jobs.len() * entries(batch.time_bins))
        };
        Ok(Lists {
            charges: gpu.buffer(of_all(charge_entries))?,
            peaks: gpu.buffer(of_all(peak_entries))?,
            positions: gpu.buffer(jobs * room)?,
            predicate: gpu.buffer(jobs * room)?,
            raw: gpu.buffer(jobs * room)?,
            kept: gpu.buffer(jobs * room)?,
            counts: gpu.buffer(jobs)?,
            room,
        })
    }

    /// What kernels need to know of a batch, so many blocks of which have each job.
    pub(super) fn batch(&self, batch: &Batch, blocks_of_job: usize) -> KernelBatch {
        KernelBatch {
            first_job: batch.jobs.start as u32,
            blocks_of_job: blocks_of_job as u32,
            room: self.room as u32,
            charge_entries: charge_entries(batch.time_bins) as u32,
            peak_entries: peak_entries(batch.time_bins) as u32,
        }
    }

    /// No charges, no peaks.
    pub(super) fn clear(&self, gpu: &Gpu, batch: &Batch) -> Result<(), DeviceError> {
        let jobs = batch.jobs.len();
        gpu.fill_first(&self.charges, jobs * charge_entries(batch.time_bins), 0)?;
        gpu.fill_first(&self.peaks, jobs * peak_entries(batch.time_bins), 0)?;
        gpu.fill(&self.counts, 0)
    }
}

/// Entries of a map of peaks for so many time bins.
fn peak_entries(time_bins: u32) -> usize {
    let lines = (time_bins + 2 * TIME_MARGIN).next_multiple_of(map::PEAK_TILE_TIMES);
    lines as usize * map::COLUMNS as usize
}
