//! The second array, between which and the first one passes move digis.
//!
//! A segment that fits into a cache is sorted with a scratch of its thread, which stays cached from
//! one segment to the next, and is copied back. In a scratch for all segments each cache line would
//! be new: it would be read from memory to be overwritten, and stores that wait for memory delay
//! those after them.

use std::sync::{Mutex, PoisonError};

use generators::partition::Partition;
use generators::sts::Digi;

use super::parts::Split;

/// Digis that, with their scratch, fit into a thread's share of a last-level cache: 16 MB.
const CACHED: usize = 1 << 20;

/// When a sort needs a second array.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scratch {
    Always,
    /// Only if a segment is split into parts.
    WhenSplit,
    Never,
}

/// Digis of scratch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lengths {
    /// For all segments, where some don't fit a cache: as long as all of them, or none.
    pub(super) segments: usize,
    /// For each thread: as long as the longest segment that fits a cache.
    pub(super) thread: usize,
}

impl Scratch {
    pub(super) fn lengths(self, partition: &Partition, split: &Split) -> Lengths {
        let all_if = |needed| if needed { partition.elements() } else { 0 };
        match self {
            Scratch::Never => Lengths { segments: 0, thread: 0 },
            Scratch::WhenSplit => Lengths { segments: all_if(split.any(partition)), thread: 0 },
            Scratch::Always => {
                let is_cached = |&length: &usize| length <= CACHED && split.parts(length) == 1;
                let thread = partition.lengths().filter(is_cached).max().unwrap_or(0);
                let all_cached = partition.lengths().all(|length| is_cached(&length));
                Lengths { segments: all_if(!all_cached), thread }
            }
        }
    }
}

/// Threads, each of which may have a scratch that stays in its cache.
pub(crate) struct Threads<'a> {
    count: usize,
    scratches: Vec<Mutex<&'a mut [Digi]>>,
    /// Length of each scratch.
    length: usize,
}

impl<'a> Threads<'a> {
    /// Divides these digis into scratches for `count` threads.
    pub(super) fn with_scratch(count: usize, digis: &'a mut [Digi]) -> Self {
        let length = digis.len() / count;
        let scratches = digis.chunks_exact_mut(length.max(1)).map(Mutex::new).collect();
        Threads { count, scratches, length }
    }

    /// `count` threads without a scratch.
    pub(crate) fn new(count: usize) -> Self {
        Threads { count, scratches: Vec::new(), length: 0 }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// True if a thread's scratch can hold `digis` digis.
    pub(super) fn have_capacity_for(&self, digis: usize) -> bool {
        (1..=self.length).contains(&digis)
    }

    /// Calls `work` with the scratch of this thread. It must not wait for other threads: this one
    /// might then start other work that takes the same scratch.
    pub(super) fn with_mine<R>(&self, work: impl FnOnce(&mut [Digi]) -> R) -> R {
        let thread = rayon::current_thread_index().unwrap_or(0);
        let scratch = &self.scratches[thread % self.scratches.len()];
        work(&mut scratch.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sts_sort::cpu::parts::Cost;

    fn lengths(segments: &[usize], threads: usize) -> Lengths {
        let partition = Partition::from_lengths(segments.to_vec());
        let split = Split::new(&partition, threads, Cost::Linear);
        Scratch::Always.lengths(&partition, &split)
    }

    #[test]
    fn segments_that_fit_a_cache_need_one_scratch_a_thread() {
        assert_eq!(lengths(&[10, CACHED, 0], 1), Lengths { segments: 0, thread: CACHED });
        assert_eq!(lengths(&[], 4), Lengths { segments: 0, thread: 0 });
    }

    #[test]
    fn others_need_one_for_all() {
        let long = CACHED + 1;
        assert_eq!(lengths(&[10, long], 1), Lengths { segments: long + 10, thread: 10 });
        // In parts for both threads.
        assert_eq!(lengths(&[CACHED], 2), Lengths { segments: CACHED, thread: 0 });
    }

    #[test]
    fn threads_share_a_scratch_out() {
        let mut digis = vec![Digi::default(); 7];
        let threads = Threads::with_scratch(2, &mut digis);
        assert!(threads.have_capacity_for(3) && !threads.have_capacity_for(4));
        threads.with_mine(|scratch| assert_eq!(scratch.len(), 3));
        assert!(!Threads::new(2).have_capacity_for(0));
    }
}
