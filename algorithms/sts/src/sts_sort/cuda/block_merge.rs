//! The published GPU sort: one block per segment, chunks of 512 × 11 digis by a radix sort in
//! shared memory, then merges by Merge Path. And the same sort with other block sizes, to tune the
//! number of threads and of digis per thread.

use generators_common::partition::Partition;
use portable_gpu::{DeviceError, Gpu, Kernel, LaunchConfig, Ptr};

use super::runner::DIGI;
use super::segments::{Segments, by_segment};
use crate::kernels::sts_sort_block_merge::{
    BLOCK_MERGE_SORT, BLOCK_MERGE_SORT_256_11, BLOCK_MERGE_SORT_512_7, BLOCK_MERGE_SORT_1024_5,
    BlockMergeSort, ITEMS,
};
use crate::sts_sort::StsSort;
use tasks::algorithm::{Prepare, Variant};

/// A kernel, and the number of digis of a chunk that each of its threads sorts.
#[derive(Clone, Copy)]
struct BlockSort {
    kernel: &'static Kernel<BlockMergeSort>,
    items: u32,
}

const PUBLISHED: BlockSort = BlockSort { kernel: &BLOCK_MERGE_SORT, items: ITEMS };
const BLOCKS_OF_256: BlockSort = BlockSort { kernel: &BLOCK_MERGE_SORT_256_11, items: 11 };
const BLOCKS_OF_512: BlockSort = BlockSort { kernel: &BLOCK_MERGE_SORT_512_7, items: 7 };
const BLOCKS_OF_1024: BlockSort = BlockSort { kernel: &BLOCK_MERGE_SORT_1024_5, items: 5 };

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
    |at| by_segment(at, 0, |gpu, segments| start(gpu, segments, PUBLISHED)),
);

pub(super) const BLOCK_MERGE_256: Variant<StsSort> =
    variant("block-merge-256x11", "the same by blocks of 256 threads with 11 digis each", |at| {
        by_segment(at, 0, |gpu, segments| start(gpu, segments, BLOCKS_OF_256))
    });

pub(super) const BLOCK_MERGE_512: Variant<StsSort> =
    variant("block-merge-512x7", "the same by blocks of 512 threads with 7 digis each", |at| {
        by_segment(at, 0, |gpu, segments| start(gpu, segments, BLOCKS_OF_512))
    });

pub(super) const BLOCK_MERGE_1024: Variant<StsSort> =
    variant("block-merge-1024x5", "the same by blocks of 1024 threads with 5 digis each", |at| {
        by_segment(at, 0, |gpu, segments| start(gpu, segments, BLOCKS_OF_1024))
    });

fn start(gpu: &Gpu, segments: &Segments<2>, sort: BlockSort) -> Result<(), DeviceError> {
    let [digis, scratch] = segments.digis();
    let arguments = BlockMergeSort { digis, scratch, segment_offsets: segments.segment_offsets() };
    start_blocks(gpu, &segments.partition, arguments, sort)
}

/// Starts the sort as published. `digis` and `scratch` are as long as all segments;
/// `segment_offsets` has the offsets of the segments in `partition`, and the end of the last one.
pub(crate) fn start_block_merge(
    gpu: &Gpu,
    partition: &Partition,
    digis: Ptr<u64>,
    scratch: Ptr<u64>,
    segment_offsets: Ptr<u32>,
) -> Result<(), DeviceError> {
    let arguments = BlockMergeSort { digis, scratch, segment_offsets };
    start_blocks(gpu, partition, arguments, PUBLISHED)
}

fn start_blocks(
    gpu: &Gpu,
    partition: &Partition,
    arguments: BlockMergeSort,
    BlockSort { kernel, items }: BlockSort,
) -> Result<(), DeviceError> {
    let chunk = (kernel.threads() * items) as usize;
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
