//! Kernels of very few blocks that write to memory of the host.

use generators::tpc::clusters::Clusters;

use super::Gatherer;
use super::pieces::DevicePieces;
use super::runner::gather_from_gpu;
use crate::algorithm::Variant;
use crate::device::buffers;
use crate::device::gpu::{DeviceError, Gpu, Kernel, LaunchConfig, MappedBuffer};
use crate::kernels::tpc_gather_dma::{GATHER_DMA, GatherPack};
use crate::kernels::tpc_gather_dma_buffered::GATHER_DMA_BUFFERED;
use crate::tpc_gather::TpcGather;

pub(super) const DMA_1: Variant<TpcGather> = Variant::cuda(
    "dma-1",
    "published: one block writes entries into the host's memory (thesis 3.8)",
    |at| gather_from_gpu(at, |gpu, layout| dma(gpu, layout.bytes(), &GATHER_DMA, 1)),
);

pub(super) const DMA_2: Variant<TpcGather> = Variant::cuda(
    "dma-2",
    "published: two blocks write entries into the host's memory (thesis 3.8)",
    |at| gather_from_gpu(at, |gpu, layout| dma(gpu, layout.bytes(), &GATHER_DMA, 2)),
);

pub(super) const DMA_BUFFERED: Variant<TpcGather> = Variant::cuda(
    "dma-buffered",
    "published: two blocks write full bursts of 128 bytes into the host's memory",
    |at| gather_from_gpu(at, |gpu, layout| dma(gpu, layout.bytes(), &GATHER_DMA_BUFFERED, 2)),
);

struct Dma {
    host: MappedBuffer<u8>,
    kernel: &'static Kernel<GatherPack>,
    blocks: u32,
}

buffers!(Dma: host);

fn dma(
    gpu: &Gpu,
    bytes: usize,
    kernel: &'static Kernel<GatherPack>,
    blocks: u32,
) -> Result<Box<dyn Gatherer>, DeviceError> {
    let host = gpu.mapped(bytes)?;
    Ok(Box::new(Dma { host, kernel, blocks }))
}

impl Gatherer for Dma {
    fn gather(
        &mut self,
        gpu: &Gpu,
        _: &Clusters,
        pieces: &DevicePieces<'_>,
    ) -> Result<(), DeviceError> {
        pieces.compute_offsets(gpu)?;
        let grid = LaunchConfig::blocks(self.blocks).with_traffic(2 * pieces.packed_bytes);
        let arguments = pieces.arguments(self.host.ptr());
        // SAFETY: pieces are in the source, and their offsets in the target, which has the layout
        // of packed arrays.
        unsafe { gpu.launch(self.kernel, grid, arguments) }
    }

    fn host(&self) -> &[u8] {
        &self.host
    }

    fn multiprocessors(&self, _: &Gpu) -> u32 {
        self.blocks
    }
}
