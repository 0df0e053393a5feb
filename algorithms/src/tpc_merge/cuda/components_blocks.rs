//! As published: a range of components for each block, which looks through all links.

use super::tracks::{DeviceTracks, Quads, THREADS, Words};
use super::{Merger, components, merge_on_gpu};
use crate::algorithm::Variant;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Kernel, Shape, image};
use crate::tpc_merge::TpcMerge;

static IMAGE: Image = image!("tpc_merge-components_blocks");

static RESOLVE: Kernel<(Quads, Words, Words, Quads, u32)> =
    Kernel::new(&IMAGE, "merge_components_blocks");

/// Blocks on each multiprocessor: more would share its time, and each looks through all
/// links.
const BLOCKS_EACH: u32 = 1;

pub(super) const COMPONENTS_BLOCKS: Variant<TpcMerge> = Variant::cuda(
    "components-blocks",
    "published: a block a range of components, each block looks through all links",
    |at| {
        merge_on_gpu(at, i32::MAX as usize, |gpu, tracks| {
            let roots = gpu.buffer(tracks)?;
            Ok(Box::new(ComponentsBlocks { roots }))
        })
    },
);

struct ComponentsBlocks {
    roots: DeviceBuffer<u32>,
}

buffers!(ComponentsBlocks: roots);

impl Merger for ComponentsBlocks {
    fn merge(&self, gpu: &Gpu, tracks: &DeviceTracks) -> Result<(), DeviceError> {
        components::find(gpu, tracks, &self.roots)?;
        let blocks = BLOCKS_EACH * gpu.properties().multiprocessors;
        let shape = Shape {
            blocks,
            threads: THREADS,
            // Links and roots once a block, slice tracks and relations as they are met.
            bytes: tracks.shape(2).bytes * u64::from(blocks) + tracks.shape(12).bytes,
            shared_bytes: 0,
        };
        let arguments = (
            &tracks.tracks,
            &tracks.links,
            &self.roots,
            &tracks.relations,
            tracks.count(),
        );
        gpu.scope("resolve", || {
            // SAFETY: all arrays have a place for each slice track, and links and
            // relations name slice tracks only.
            unsafe { gpu.launch(&RESOLVE, &shape, arguments) }
        })
    }
}
