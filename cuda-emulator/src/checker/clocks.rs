//! The clocks of a block: the events that happened before, as far as each of its threads knows.
//!
//! Barriers, `__syncwarp` and release-acquire pairs order memory; votes, shuffles and relaxed
//! atomics order nothing, as in CUDA. A thread knows nearly everything through its block's
//! barriers, so that is a number; the rest is a small map.

use std::collections::BTreeMap;

use crate::collective::lanes;

/// The clocks of a block.
pub(super) struct Clocks {
    block: u32,
    lanes: usize,
    barrier: u32,
    /// Known to all threads since the last barrier.
    common: VectorClock,
    threads: Vec<ThreadClock>,
}

#[derive(Clone, Default)]
struct ThreadClock {
    clock: u32,
    /// The clocks of the lanes of its warp that it knows.
    mates: Vec<u32>,
    /// Known to this thread, but not to all of the block.
    gained: VectorClock,
    /// Seen by relaxed loads: known after a fence.
    pending: VectorClock,
    /// The barrier and clock of its last fence.
    fence: Option<(u32, u32)>,
}

impl Clocks {
    /// Clocks before the first access.
    pub(super) fn new(block: u32, threads: usize, lanes: usize) -> Self {
        let thread = ThreadClock { clock: 1, mates: vec![0; lanes], ..ThreadClock::default() };
        Clocks {
            block,
            lanes,
            barrier: 0,
            common: VectorClock::default(),
            threads: vec![thread; threads],
        }
    }

    /// The current time of a thread.
    pub(super) fn now(&self, thread: u16) -> AccessTime {
        AccessTime {
            block: self.block,
            thread,
            barrier: self.barrier,
            clock: self.threads[usize::from(thread)].clock,
        }
    }

    /// True if the access happened before the thread's current one.
    pub(super) fn happened(&self, time: &AccessTime, thread: u16) -> bool {
        let me = &self.threads[usize::from(thread)];
        if time.block != self.block {
            return self.common.knows(time) || me.gained.knows(time);
        }
        let other = usize::from(time.thread);
        let same_warp = other / self.lanes == usize::from(thread) / self.lanes;
        time.thread == thread
            || time.barrier < self.barrier
            || (same_warp && me.mates[other % self.lanes] >= time.clock)
            || me.gained.knows(time)
    }

    /// Handles a barrier that all threads have reached.
    pub(super) fn at_barrier(&mut self) {
        self.barrier += 1;
        for thread in &mut self.threads {
            if !thread.gained.is_empty() {
                self.common.merge(&thread.gained);
                thread.gained = VectorClock::default();
            }
        }
    }

    /// Handles a `__syncwarp` that the lanes of `mask` have reached.
    pub(super) fn at_warp_sync(&mut self, warp: usize, mask: u64) {
        let warp = &mut self.threads[warp * self.lanes..];
        let mut mates = vec![0; self.lanes];
        let mut gained = VectorClock::default();
        for lane in lanes(mask) {
            let thread = &warp[lane as usize];
            for (known, other) in mates.iter_mut().zip(&thread.mates) {
                raise(known, *other);
            }
            raise(&mut mates[lane as usize], thread.clock);
            gained.merge(&thread.gained);
        }
        for lane in lanes(mask) {
            let thread = &mut warp[lane as usize];
            thread.mates.copy_from_slice(&mates);
            thread.gained.clone_from(&gained);
            thread.clock += 1;
        }
    }

    /// Handles a fence of a thread: it now knows what it saw before, and its later writes publish
    /// what it did before.
    pub(super) fn at_fence(&mut self, thread: u16) {
        let barrier = self.barrier;
        let thread = &mut self.threads[usize::from(thread)];
        let pending = std::mem::take(&mut thread.pending);
        thread.gained.merge(&pending);
        thread.fence = Some((barrier, thread.clock));
        thread.clock += 1;
    }

    /// A thread reads a value with a published clock.
    pub(super) fn sees(&mut self, thread: u16, published: &VectorClock, acquires: bool) {
        let thread = &mut self.threads[usize::from(thread)];
        let known = if acquires { &mut thread.gained } else { &mut thread.pending };
        known.merge(published);
    }

    /// The clock that a thread publishes with an atomic write: all it knows, if it releases.
    /// Otherwise all it knew at its fence, which stays valid over one barrier: all threads fence,
    /// meet, and one of them sets a flag.
    pub(super) fn publishes(&mut self, thread: u16, releases: bool) -> Option<VectorClock> {
        let clock = self.threads[usize::from(thread)].clock;
        if releases {
            self.threads[usize::from(thread)].clock += 1;
            return Some(self.everything(thread, clock));
        }
        let (barrier, clock) = self.threads[usize::from(thread)].fence?;
        (barrier + 1 >= self.barrier).then(|| self.everything(thread, clock))
    }

    fn everything(&self, number: u16, clock: u32) -> VectorClock {
        let thread = &self.threads[usize::from(number)];
        let mut all = self.common.clone();
        all.merge(&thread.gained);
        all.blocks.insert(self.block, self.barrier);
        let first = usize::from(number) / self.lanes * self.lanes;
        for (mate, &clock) in (first..).zip(&thread.mates).filter(|(_, clock)| **clock > 0) {
            // A block has at most 1024 threads.
            all.threads.insert((self.block, mate as u16), clock);
        }
        all.threads.insert((self.block, number), clock);
        all
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn clocks(block: u32) -> Clocks {
        Clocks::new(block, 64, 32)
    }

    #[test]
    fn barriers_order_a_block() {
        let mut clocks = clocks(0);
        let before = clocks.now(3);
        assert!(clocks.happened(&before, 3) && !clocks.happened(&before, 40));
        clocks.at_barrier();
        assert!(clocks.happened(&before, 40));
    }

    #[test]
    fn a_warp_orders_its_own() {
        let mut clocks = clocks(0);
        let before = clocks.now(33);
        clocks.at_warp_sync(1, 0b110);
        let after = clocks.now(33);
        assert!(clocks.happened(&before, 34));
        assert!(!clocks.happened(&before, 35), "not in the mask");
        assert!(!clocks.happened(&after, 34));
    }

    #[test]
    fn a_release_carries_what_the_block_did_before_its_barrier() {
        let mut one = clocks(0);
        let mut two = clocks(1);
        let early = one.now(50);
        one.at_barrier();
        let late = one.now(50);
        let published = one.publishes(0, true).expect("releases");
        two.sees(7, &published, true);
        assert!(two.happened(&early, 7) && !two.happened(&late, 7));
        assert!(!two.happened(&early, 8));
        two.at_barrier();
        assert!(two.happened(&early, 8), "thread 7 released to all");
    }

    #[test]
    fn relaxed_writes_publish_what_was_before_a_fence() {
        let mut one = clocks(0);
        let mut two = clocks(1);
        assert!(one.publishes(0, false).is_none());
        let before = one.now(0);
        one.at_fence(0);
        let after = one.now(0);
        let published = one.publishes(0, false).expect("fenced");
        two.sees(0, &published, false);
        assert!(!two.happened(&before, 0), "not without a fence");
        two.at_fence(0);
        assert!(two.happened(&before, 0) && !two.happened(&after, 0));
    }
}
