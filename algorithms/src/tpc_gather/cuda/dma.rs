//! Kernels of very few blocks that write into memory of the host.

use generators::tpc::clusters::Clusters;

use super::Gatherer;
use super::pieces::{DevicePieces, PackParameters};
use super::runner::gather_from_gpu;
use crate::algorithm::Variant;
use crate::device::buffers;
use crate::device::gpu::{DeviceError, Gpu, HostPtr, Image, Kernel, MappedBuffer, image};
use crate::tpc_gather::TpcGather;

static DMA_IMAGE: Image = image!("tpc_gather-dma");
static BUFFERED_IMAGE: Image = image!("tpc_gather-dma_buffered");

type DmaKernel = Kernel<PackParameters<HostPtr<u8>>>;

static DMA_KERNEL: DmaKernel = Kernel::new(&DMA_IMAGE, "gather_dma");
static BUFFERED_KERNEL: DmaKernel = Kernel::new(&BUFFERED_IMAGE, "gather_dma_buffered");

const THREADS: u32 = 1024;

pub(super) const DMA_1: Variant<TpcGather> = Variant::cuda(
    "dma-1",
    "published: one block writes entries into the host's memory (thesis 3.8)",
    |at| gather_from_gpu(at, |gpu, layout| dma(gpu, layout.bytes(), &DMA_KERNEL, 1)),
);

pub(super) const DMA_2: Variant<TpcGather> = Variant::cuda(
    "dma-2",
    "published: two blocks write entries into the host's memory (thesis 3.8)",
    |at| gather_from_gpu(at, |gpu, layout| dma(gpu, layout.bytes(), &DMA_KERNEL, 2)),
);

pub(super) const DMA_BUFFERED: Variant<TpcGather> = Variant::cuda(
    "dma-buffered",
    "published: two blocks write full bursts of 128 bytes into the host's memory",
    |at| {
        gather_from_gpu(at, |gpu, layout| {
            dma(gpu, layout.bytes(), &BUFFERED_KERNEL, 2)
        })
    },
);

struct Dma {
    host: MappedBuffer<u8>,
    kernel: &'static DmaKernel,
    blocks: u32,
}

buffers!(Dma: host);

fn dma(
    gpu: &Gpu,
    bytes: usize,
    kernel: &'static DmaKernel,
    blocks: u32,
) -> Result<Box<dyn Gatherer>, DeviceError> {
    let host = gpu.mapped(bytes)?;
    Ok(Box::new(Dma {
        host,
        kernel,
        blocks,
    }))
}

impl Gatherer for Dma {
    fn gather(
        &mut self,
        gpu: &Gpu,
        _: &Clusters,
        pieces: &DevicePieces<'_>,
    ) -> Result<(), DeviceError> {
        pieces.find_places(gpu)?;
        let shape = pieces.shape(self.blocks, THREADS, 1);
        let arguments = pieces.arguments::<HostPtr<u8>>(&self.host);
        // SAFETY: pieces lie in the source, and their places in the target, which has the
        // layout of packed arrays.
        unsafe { gpu.launch(self.kernel, &shape, arguments) }
    }

    fn host(&self) -> &[u8] {
        &self.host
    }

    fn multiprocessors(&self, _: &Gpu) -> u32 {
        self.blocks
    }
}
