//! All of the device packs, then there is one large copy.

use generators::tpc::clusters::Clusters;

use super::Gatherer;
use super::pieces::{Bytes, DevicePieces, PackParameters};
use super::runner::gather_from_gpu;
use crate::algorithm::Variant;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Kernel, PinnedBuffer, image};
use crate::tpc_gather::TpcGather;

static IMAGE: Image = image!("tpc_gather-multi_block");

static PACK: Kernel<PackParameters<Bytes>> = Kernel::new(&IMAGE, "gather_multi_block");

const THREADS: u32 = 256;
/// Blocks on each multiprocessor: as many as run at a time. An even number.
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
        pieces.find_places(gpu)?;
        let blocks = BLOCKS_EACH * gpu.properties().multiprocessors;
        let arguments = pieces.arguments::<Bytes>(&self.packed);
        // SAFETY: pieces lie in the source, and their places in the target, which has the
        // layout of packed arrays.
        unsafe { gpu.launch(&PACK, &pieces.shape(blocks, THREADS, 2), arguments) }?;
        gpu.download(&mut self.host, &self.packed)
    }

    fn host(&self) -> &[u8] {
        &self.host
    }
}
