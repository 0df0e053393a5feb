//! Sizes that kernels and launcher agree on: see `channel_bucket/*.h`.

use crate::device::gpu::Gpu;

/// Threads of a block, unless it makes groups.
pub(super) const THREADS: u32 = 512;
/// Threads of a block that makes groups.
pub(super) const GROUPING_THREADS: u32 = 1024;
/// Buckets of a region.
pub(super) const BUCKETS: u32 = 1 << 11;
/// Digis that are sorted at once in shared memory.
pub(super) const CAPACITY: u32 = THREADS * 16;
/// Digis that are distributed at once.
pub(super) const DISTRIBUTED_TILE: u32 = THREADS * 14;

const DIGI: u32 = 8;
const WORD: u32 = 4;
const HALF: u32 = 2;
/// Where the next thing may begin.
const ALIGNMENT: u32 = 16;
/// Bytes, each of which counts the digis of a bin.
const BINS: u32 = 2 * CAPACITY;

/// Dynamic shared memory of a block that distributes (`Distribution`): a tile, a
/// count, a distance and the number of a group for each bucket, a sum for each
/// lane.
pub(super) fn shared_by_distribution(gpu: &Gpu) -> u32 {
    let words = 2 * BUCKETS + gpu.properties().lanes;
    let bytes = DISTRIBUTED_TILE * DIGI + words * WORD + BUCKETS * HALF;
    bytes.next_multiple_of(ALIGNMENT)
}

/// Dynamic shared memory of a block that sorts (`Sorting`): the digis, two words
/// for each bucket; and the bins, a start for each word of them, a bit for each
/// digi, a sum for each lane.
pub(super) fn shared_by_sorting(gpu: &Gpu) -> u32 {
    let words_of_bins = BINS / WORD;
    let flags = CAPACITY / u32::BITS + 3;
    let words = 2 * BUCKETS + words_of_bins + 4 + flags + gpu.properties().lanes;
    let bytes = CAPACITY * DIGI + words * WORD + (words_of_bins + 8) * HALF;
    bytes.next_multiple_of(ALIGNMENT)
}

/// Dynamic shared memory of a block that sorts crowds (`Crowd`): the digis; a
/// count for each digit and warp, a sum for each lane; two words.
pub(super) fn shared_by_crowds(gpu: &Gpu) -> u32 {
    const DIGITS: u32 = 1 << 8;
    let lanes = gpu.properties().lanes;
    let words = THREADS / lanes * DIGITS + lanes + 2;
    (CAPACITY * DIGI + words * WORD).next_multiple_of(ALIGNMENT)
}
