//! All of the device packs, then there is one large copy.

use generators::tpc::clusters::Clusters;

use super::pieces::{Bytes, DevicePieces, PackParameters};
use super::{CudaGather, Gatherer};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Kernel, PinnedBuffer, image};
use crate::tpc_gather::sample::Sample;

static IMAGE: Image = image!("tpc_gather-multi_block");

static PACK: Kernel<PackParameters<Bytes>> = Kernel::new(&IMAGE, "gather_multi_block");

const THREADS: u32 = 256;
/// Blocks on each multiprocessor: as many as run at a time. An even number.
const BLOCKS_EACH: u32 = 8;

pub(in crate::tpc_gather) static MULTI_BLOCK: CudaGather = CudaGather {
    name: "multi-block",
    summary: "published: all blocks pack into the device's memory, then one copy (thesis 3.8)",
    sample: |_| Sample::ALL,
    gatherer: |gpu, layout| {
        Ok(Box::new(MultiBlock {
            packed: gpu.buffer(layout.bytes())?,
            host: gpu.pinned(layout.bytes())?,
        }))
    },
};

struct MultiBlock {
    packed: DeviceBuffer<u8>,
    host: PinnedBuffer<u8>,
}

impl Gatherer for MultiBlock {
    fn gather(
        &mut self,
        gpu: &Gpu,
        _: &Clusters,
        pieces: &DevicePieces,
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

    fn host_mut(&mut self) -> &mut [u8] {
        &mut self.host
    }

    fn poison_device(&self, gpu: &Gpu, byte: u8) -> Result<(), DeviceError> {
        gpu.fill(&self.packed, byte)
    }

    fn device_bytes(&self) -> u64 {
        self.packed.bytes()
    }
}
