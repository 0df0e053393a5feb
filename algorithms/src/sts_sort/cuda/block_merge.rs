//! The published GPU sort: one block a segment, chunks of 512 × 11 digis by a
//! radix sort in shared memory, then merges by Merge Path.

use generators::partition::Partition;

use super::runner::DIGI;
use super::segments::{Segments, by_segment};
use crate::algorithm::Variant;
use crate::device::gpu::{DeviceError, Gpu, Grid, Ptr};
use crate::kernels::sts_sort_block_merge::{BLOCK_MERGE_SORT, BlockMergeSort, TILE};
use crate::sts_sort::StsSort;

/// Two arrays of the size of the input.
pub(super) const BLOCK_MERGE: Variant<StsSort> = Variant::cuda(
    "block-merge",
    "published: a block a segment, chunks of 5632 digis by radix sort, Merge Path",
    |at| by_segment(at, 0, start),
);

fn start(gpu: &Gpu, segments: &Segments<2>) -> Result<(), DeviceError> {
    start_block_merge(gpu, segments.digis(), (&segments.partition, segments.begins()))
}

/// Starts it on digis in the first of two arrays that have a place for each digi of each segment;
/// where segments begin, and where the last one ends, the device knows too.
pub(crate) fn start_block_merge(
    gpu: &Gpu,
    [digis, scratch]: [Ptr<u64>; 2],
    (partition, begins): (&Partition, Ptr<u32>),
) -> Result<(), DeviceError> {
    let arguments = BlockMergeSort { digis, scratch, begins };
    let grid = Grid::blocks(partition.segments() as u32).moving(bytes_moved(partition));
    // SAFETY: as the caller promises.
    unsafe { gpu.launch(&BLOCK_MERGE_SORT, grid, arguments) }
}

/// Each level reads and writes all digis of the segments that have it.
fn bytes_moved(partition: &Partition) -> u64 {
    let levels = |length: usize| length.div_ceil(TILE as usize).next_power_of_two().ilog2();
    let moves = partition.lengths().map(|length| length as u64 * u64::from(1 + levels(length)));
    2 * DIGI * moves.sum::<u64>()
}
