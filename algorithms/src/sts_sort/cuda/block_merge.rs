//! The published GPU sort: one block a segment, chunks of 512 × 11 digis by a
//! radix sort in shared memory, then merges by Merge Path.

use super::runner::DIGI;
use super::segments::{Segments, by_segment};
use crate::algorithm::Variant;
use crate::device::gpu::{DeviceError, Gpu};
use crate::kernels::sts_sort_block_merge::{BLOCK_MERGE_SORT, BlockMergeSort, TILE};
use crate::sts_sort::StsSort;

/// Two arrays of the size of the input.
pub(super) const BLOCK_MERGE: Variant<StsSort> = Variant::cuda(
    "block-merge",
    "published: a block a segment, chunks of 5632 digis by radix sort, Merge Path",
    |at| by_segment(at, 0, start),
);

fn start(gpu: &Gpu, segments: &Segments<2>) -> Result<(), DeviceError> {
    let [digis, scratch] = segments.digis();
    let arguments = BlockMergeSort { digis, scratch, begins: segments.begins() };
    let grid = segments.grid(1).moving(bytes_moved(segments));
    // SAFETY: both arrays have a place for each digi of each segment.
    unsafe { gpu.launch(&BLOCK_MERGE_SORT, grid, arguments) }
}

/// Each level reads and writes all digis of the segments that have it.
fn bytes_moved(segments: &Segments<2>) -> u64 {
    let levels = |length: usize| length.div_ceil(TILE as usize).next_power_of_two().ilog2();
    let lengths = segments.partition.lengths();
    let moves = lengths.map(|length| length as u64 * u64::from(1 + levels(length)));
    2 * DIGI * moves.sum::<u64>()
}
