//! recobench's merger: a list of members for each component, a worker for each list.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig};

use super::tracks::DeviceTracks;
use super::{Merger, components, merge_on_gpu};
use crate::kernels::tpc_merge_buckets::{
    Component, Counters, MERGE_COUNT, MERGE_FILL, MERGE_PLACE, MERGE_RESOLVE, MergeCount,
    MergeFill, MergePlace, MergeResolve, PARTS,
};
use crate::tpc_merge::TpcMerge;
use tasks::algorithm::Variant;
use tasks::device::buffers;

/// Blocks on each multiprocessor: the number of resident ones.
const BLOCKS_EACH: u32 = 16;
/// The number of roots of a part is a multiple of this: a block has roots of one part.
const PART_GRAIN: usize = 1024;

pub(super) const BUCKETS: Variant<TpcMerge> = Variant::cuda(
    "buckets",
    "ours: a list of members a component; a lane a list, in shared memory",
    |at| {
        merge_on_gpu(at, i32::MAX as usize, |gpu, tracks| Ok(Box::new(Buckets::new(gpu, tracks)?)))
    },
);

/// Roots of each part.
fn part_roots(tracks: usize) -> usize {
    tracks.div_ceil(PARTS as usize).next_multiple_of(PART_GRAIN)
}

buffers! {
    struct Buckets(gpu, tracks: usize) {
        roots: DeviceBuffer<u32> = gpu.buffer(tracks)?,
        counts: DeviceBuffer<u32> = gpu.buffer(tracks)?,
        list_offsets: DeviceBuffer<u32> = gpu.buffer(tracks)?,
        ranks: DeviceBuffer<u32> = gpu.buffer(tracks)?,
        members: DeviceBuffer<u32> = gpu.buffer(tracks)?,
        components: DeviceBuffer<Component> = gpu.buffer(PARTS as usize * part_roots(tracks))?,
        counters: DeviceBuffer<Counters> = gpu.buffer(1)?,
    }
}

impl Buckets {
    fn bring_together(&self, gpu: &Gpu, all: &DeviceTracks) -> Result<(), DeviceError> {
        gpu.fill(&self.counts, 0)?;
        gpu.fill(&self.counters, 0)?;
        let roots = self.roots.ptr();
        let counts = self.counts.ptr();
        let list_offsets = self.list_offsets.ptr();
        let ranks = self.ranks.ptr();
        let tracks = all.count();
        let count = MergeCount { roots, counts, ranks, tracks };
        let offsets = MergePlace {
            counts,
            list_offsets,
            components: self.components.ptr(),
            counters: self.counters.ptr(),
            part_roots: part_roots(tracks as usize) as u32,
            tracks,
        };
        let fill = MergeFill { roots, list_offsets, ranks, members: self.members.ptr(), tracks };
        let grid = |words| MERGE_COUNT.grid_for(tracks as usize).with_traffic(all.words(words));
        // SAFETY: all arrays have an entry for each slice track, and those of components the
        // maximum number of components with this number of members.
        unsafe {
            gpu.launch(&MERGE_COUNT, grid(4), count)?;
            gpu.launch(&MERGE_PLACE, grid(3), offsets)?;
            gpu.launch(&MERGE_FILL, grid(4), fill)
        }
    }
}

impl Merger for Buckets {
    fn find_components(&self, gpu: &Gpu, tracks: &DeviceTracks) -> Result<(), DeviceError> {
        components::find(gpu, tracks, &self.roots)?;
        gpu.scope("order", || self.bring_together(gpu, tracks))
    }

    fn part_size(&self, tracks: usize) -> usize {
        part_roots(tracks)
    }

    fn resolve(&self, gpu: &Gpu, all: &DeviceTracks, part: usize) -> Result<(), DeviceError> {
        let blocks = BLOCKS_EACH * gpu.properties().multiprocessors;
        let arguments = MergeResolve {
            tracks: all.tracks.ptr(),
            links: all.links.ptr(),
            relations: all.relations.ptr(),
            members: self.members.ptr(),
            components: self.components.ptr(),
            counters: self.counters.ptr(),
            number: part as u32,
            part_roots: part_roots(all.count() as usize) as u32,
        };
        // The traffic depends on which slice tracks are in components of the part.
        let grid = LaunchConfig::blocks(blocks);
        // SAFETY: lists contain valid slice tracks, as do links and relations, and no two lists are
        // of one component.
        unsafe { gpu.launch(&MERGE_RESOLVE, grid, arguments) }
    }
}
