//! Pool of memory that is not in use.
//!
//! Page-locking a gigabyte takes half a second, and each sample and each candidate needs the same
//! buffers again. So page-locked memory survives several calls of [`Pool::evict`], which frees all
//! memory on the device.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::engine::MemoryKind;
use super::progress::QueueTicks;

/// A block of memory: kind, address and size in bytes.
pub(super) type Block = (MemoryKind, u64, usize);

/// Blocks that are not in use.
#[derive(Default)]
pub(super) struct Pool {
    free: Mutex<Vec<FreeBlock>>,
}

struct FreeBlock {
    block: Block,
    /// Steps that may still use it.
    until: QueueTicks,
    /// Number of evictions that it has survived.
    age: u32,
}

/// Maximum ratio of a block's size to the requested size.
const MAX_WASTE: usize = 2;

/// Maximum age of unused page-locked memory: a block that has survived this number of evictions is
/// freed by the next one, because `MAX_AGE` candidates or inputs did not need it.
const MAX_AGE: u32 = 3;

impl Pool {
    /// Takes the smallest block that fits; returns its address, its size and the steps that may
    /// still use it.
    pub(super) fn take(&self, kind: MemoryKind, bytes: usize) -> Option<(u64, usize, QueueTicks)> {
        let mut free = self.free();
        let fits = |&(k, _, size): &Block| k == kind && size >= bytes && size / MAX_WASTE <= bytes;
        let candidates = (0..free.len()).filter(|&i| fits(&free[i].block));
        let best = candidates.min_by_key(|&i| free[i].block.2)?;
        let FreeBlock { block, until, .. } = free.swap_remove(best);
        Some((block.1, block.2, until))
    }

    pub(super) fn give(&self, block: Block, until: QueueTicks) {
        let age = 0;
        self.free().push(FreeBlock { block, until, age });
    }

    /// Removes all blocks on the device, and the page-locked ones that have been unused for long.
    pub(super) fn evict(&self) -> Vec<Block> {
        let mut free = self.free();
        let is_old = |free: &mut FreeBlock| {
            free.age += 1;
            free.block.0 == MemoryKind::Device || free.age > MAX_AGE
        };
        let evicted = free.extract_if(.., is_old);
        evicted.map(|free| free.block).collect()
    }

    /// Removes and returns all blocks.
    pub(super) fn drain(&self) -> Vec<Block> {
        let free = std::mem::take(&mut *self.free());
        free.into_iter().map(|free| free.block).collect()
    }

    fn free(&self) -> MutexGuard<'_, Vec<FreeBlock>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn give(pool: &Pool, kind: MemoryKind, address: u64, bytes: usize) {
        pool.give((kind, address, bytes), QueueTicks::default());
    }

    fn take(pool: &Pool, kind: MemoryKind, bytes: usize) -> Option<(u64, usize)> {
        let (address, size, _) = pool.take(kind, bytes)?;
        Some((address, size))
    }

    #[test]
    fn the_smallest_fitting_block_is_taken_once() {
        let pool = Pool::default();
        give(&pool, MemoryKind::Device, 1, 100);
        give(&pool, MemoryKind::Device, 2, 80);
        give(&pool, MemoryKind::Pinned, 3, 75);
        assert_eq!(take(&pool, MemoryKind::Device, 70), Some((2, 80)));
        assert_eq!(take(&pool, MemoryKind::Device, 70), Some((1, 100)));
        assert_eq!(take(&pool, MemoryKind::Device, 70), None);
        assert_eq!(pool.drain(), [(MemoryKind::Pinned, 3, 75)]);
    }

    #[test]
    fn page_locked_blocks_outlast_others_but_are_evicted_in_the_end() {
        let pool = Pool::default();
        give(&pool, MemoryKind::Device, 1, 100);
        give(&pool, MemoryKind::Pinned, 2, 100);
        give(&pool, MemoryKind::Mapped, 3, 100);
        assert_eq!(pool.evict(), [(MemoryKind::Device, 1, 100)]);
        for _ in 1..MAX_AGE {
            assert_eq!(pool.evict(), []);
        }
        let (address, bytes) = take(&pool, MemoryKind::Pinned, 100).expect("still there");
        give(&pool, MemoryKind::Pinned, address, bytes);
        assert_eq!(pool.evict(), [(MemoryKind::Mapped, 3, 100)], "unused");
        assert_eq!(take(&pool, MemoryKind::Pinned, 100), Some((2, 100)));
    }

    #[test]
    fn far_too_large_blocks_are_not_taken() {
        let pool = Pool::default();
        give(&pool, MemoryKind::Device, 1, 1000);
        assert_eq!(take(&pool, MemoryKind::Device, 100), None);
        assert_eq!(take(&pool, MemoryKind::Device, 500), Some((1, 1000)));
    }
}
