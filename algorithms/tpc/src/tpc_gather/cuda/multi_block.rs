//! The complete device packs, then there is one large copy.

use generators_tpc::clusters::Clusters;
use portable_gpu::{DeviceError, Gpu};

use super::{GatherBuffers, Gatherer, Memory, gather_from_gpu};
use crate::kernels::tpc_gather_multi_block::GATHER_MULTI_BLOCK;
use crate::tpc_gather::TpcGather;
use tasks::algorithm::Variant;

/// Blocks on each multiprocessor: the number of resident ones. An even number.
const BLOCKS_EACH: u32 = 8;

pub(super) const MULTI_BLOCK: Variant<TpcGather> = Variant::cuda(
    "multi-block",
    "published: all blocks pack into the device's memory, then one copy (thesis 3.8)",
    |at| gather_from_gpu(at, Gatherer::new(Memory::Device, gather)),
);

fn gather(to: &mut GatherBuffers<'_>, gpu: &Gpu, _: &Clusters) -> Result<(), DeviceError> {
    let blocks = BLOCKS_EACH * gpu.properties().multiprocessors;
    to.pack(gpu, &GATHER_MULTI_BLOCK, blocks, to.packed.ptr())?;
    gpu.download(&mut to.host, &to.packed)
}
