//! Memory that nobody has at the moment.
//!
//! Page-locking a gigabyte takes half a second, and each sample needs the same
//! buffers anew.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where memory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Device,
    /// Page-locked, on the host.
    Pinned,
    /// The same, within reach of kernels.
    Mapped,
}

/// Blocks by kind, address and size in bytes.
#[derive(Default)]
pub(super) struct Pool {
    free: Mutex<Vec<(Kind, u64, usize)>>,
}

/// A block may be so many times larger than what is asked for.
const LARGEST_WASTE: usize = 2;

impl Pool {
    /// The smallest block that fits, with its size.
    pub(super) fn take(&self, kind: Kind, bytes: usize) -> Option<(u64, usize)> {
        let mut free = self.free();
        let fits = |&(k, _, size): &(Kind, u64, usize)| {
            k == kind && size >= bytes && size / LARGEST_WASTE <= bytes
        };
        let candidates = (0..free.len()).filter(|&i| fits(&free[i]));
        let best = candidates.min_by_key(|&i| free[i].2)?;
        let (_, address, size) = free.swap_remove(best);
        Some((address, size))
    }

    pub(super) fn give(&self, kind: Kind, address: u64, bytes: usize) {
        self.free().push((kind, address, bytes));
    }

    /// All blocks; the pool is empty then.
    pub(super) fn drain(&self) -> Vec<(Kind, u64, usize)> {
        std::mem::take(&mut self.free())
    }

    fn free(&self) -> MutexGuard<'_, Vec<(Kind, u64, usize)>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_that_fits_is_taken_once() {
        let pool = Pool::default();
        pool.give(Kind::Device, 1, 100);
        pool.give(Kind::Device, 2, 80);
        pool.give(Kind::Pinned, 3, 75);
        assert_eq!(pool.take(Kind::Device, 70), Some((2, 80)));
        assert_eq!(pool.take(Kind::Device, 70), Some((1, 100)));
        assert_eq!(pool.take(Kind::Device, 70), None);
        assert_eq!(pool.drain(), [(Kind::Pinned, 3, 75)]);
    }

    #[test]
    fn far_too_large_blocks_are_left() {
        let pool = Pool::default();
        pool.give(Kind::Device, 1, 1000);
        assert_eq!(pool.take(Kind::Device, 100), None);
        assert_eq!(pool.take(Kind::Device, 500), Some((1, 1000)));
    }
}
