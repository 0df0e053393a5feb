//! As published: a range of components for each block, which looks through all links.

use super::tracks::{DeviceTracks, Quads, THREADS, Words};
use super::{CudaMerge, Merger, components};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Kernel, Shape, image};

static IMAGE: Image = image!("tpc_merge-components_blocks");

static RESOLVE: Kernel<(Quads, Words, Words, Quads, u32)> =
    Kernel::new(&IMAGE, "merge_components_blocks");

/// Blocks on each multiprocessor: more would share its time, and each looks through all
/// links.
const BLOCKS_EACH: u32 = 1;

pub(in crate::tpc_merge) static COMPONENTS_BLOCKS: CudaMerge = CudaMerge {
    name: "components-blocks",
    summary: "published: a block a range of components, each block looks through all links",
    most: i32::MAX as usize,
    merger: |gpu, tracks| {
        Ok(Box::new(ComponentsBlocks {
            roots: gpu.buffer(tracks)?,
        }))
    },
};

struct ComponentsBlocks {
    roots: DeviceBuffer<u32>,
}

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

    fn poison(&self, gpu: &Gpu, byte: u8) -> Result<(), DeviceError> {
        gpu.fill(&self.roots, byte)
    }

    fn bytes(&self) -> u64 {
        self.roots.bytes()
    }
}
