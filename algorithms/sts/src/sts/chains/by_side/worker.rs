//! Data of a worker.

use std::ops::Range;

use generators_sts::Digi;

use crate::sts::Hit;
use crate::sts::clusters::{ByChannel, TimeSweep};
use crate::sts::data::digi_order;
use crate::sts::hits::Windows;
use crate::sts_sort::cpu::sort_alone_in_place;

/// Scratch buffers, and the hits found with them. Each worker has its own cache lines, and the next
/// ones, which the prefetcher loads along: the number of hits is written with every hit.
#[repr(align(128))]
pub(super) struct Worker {
    pub(super) time_sweep: TimeSweep,
    pub(super) by_channel: ByChannel,
    pub(super) windows: Windows,
    pub(super) hits: Vec<Hit>,
    /// Index of each job and the range of its hits.
    pub(super) found: Vec<(usize, Range<usize>)>,
    scratch: Vec<Digi>,
}

impl Worker {
    pub(super) fn new() -> Self {
        Worker {
            time_sweep: TimeSweep::new(),
            by_channel: ByChannel::new(),
            windows: Windows::default(),
            hits: Vec::new(),
            found: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// The buffer of all hits found, to be overwritten by a copy of them.
    pub(super) fn hits_again(&mut self) -> &mut [Hit] {
        let ends = self.found.iter().map(|(_, range)| range.end);
        self.hits.resize(ends.max().unwrap_or(0), Hit::default());
        &mut self.hits
    }

    /// Sorts the digis of a side by channel and time, and those of both alike by charge.
    pub(super) fn sort_by_channel(&mut self, digis: &mut [Digi]) {
        if self.scratch.len() < digis.len() {
            self.scratch.resize(digis.len(), Digi::default());
        }
        sort_alone_in_place(digis, &mut self.scratch);
        for equal in digis.chunk_by_mut(|a, b| a.key() == b.key()) {
            equal.sort_unstable_by_key(digi_order);
        }
    }
}
