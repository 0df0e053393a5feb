//! Kernels of very few blocks that write to memory of the host.

use generators_tpc::clusters::Clusters;
use portable_gpu::{Gpu, Kernel};

use super::{GatherBuffers, Gatherer, Memory, gather_from_gpu};
use crate::kernels::tpc_gather_chunks::GatherPack;
use crate::kernels::tpc_gather_dma::GATHER_DMA;
use crate::kernels::tpc_gather_dma_buffered::GATHER_DMA_BUFFERED;
use crate::tpc_gather::TpcGather;
use tasks::algorithm::{PrepareResult, Variant, VariantContext};

pub(super) const DMA_1: Variant<TpcGather> = Variant::cuda(
    "dma-1",
    "published: one block writes entries into the host's memory (thesis 3.8)",
    |at| dma(at, &GATHER_DMA, 1),
);

pub(super) const DMA_2: Variant<TpcGather> = Variant::cuda(
    "dma-2",
    "published: two blocks write entries into the host's memory (thesis 3.8)",
    |at| dma(at, &GATHER_DMA, 2),
);

pub(super) const DMA_BUFFERED: Variant<TpcGather> = Variant::cuda(
    "dma-buffered",
    "published: two blocks write full bursts of 128 bytes into the host's memory",
    |at| dma(at, &GATHER_DMA_BUFFERED, 2),
);

fn dma<'a>(
    at: &VariantContext<'a, '_, TpcGather>,
    kernel: &'static Kernel<GatherPack>,
    blocks: u32,
) -> PrepareResult<'a, TpcGather> {
    let gather = move |to: &mut GatherBuffers<'_>, gpu: &Gpu, _: &Clusters| {
        to.pack(gpu, kernel, blocks, to.mapped.ptr())
    };
    let gatherer = Gatherer::new(Memory::MappedHost, gather);
    gather_from_gpu(at, Gatherer { multiprocessors: Some(blocks), ..gatherer })
}
