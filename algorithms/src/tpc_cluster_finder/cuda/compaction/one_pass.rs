//! In one pass over a list: by a counter in any order, or by decoupled look-back.

use super::{MARKED, TILE, Target};
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu};
use crate::kernels::tpc_cluster_finder_one_pass::{
    COMPACT_ATOMIC, COMPACT_LOOK_BACK, CompactAtomic, CompactLookBack,
};
use crate::tpc_cluster_finder::cuda::stages::Work;

/// What tiles tell each other, and which of them is the next, of each job.
pub(crate) struct LookBack {
    states: DeviceBuffer<u64>,
    tickets: DeviceBuffer<u32>,
}

buffers!(LookBack: states, tickets);

pub(super) fn in_any_order(work: &Work<'_>, target: Target) -> Result<(), DeviceError> {
    let (positions, compacted) = target.lists(work);
    let arguments = |batch| CompactAtomic {
        jobs: work.jobs,
        counts: work.lists.counts.ptr(),
        positions,
        marks: work.lists.predicate.ptr(),
        target: target.number(),
        compacted,
        batch,
    };
    let blocks = (target.tiles(work), target.bytes(work, MARKED));
    // SAFETY: there are no more marks than positions, and the counter was 0.
    unsafe { work.launch(&COMPACT_ATOMIC, blocks, arguments) }
}

impl LookBack {
    /// For so many jobs of so many samples.
    pub(super) fn new(gpu: &Gpu, jobs: usize, samples: usize) -> Result<Self, DeviceError> {
        let states = gpu.buffer(jobs * samples.div_ceil(TILE))?;
        Ok(LookBack { states, tickets: gpu.buffer(jobs)? })
    }

    pub(super) fn run(&self, work: &Work<'_>, target: Target) -> Result<(), DeviceError> {
        let (positions, compacted) = target.lists(work);
        // For as many tiles as there can be.
        let tiles = work.batch.samples.div_ceil(TILE);
        work.gpu.fill_first(&self.states, work.batch.jobs.len() * tiles, 0)?;
        work.gpu.fill(&self.tickets, 0)?;
        let arguments = |batch| CompactLookBack {
            jobs: work.jobs,
            counts: work.lists.counts.ptr(),
            positions,
            marks: work.lists.predicate.ptr(),
            target: target.number(),
            states: self.states.ptr(),
            states_of_job: tiles as u32,
            tickets: self.tickets.ptr(),
            compacted,
            batch,
        };
        let blocks = (target.tiles(work), target.bytes(work, MARKED));
        // SAFETY: there are no more marks than positions; each tile has a state.
        unsafe { work.launch(&COMPACT_LOOK_BACK, blocks, arguments) }
    }
}
