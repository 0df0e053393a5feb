//! The checker's state of a block.

use std::collections::BTreeMap;
use std::ops::Range;

use super::clocks::Clocks;
use super::spaces::Space;
use super::vector_clock::VectorClock;

/// The clocks of a block, and its shared memory.
pub(crate) struct CheckedBlock {
    pub(super) clocks: Clocks,
    pub(super) threads: usize,
    pub(super) lanes: usize,
    pub(super) dynamic_shared: Space,
    pub(super) static_shared: Space,
    /// Clocks published at addresses of shared memory.
    pub(super) published: BTreeMap<usize, VectorClock>,
    /// Memory that kernels read of their own parameters, which is not device memory.
    pub(super) own: Vec<Range<usize>>,
}

impl CheckedBlock {
    /// Creates the state of a block with shared memory at these addresses.
    pub(crate) fn new(
        threads: usize,
        lanes: usize,
        dynamic_shared: Range<usize>,
        static_shared: Range<usize>,
        own: Vec<Range<usize>>,
    ) -> Box<Self> {
        let space = |range: Range<usize>| Space::new(range.start, vec![false; range.len()]);
        Box::new(CheckedBlock {
            clocks: Clocks::new(0, threads, lanes),
            threads,
            lanes,
            dynamic_shared: space(dynamic_shared),
            static_shared: space(static_shared),
            published: BTreeMap::new(),
            own,
        })
    }

    /// Nothing has happened yet in the block of that number.
    pub(crate) fn begin(&mut self, number: u64) {
        // Checking more blocks than that would take too long in any case.
        self.clocks = Clocks::new(number as u32, self.threads, self.lanes);
        self.dynamic_shared.clear();
        self.static_shared.clear();
        self.published.clear();
    }

    pub(crate) fn at_barrier(&mut self) {
        self.clocks.at_barrier();
    }

    pub(crate) fn at_warp_sync(&mut self, warp: usize, mask: u64) {
        self.clocks.at_warp_sync(warp, mask);
    }

    pub(crate) fn at_fence(&mut self, thread: u32) {
        self.clocks.at_fence(thread as u16);
    }
}
