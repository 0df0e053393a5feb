//! Sizes that kernels and launcher agree on: see `channel_bucket.cu`.

use crate::device::gpu::Gpu;

/// Threads of every block.
pub(super) const THREADS: u32 = 512;
/// Buckets of a region.
pub(super) const BUCKETS: u32 = 1 << 11;
/// Digis that are sorted at once in shared memory.
pub(super) const CAPACITY: u32 = THREADS * 18;
/// Positions in which the buckets of a group begin.
pub(super) const WINDOW: u32 = CAPACITY / 2;
/// Digis that are distributed at once.
pub(super) const DISTRIBUTED_TILE: u32 = THREADS * 12;

/// Bytes of a digi and of a word.
const DIGI: u32 = 8;
const WORD: u32 = 4;
/// Where the next thing may begin.
const ALIGNMENT: u32 = 16;

/// Dynamic shared memory of a block that distributes: a tile, a count and a
/// place for each bucket, a sum for each lane.
pub(super) fn shared_by_distribution(gpu: &Gpu) -> u32 {
    let words = 2 * BUCKETS + gpu.properties().lanes;
    (DISTRIBUTED_TILE * DIGI + words * WORD).next_multiple_of(ALIGNMENT)
}

/// Dynamic shared memory of a block that sorts: the digis, half a word for each
/// bin, the begins of the buckets, a sum for each lane, and three words.
pub(super) fn shared_by_sorting(gpu: &Gpu) -> u32 {
    let words = CAPACITY / 2 + BUCKETS + 1 + gpu.properties().lanes + 3;
    (CAPACITY * DIGI + words * WORD).next_multiple_of(ALIGNMENT)
}

/// Dynamic shared memory of a block that does both, one after the other.
pub(super) fn shared_by_both(gpu: &Gpu) -> u32 {
    shared_by_distribution(gpu).max(shared_by_sorting(gpu))
}
