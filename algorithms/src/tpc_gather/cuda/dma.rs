//! Kernels of very few blocks that write to memory of the host.

use super::{Gather, Gatherer, Memory, gather_from_gpu};
use crate::algorithm::{PrepareResult, Variant, VariantContext};
use crate::kernels::tpc_gather_dma::GATHER_DMA;
use crate::kernels::tpc_gather_dma_buffered::GATHER_DMA_BUFFERED;
use crate::tpc_gather::TpcGather;

pub(super) const DMA_1: Variant<TpcGather> = Variant::cuda(
    "dma-1",
    "published: one block writes entries into the host's memory (thesis 3.8)",
    |at| dma(at, 1, |to, gpu, _| to.pack(gpu, &GATHER_DMA, 1, to.mapped.ptr())),
);

pub(super) const DMA_2: Variant<TpcGather> = Variant::cuda(
    "dma-2",
    "published: two blocks write entries into the host's memory (thesis 3.8)",
    |at| dma(at, 2, |to, gpu, _| to.pack(gpu, &GATHER_DMA, 2, to.mapped.ptr())),
);

pub(super) const DMA_BUFFERED: Variant<TpcGather> = Variant::cuda(
    "dma-buffered",
    "published: two blocks write full bursts of 128 bytes into the host's memory",
    |at| dma(at, 2, |to, gpu, _| to.pack(gpu, &GATHER_DMA_BUFFERED, 2, to.mapped.ptr())),
);

fn dma<'a>(
    at: &VariantContext<'a, '_, TpcGather>,
    blocks: u32,
    gather: Gather,
) -> PrepareResult<'a, TpcGather> {
    let gatherer = Gatherer::new(Memory::MappedHost, gather);
    gather_from_gpu(at, Gatherer { multiprocessors: Some(blocks), ..gatherer })
}
