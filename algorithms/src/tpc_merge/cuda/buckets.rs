//! Ours: a list of links for each component, a worker for each list.

use super::tracks::{DeviceTracks, Quads, THREADS, Words};
use super::{Merger, components, merge_on_gpu};
use crate::algorithm::Variant;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Kernel, Shape, image};
use crate::tpc_merge::TpcMerge;

static IMAGE: Image = image!("tpc_merge-buckets");

static COUNT: Kernel<(Words, Words, Words, Words, u32)> = Kernel::new(&IMAGE, "merge_count");
static PLACE: Kernel<(Words, Words, Words, Words, Words, u32)> = Kernel::new(&IMAGE, "merge_place");
static FILL: Kernel<(Words, Words, Words, Words, Words, u32)> = Kernel::new(&IMAGE, "merge_fill");
#[allow(clippy::type_complexity, reason = "as many as the kernel has")]
static RESOLVE: Kernel<(
    Quads,
    Words,
    Quads,
    Words,
    Words,
    Words,
    Words,
    Words,
    Words,
)> = Kernel::new(&IMAGE, "merge_resolve");

/// Words that blocks take from.
const COUNTERS: usize = 5;
/// Links of a component from which on it counts as large, as in the kernels.
const LARGE: usize = 24;
/// Blocks on each multiprocessor: as many as run at a time.
const BLOCKS_EACH: u32 = 8;

pub(super) const BUCKETS: Variant<TpcMerge> = Variant::cuda(
    "buckets",
    "ours: links in a list a component, a thread a list, a block a large one, those first",
    |at| {
        merge_on_gpu(at, i32::MAX as usize, |gpu, tracks| {
            Ok(Box::new(Buckets::new(gpu, tracks)?))
        })
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
    counters: DeviceBuffer<u32>,
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
            large: gpu.buffer(tracks / LARGE + 1)?,
            counters: gpu.buffer(COUNTERS)?,
        })
    }

    fn bring_together(&self, gpu: &Gpu, tracks: &DeviceTracks) -> Result<(), DeviceError> {
        gpu.fill(&self.counts, 0)?;
        gpu.fill(&self.counters, 0)?;
        let (links, roots, count) = (&tracks.links, &self.roots, tracks.count());
        let (counts, begins, ranks) = (&self.counts, &self.begins, &self.ranks);
        // SAFETY: all arrays have a place for each slice track, and that of large
        // components as many as there can be.
        unsafe {
            let arguments = (links, roots, counts, ranks, count);
            gpu.launch(&COUNT, &tracks.shape(5), arguments)?;
            let (small, large, counters) = (&self.small, &self.large, &self.counters);
            let arguments = (counts, begins, small, large, counters, count);
            gpu.launch(&PLACE, &tracks.shape(3), arguments)?;
            let arguments = (links, roots, begins, ranks, &self.list, count);
            gpu.launch(&FILL, &tracks.shape(5), arguments)
        }
    }

    fn resolve(&self, gpu: &Gpu, tracks: &DeviceTracks) -> Result<(), DeviceError> {
        let shape = Shape {
            blocks: BLOCKS_EACH * gpu.properties().multiprocessors,
            threads: THREADS,
            ..tracks.shape(17)
        };
        let arguments = (
            &tracks.tracks,
            &tracks.links,
            &tracks.relations,
            &self.counts,
            &self.begins,
            &self.small,
            &self.large,
            &self.list,
            &self.counters,
        );
        // SAFETY: lists hold slice tracks, as links and relations do, and no two lists
        // are of one component.
        unsafe { gpu.launch(&RESOLVE, &shape, arguments) }
    }
}

impl Merger for Buckets {
    fn merge(&self, gpu: &Gpu, tracks: &DeviceTracks) -> Result<(), DeviceError> {
        components::find(gpu, tracks, &self.roots)?;
        gpu.scope("order", || self.bring_together(gpu, tracks))?;
        gpu.scope("resolve", || self.resolve(gpu, tracks))
    }
}
