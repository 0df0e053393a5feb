//! Vector clocks: the events that happened before, as far as a thread knows.
//!
//! Barriers, `__syncwarp` and release-acquire pairs order memory; votes, shuffles and relaxed
//! atomics order nothing, as in CUDA. A thread knows nearly everything through its block's
//! barriers, so that is a number; the rest is a small map.

use std::collections::BTreeMap;

/// An access: its thread, and the time on the thread's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AccessTime {
    pub(super) block: u32,
    pub(super) thread: u16,
    /// Barriers of the block before it.
    pub(super) barrier: u32,
    /// The thread's clock, which ticks with each release.
    pub(super) clock: u32,
}

/// A set of accesses.
#[derive(Clone, Debug, Default)]
pub(super) struct VectorClock {
    /// For a block: all accesses before this barrier.
    pub(super) blocks: BTreeMap<u32, u32>,
    /// For a thread: all accesses up to this clock.
    pub(super) threads: BTreeMap<(u32, u16), u32>,
}

impl VectorClock {
    pub(super) fn knows(&self, time: &AccessTime) -> bool {
        let AccessTime { block, thread, barrier, clock } = time;
        let by_block = self.blocks.get(block).is_some_and(|known| known > barrier);
        let by_thread = || self.threads.get(&(*block, *thread));
        by_block || by_thread().is_some_and(|known| known >= clock)
    }

    pub(super) fn merge(&mut self, other: &VectorClock) {
        for (&block, &barrier) in &other.blocks {
            raise(self.blocks.entry(block).or_default(), barrier);
        }
        for (&thread, &clock) in &other.threads {
            raise(self.threads.entry(thread).or_default(), clock);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.threads.is_empty()
    }
}

pub(super) fn raise(known: &mut u32, to: u32) {
    *known = to.max(*known);
}
