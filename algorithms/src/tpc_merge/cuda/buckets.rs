//! Ours: a list of links for each component, a worker for each list.

use super::tracks::DeviceTracks;
use super::{Merger, components, merge_on_gpu};
use crate::algorithm::Variant;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Grid};
use crate::kernels::tpc_merge_buckets::{
    Counters, LARGE, MERGE_COUNT, MERGE_FILL, MERGE_PLACE, MERGE_RESOLVE, MergeCount, MergeFill,
    MergePlace, MergeResolve,
};
use crate::tpc_merge::TpcMerge;

/// Blocks on each multiprocessor: as many as run at a time.
const BLOCKS_EACH: u32 = 8;

pub(super) const BUCKETS: Variant<TpcMerge> = Variant::cuda(
    "buckets",
    "ours: links in a list a component, a thread a list, a block a large one, those first",
    |at| {
        merge_on_gpu(at, i32::MAX as usize, |gpu, tracks| Ok(Box::new(Buckets::new(gpu, tracks)?)))
    },
);

struct Buckets {
    roots: DeviceBuffer<u32>,
    counts: DeviceBuffer<u32>,
    begins: DeviceBuffer<u32>,
    ranks: DeviceBuffer<u32>,
    list: DeviceBuffer<u32>,
    small: DeviceBuffer<u32>,
    large: DeviceBuffer<u32>,
    counters: DeviceBuffer<Counters>,
}

buffers!(Buckets: roots, counts, begins, ranks, list, small, large, counters);

impl Buckets {
    fn new(gpu: &Gpu, tracks: usize) -> Result<Self, DeviceError> {
        Ok(Buckets {
            roots: gpu.buffer(tracks)?,
            counts: gpu.buffer(tracks)?,
            begins: gpu.buffer(tracks)?,
            ranks: gpu.buffer(tracks)?,
            list: gpu.buffer(tracks)?,
            small: gpu.buffer(tracks)?,
            large: gpu.buffer(tracks / LARGE as usize + 1)?,
            counters: gpu.buffer(1)?,
        })
    }

    fn bring_together(&self, gpu: &Gpu, all: &DeviceTracks) -> Result<(), DeviceError> {
        gpu.fill(&self.counts, 0)?;
        gpu.fill(&self.counters, 0)?;
        let (links, roots, counts) = (all.links.ptr(), self.roots.ptr(), self.counts.ptr());
        let (begins, ranks, tracks) = (self.begins.ptr(), self.ranks.ptr(), all.count());
        let count = MergeCount { links, roots, counts, ranks, tracks };
        let place = MergePlace {
            counts,
            begins,
            small: self.small.ptr(),
            large: self.large.ptr(),
            counters: self.counters.ptr(),
            tracks,
        };
        let fill = MergeFill { links, roots, begins, ranks, list: self.list.ptr(), tracks };
        let grid = |words| MERGE_COUNT.thread_each(tracks as usize).moving(all.words(words));
        // SAFETY: all arrays have a place for each slice track, and that of large
        // components as many as there can be.
        unsafe {
            gpu.launch(&MERGE_COUNT, grid(5), count)?;
            gpu.launch(&MERGE_PLACE, grid(3), place)?;
            gpu.launch(&MERGE_FILL, grid(5), fill)
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
            counts: self.counts.ptr(),
            begins: self.begins.ptr(),
            small: self.small.ptr(),
            large: self.large.ptr(),
            list: self.list.ptr(),
            counters: self.counters.ptr(),
        };
        let grid = Grid::blocks(blocks).moving(all.words(17));
        // SAFETY: lists hold slice tracks, as links and relations do, and no two lists
        // are of one component.
        unsafe { gpu.launch(&MERGE_RESOLVE, grid, arguments) }
    }
}
