//! Memory that nobody has at the moment.
//!
//! Page-locking a gigabyte takes half a second, and each sample needs the same
//! buffers anew; so does each candidate. So page-locked memory outlasts some calls of
//! [`Pool::outdated`] that free all that lies on the device.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::progress::Moment;

/// Where memory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Device,
    /// Page-locked, on the host.
    Pinned,
    /// The same, within reach of kernels.
    Mapped,
    /// On the side that touched it last.
    Managed,
}

/// Where a block is: kind, address and size in bytes.
pub(super) type Block = (Kind, u64, usize);

/// Blocks that nobody has.
#[derive(Default)]
pub(super) struct Pool {
    free: Mutex<Vec<Free>>,
}

struct Free {
    block: Block,
    /// What was started until then may still use it.
    until: Moment,
    /// How often it was not outdated yet.
    spared: u32,
}

/// A block may be so many times larger than what is asked for.
const LARGEST_WASTE: usize = 2;

/// Page-locked memory that nobody has taken meanwhile is outdated when it is asked for the
/// time after these: as many candidates or inputs have then done without it.
const PATIENCE: u32 = 3;

impl Pool {
    /// The smallest block that fits, with its size and until when it is in use.
    pub(super) fn take(&self, kind: Kind, bytes: usize) -> Option<(u64, usize, Moment)> {
        let mut free = self.free();
        let fits =
            |&(k, _, size): &Block| k == kind && size >= bytes && size / LARGEST_WASTE <= bytes;
        let candidates = (0..free.len()).filter(|&i| fits(&free[i].block));
        let best = candidates.min_by_key(|&i| free[i].block.2)?;
        let Free { block, until, .. } = free.swap_remove(best);
        Some((block.1, block.2, until))
    }

    pub(super) fn give(&self, block: Block, until: Moment) {
        let spared = 0;
        self.free().push(Free { block, until, spared });
    }

    /// Takes out all blocks on the device, and the page-locked ones that have not been used
    /// for long.
    pub(super) fn outdated(&self) -> Vec<Block> {
        let mut free = self.free();
        let is_outdated = |free: &mut Free| {
            free.spared += 1;
            free.block.0 == Kind::Device || free.spared > PATIENCE
        };
        let outdated = free.extract_if(.., is_outdated);
        outdated.map(|free| free.block).collect()
    }

    /// All blocks; the pool is empty then.
    pub(super) fn drain(&self) -> Vec<Block> {
        let free = std::mem::take(&mut *self.free());
        free.into_iter().map(|free| free.block).collect()
    }

    fn free(&self) -> MutexGuard<'_, Vec<Free>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn give(pool: &Pool, kind: Kind, address: u64, bytes: usize) {
        pool.give((kind, address, bytes), Moment::default());
    }

    fn take(pool: &Pool, kind: Kind, bytes: usize) -> Option<(u64, usize)> {
        let (address, size, _) = pool.take(kind, bytes)?;
        Some((address, size))
    }

    #[test]
    fn the_smallest_that_fits_is_taken_once() {
        let pool = Pool::default();
        give(&pool, Kind::Device, 1, 100);
        give(&pool, Kind::Device, 2, 80);
        give(&pool, Kind::Pinned, 3, 75);
        assert_eq!(take(&pool, Kind::Device, 70), Some((2, 80)));
        assert_eq!(take(&pool, Kind::Device, 70), Some((1, 100)));
        assert_eq!(take(&pool, Kind::Device, 70), None);
        assert_eq!(pool.drain(), [(Kind::Pinned, 3, 75)]);
    }

    #[test]
    fn page_locked_blocks_outlast_others_but_not_for_ever() {
        let pool = Pool::default();
        give(&pool, Kind::Device, 1, 100);
        give(&pool, Kind::Pinned, 2, 100);
        give(&pool, Kind::Mapped, 3, 100);
        assert_eq!(pool.outdated(), [(Kind::Device, 1, 100)]);
        for _ in 1..PATIENCE {
            assert_eq!(pool.outdated(), []);
        }
        let (address, bytes) = take(&pool, Kind::Pinned, 100).expect("still there");
        give(&pool, Kind::Pinned, address, bytes);
        assert_eq!(pool.outdated(), [(Kind::Mapped, 3, 100)], "unused");
        assert_eq!(take(&pool, Kind::Pinned, 100), Some((2, 100)));
    }

    #[test]
    fn far_too_large_blocks_are_left() {
        let pool = Pool::default();
        give(&pool, Kind::Device, 1, 1000);
        assert_eq!(take(&pool, Kind::Device, 100), None);
        assert_eq!(take(&pool, Kind::Device, 500), Some((1, 1000)));
    }
}
