//! As published: a range of components for each block, which searches all links.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig};

use super::tracks::DeviceTracks;
use super::{Merger, components, merge_on_gpu};
use crate::kernels::tpc_merge_components_blocks::{MERGE_COMPONENTS_BLOCKS, MergeComponentsBlocks};
use crate::tpc_merge::TpcMerge;
use tasks::algorithm::Variant;
use tasks::device::buffers;

/// Blocks on each multiprocessor: more would share its time, and each searches all links.
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
    fn find_components(&self, gpu: &Gpu, tracks: &DeviceTracks) -> Result<(), DeviceError> {
        components::find(gpu, tracks, &self.roots)
    }

    fn resolve(&self, gpu: &Gpu, tracks: &DeviceTracks, _: usize) -> Result<(), DeviceError> {
        let blocks = BLOCKS_EACH * gpu.properties().multiprocessors;
        let arguments = MergeComponentsBlocks {
            tracks: tracks.tracks.ptr(),
            links: tracks.links.ptr(),
            roots: self.roots.ptr(),
            relations: tracks.relations.ptr(),
            count: tracks.count(),
        };
        // The traffic depends on which slice tracks have links.
        let grid = LaunchConfig::blocks(blocks);
        // SAFETY: all arrays have an entry for each slice track, and links and relations contain
        // only indices of slice tracks.
        unsafe { gpu.launch(&MERGE_COMPONENTS_BLOCKS, grid, arguments) }
    }
}
