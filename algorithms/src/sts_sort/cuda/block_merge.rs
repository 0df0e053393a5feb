//! The published GPU sort: one block per segment, chunks of 512 × 11 digis by a radix sort in
//! shared memory, then merges by Merge Path. And the same sort with other block sizes, to tune the
//! number of threads and of digis per thread.

use generators::partition::Partition;

use super::runner::DIGI;
use super::segments::{Segments, by_segment};
use crate::algorithm::{Prepare, Variant};
use crate::device::gpu::{DeviceError, Gpu, Kernel, LaunchConfig, Ptr};
use crate::kernels::sts_sort_block_merge::{
    BLOCK_MERGE_SORT, BLOCK_MERGE_SORT_256_11, BLOCK_MERGE_SORT_512_7, BLOCK_MERGE_SORT_1024_5,
    BlockMergeSort, ITEMS,
};
use crate::sts_sort::StsSort;

/// A kernel, and the digis that each of its threads has of a chunk.
type Blocks = (&'static Kernel<BlockMergeSort>, u32);

/// Two arrays of the size of the input.
const fn variant(
    name: &'static str,
    summary: &'static str,
    prepare: Prepare<StsSort>,
) -> Variant<StsSort> {
    Variant::cuda(name, summary, prepare)
}

pub(super) const BLOCK_MERGE: Variant<StsSort> = variant(
    "block-merge",
    "published: a block a segment, chunks of 5632 digis by radix sort, Merge Path",
    |at| by_segment(at, 0, |gpu, segments| start(gpu, segments, (&BLOCK_MERGE_SORT, ITEMS))),
);

pub(super) const BLOCK_MERGE_256: Variant<StsSort> =
    variant("block-merge-256x11", "the same by blocks of 256 threads with 11 digis each", |at| {
        by_segment(at, 0, |gpu, segments| start(gpu, segments, (&BLOCK_MERGE_SORT_256_11, 11)))
    });

pub(super) const BLOCK_MERGE_512: Variant<StsSort> =
    variant("block-merge-512x7", "the same by blocks of 512 threads with 7 digis each", |at| {
        by_segment(at, 0, |gpu, segments| start(gpu, segments, (&BLOCK_MERGE_SORT_512_7, 7)))
    });

pub(super) const BLOCK_MERGE_1024: Variant<StsSort> =
    variant("block-merge-1024x5", "the same by blocks of 1024 threads with 5 digis each", |at| {
        by_segment(at, 0, |gpu, segments| start(gpu, segments, (&BLOCK_MERGE_SORT_1024_5, 5)))
    });

fn start(gpu: &Gpu, segments: &Segments<2>, blocks: Blocks) -> Result<(), DeviceError> {
    start_blocks(gpu, segments.digis(), (&segments.partition, segments.begins()), blocks)
}

/// Starts the sort as published, on digis in the first of two arrays, each as long as all segments;
/// the offsets of segments, with the end of the last one, are on the device too.
pub(crate) fn start_block_merge(
    gpu: &Gpu,
    arrays: [Ptr<u64>; 2],
    segments: (&Partition, Ptr<u32>),
) -> Result<(), DeviceError> {
    start_blocks(gpu, arrays, segments, (&BLOCK_MERGE_SORT, ITEMS))
}

fn start_blocks(
    gpu: &Gpu,
    [digis, scratch]: [Ptr<u64>; 2],
    (partition, begins): (&Partition, Ptr<u32>),
    (kernel, items): Blocks,
) -> Result<(), DeviceError> {
    let chunk = (kernel.threads() * items) as usize;
    let arguments = BlockMergeSort { digis, scratch, begins };
    let grid = LaunchConfig::blocks(partition.segments() as u32)
        .with_traffic(bytes_moved(partition, chunk));
    // SAFETY: as the caller promises.
    unsafe { gpu.launch(kernel, grid, arguments) }
}

/// Each level reads and writes all digis of the segments that have it.
fn bytes_moved(partition: &Partition, chunk: usize) -> u64 {
    let levels = |length: usize| length.div_ceil(chunk).next_power_of_two().ilog2();
    let moves = partition.lengths().map(|length| length as u64 * u64::from(1 + levels(length)));
    2 * DIGI * moves.sum::<u64>()
}
