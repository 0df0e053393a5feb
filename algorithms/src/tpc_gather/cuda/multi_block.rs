//! The complete device packs, then there is one large copy.

use generators::tpc::clusters::Clusters;

use super::Gatherer;
use super::pieces::DevicePieces;
use super::runner::gather_from_gpu;
use crate::algorithm::Variant;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig, PinnedBuffer};
use crate::kernels::tpc_gather_multi_block::GATHER_MULTI_BLOCK;
use crate::tpc_gather::TpcGather;

/// Blocks on each multiprocessor: the number of resident ones. An even number.
const BLOCKS_EACH: u32 = 8;

pub(super) const MULTI_BLOCK: Variant<TpcGather> = Variant::cuda(
    "multi-block",
    "published: all blocks pack into the device's memory, then one copy (thesis 3.8)",
    |at| {
        gather_from_gpu(at, |gpu, layout| {
            Ok(Box::new(MultiBlock {
                packed: gpu.buffer(layout.bytes())?,
                host: gpu.pinned(layout.bytes())?,
            }))
        })
    },
);

struct MultiBlock {
    packed: DeviceBuffer<u8>,
    host: PinnedBuffer<u8>,
}

buffers!(MultiBlock: packed, host);

impl Gatherer for MultiBlock {
    fn gather(
        &mut self,
        gpu: &Gpu,
        _: &Clusters,
        pieces: &DevicePieces<'_>,
    ) -> Result<(), DeviceError> {
        pieces.compute_offsets(gpu)?;
        let blocks = BLOCKS_EACH * gpu.properties().multiprocessors;
        let grid = LaunchConfig::blocks(blocks).with_traffic(2 * pieces.packed_bytes);
        let arguments = pieces.arguments(self.packed.ptr());
        // SAFETY: pieces are in the source, and their offsets in the target, which has the layout
        // of packed arrays.
        unsafe { gpu.launch(&GATHER_MULTI_BLOCK, grid, arguments) }?;
        gpu.download(&mut self.host, &self.packed)
    }

    fn host(&self) -> &[u8] {
        &self.host
    }
}
