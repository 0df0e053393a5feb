//! All of the device packs, then there is one large copy.

use generators::tpc::clusters::{Clusters, FIELDS};

use super::pieces::{Arrays, Bytes, DevicePieces, Words};
use super::{CudaGather, Gatherer};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Kernel, PinnedBuffer, image};
use crate::tpc_gather::sample::Sample;

static IMAGE: Image = image!("tpc_gather-multi_block");

/// Source and target; arrays; starts and places of tracks, and of rows; how many arrays,
/// tracks and rows there are.
#[allow(clippy::type_complexity, reason = "as many as the kernel has")]
static PACK: Kernel<(
    Bytes,
    Bytes,
    Arrays,
    Words,
    Words,
    Words,
    Words,
    u32,
    u32,
    u32,
)> = Kernel::new(&IMAGE, "gather_multi_block");

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
        let arguments = (
            &pieces.source,
            &self.packed,
            &pieces.arrays,
            &pieces.track_starts,
            &pieces.track_places,
            &pieces.row_starts,
            &pieces.row_places,
            FIELDS.len() as u32,
            pieces.tracks(),
            pieces.rows(),
        );
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
