//! recobench's gather: arrays are packed while the previous ones are being copied to the host.

use std::ops::Range;

use generators_tpc::clusters::{Clusters, FIELDS, Layout};
use portable_gpu::{DeviceError, Gpu, LaunchConfig, QUEUES};

use super::{GatherBuffers, Gatherer, Memory, gather_from_gpu};
use crate::kernels::tpc_gather_chunks::GATHER_CHUNK;
use crate::tpc_gather::TpcGather;
use tasks::algorithm::Variant;

/// Blocks on each multiprocessor: four times the resident ones, for load balance at the end.
const BLOCKS_EACH: u32 = 32;
/// Minimum size of the first chunk: large enough for the link to be at full speed, and small enough
/// that the copy starts early.
const FIRST_BYTES: usize = 32 << 20;
/// Ratio of the sizes of consecutive chunks: packing is at least this much faster than the copy
/// that hides it.
const GROWTH: usize = 8;

pub(super) const CHUNKS: Variant<TpcGather> = Variant::cuda(
    "chunks",
    "ours: packs arrays by aligned vectors, while those before are copied to the host",
    |at| {
        let chunks = chunks(&Layout::new(&at.input.packed()));
        let gather =
            move |to: &mut GatherBuffers<'_>, gpu: &Gpu, _: &Clusters| gather(to, gpu, &chunks);
        gather_from_gpu(at, Gatherer::new(Memory::Device, gather))
    },
);

/// Neighbouring arrays that are packed and copied together.
#[derive(Debug, PartialEq)]
struct Chunk {
    arrays: Range<usize>,
    bytes: Range<usize>,
}

/// Divides all arrays into chunks of minimal size.
fn chunks(layout: &Layout) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut enough = FIRST_BYTES;
    for field in 0..FIELDS.len() {
        let bytes = layout.range(field);
        match chunks.last_mut() {
            Some(open) if open.bytes.len() < enough => {
                open.arrays.end = field + 1;
                open.bytes.end = bytes.end;
            }
            before => {
                enough = before.map_or(enough, |whole| GROWTH * whole.bytes.len());
                chunks.push(Chunk { arrays: field..field + 1, bytes });
            }
        }
    }
    chunks
}

fn pack(gpu: &Gpu, to: &GatherBuffers<'_>, chunk: &Chunk) -> Result<(), DeviceError> {
    let blocks = BLOCKS_EACH * gpu.properties().multiprocessors;
    let grid = LaunchConfig::blocks(blocks).with_traffic(2 * chunk.bytes.len() as u64);
    let arguments = to.pieces.arguments(to.packed.ptr(), chunk.arrays.clone());
    // SAFETY: pieces are in the source, and their offsets in the target, which has the layout of
    // packed arrays; chunks have disjoint arrays.
    unsafe { gpu.launch(&GATHER_CHUNK, grid, arguments) }
}

fn gather(to: &mut GatherBuffers<'_>, gpu: &Gpu, chunks: &[Chunk]) -> Result<(), DeviceError> {
    to.pieces.compute_offsets(gpu)?;
    for queue in 1..QUEUES {
        // All queues need the offsets.
        gpu.with_queue(queue, Gpu::wait_for_first_queue)?;
    }
    for (queue, chunk) in (0..QUEUES).cycle().zip(chunks) {
        gpu.with_queue(queue, |gpu| {
            pack(gpu, to, chunk)?;
            let start = chunk.bytes.start;
            gpu.download_part(to.host.part_mut(chunk.bytes.clone()), &to.packed, start)
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use generators_tpc::clusters::Entries;

    use super::*;

    fn layout(tracks: usize) -> Layout {
        Layout::new(&Entries {
            rows: 5472,
            tracks,
            attached: 90 * tracks,
            differences: 89 * tracks,
            unattached: 20 * tracks,
        })
    }

    #[test]
    fn chunks_grow_and_have_each_array_once() {
        for tracks in [1000, 100_000, 300_000, 1_000_000] {
            let chunks = chunks(&layout(tracks));
            let mut next = 0;
            for pair in chunks.windows(2) {
                assert!(pair[0].bytes.len() >= FIRST_BYTES, "{chunks:?}");
            }
            for chunk in &chunks {
                assert_eq!(chunk.arrays.start, next);
                next = chunk.arrays.end;
            }
            assert_eq!(next, FIELDS.len());
            let middle = &chunks[..chunks.len() - 1];
            let grown = |pair: &[Chunk]| pair[1].bytes.len() >= GROWTH * pair[0].bytes.len();
            assert!(middle.windows(2).all(grown), "{chunks:?}");
        }
        assert_eq!(chunks(&layout(1000)).len(), 1);
        assert!(chunks(&layout(1_000_000)).len() > 1);
    }
}
