//! Ours: a list of members for each component, a worker for each list.

use super::tracks::DeviceTracks;
use super::{Merger, components, merge_on_gpu};
use crate::algorithm::Variant;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Grid};
use crate::kernels::tpc_merge_buckets::{
    Counters, LARGE, MERGE_COUNT, MERGE_FILL, MERGE_PLACE, MERGE_RESOLVE, MergeCount, MergeFill,
    MergePlace, MergeResolve, SMALL,
};
use crate::kernels::tpc_merge_cuda_near_h::Component;
use crate::tpc_merge::TpcMerge;

/// Blocks on each multiprocessor: as many as run at a time.
const BLOCKS_EACH: u32 = 16;

pub(super) const BUCKETS: Variant<TpcMerge> = Variant::cuda(
    "buckets",
    "ours: components by their members, as many as fit near a warp, a lane a component",
    |at| {
        merge_on_gpu(at, i32::MAX as usize, |gpu, tracks| Ok(Box::new(Buckets::new(gpu, tracks)?)))
    },
);

struct Buckets {
    roots: DeviceBuffer<u32>,
    counts: DeviceBuffer<u32>,
    begins: DeviceBuffer<u32>,
    ranks: DeviceBuffer<u32>,
    members: DeviceBuffer<u32>,
    small: DeviceBuffer<Component>,
    large: DeviceBuffer<Component>,
    huge: DeviceBuffer<Component>,
    counters: DeviceBuffer<Counters>,
}

buffers!(Buckets: roots, counts, begins, ranks, members, small, large, huge, counters);

impl Buckets {
    fn new(gpu: &Gpu, tracks: usize) -> Result<Self, DeviceError> {
        let components_of = |members: u32| gpu.buffer(tracks / members as usize);
        Ok(Buckets {
            roots: gpu.buffer(tracks)?,
            counts: gpu.buffer(tracks)?,
            begins: gpu.buffer(tracks)?,
            ranks: gpu.buffer(tracks)?,
            members: gpu.buffer(tracks)?,
            small: components_of(2)?,
            large: components_of(SMALL + 1)?,
            huge: components_of(LARGE + 1)?,
            counters: gpu.buffer(1)?,
        })
    }

    fn bring_together(&self, gpu: &Gpu, all: &DeviceTracks) -> Result<(), DeviceError> {
        gpu.fill(&self.counts, 0)?;
        gpu.fill(&self.counters, 0)?;
        let (roots, counts, begins) = (self.roots.ptr(), self.counts.ptr(), self.begins.ptr());
        let (ranks, tracks) = (self.ranks.ptr(), all.count());
        let count = MergeCount { roots, counts, ranks, tracks };
        let place = MergePlace {
            counts,
            begins,
            small: self.small.ptr(),
            large: self.large.ptr(),
            huge: self.huge.ptr(),
            counters: self.counters.ptr(),
            tracks,
        };
        let fill = MergeFill { roots, begins, ranks, members: self.members.ptr(), tracks };
        let grid = |words| MERGE_COUNT.thread_each(tracks as usize).moving(all.words(words));
        // SAFETY: all arrays have a place for each slice track, and those of components as
        // many as there can be of so many members.
        unsafe {
            gpu.launch(&MERGE_COUNT, grid(4), count)?;
            gpu.launch(&MERGE_PLACE, grid(3), place)?;
            gpu.launch(&MERGE_FILL, grid(4), fill)
        }
    }
}

impl Merger for Buckets {
    fn find_components(&self, gpu: &Gpu, tracks: &DeviceTracks) -> Result<(), DeviceError> {
        components::find(gpu, tracks, &self.roots)?;
        gpu.scope("order", || self.bring_together(gpu, tracks))
    }

    fn resolve(&self, gpu: &Gpu, all: &DeviceTracks) -> Result<(), DeviceError> {
        let blocks = BLOCKS_EACH * gpu.properties().multiprocessors;
        let arguments = MergeResolve {
            tracks: all.tracks.ptr(),
            links: all.links.ptr(),
            relations: all.relations.ptr(),
            members: self.members.ptr(),
            small: self.small.ptr(),
            large: self.large.ptr(),
            huge: self.huge.ptr(),
            counters: self.counters.ptr(),
        };
        let grid = Grid::blocks(blocks).moving(all.words(14));
        // SAFETY: lists hold slice tracks, as links and relations do, and no two lists
        // are of one component.
        unsafe { gpu.launch(&MERGE_RESOLVE, grid, arguments) }
    }
}
