//! A worker for each digi, connected by atomic words: the online reconstruction.
//!
//! Each digi has a word, its *connector*: the index of its successor in its side, and a bit that is
//! set if it has a predecessor. Index 0 means no successor: successors lie in higher channels, so
//! never at index 0. Workers write the words in any order; afterwards, each digi without a
//! predecessor is the head of a cluster.
//!
//! As published, each worker finds its side by itself; a binary search replaces the published
//! linear one, which would take most of the time.

use std::ops::Range;
use std::slice::from_mut;
use std::sync::atomic::{AtomicU32, Ordering};

use generators_common::partition::Partition;
use generators_sts::{CHANNELS_PER_SIDE, Digi};
use parallel::shared::{CachePadded, SharedSlice};
use parallel::{Grain, for_each_numbered, for_each_part, for_each_range};

use super::ClusterFormulas;
use super::formulas::{Chain, offset};
use crate::sts::Cluster;
use crate::sts::formulas::Side;
use crate::sts::rules::{Rules, Successors, Window};

/// Set for digis that follow another one.
const FOLLOWS: u32 = 1 << 31;
const CHANNELS: usize = CHANNELS_PER_SIDE as usize;
/// First digi of each channel of a side, and the end of the last channel.
const OFFSETS: usize = CHANNELS + 1;
/// Workers that a thread runs at a time.
const WORKERS: usize = 4096;

/// All digis, each side in order of channel and time.
#[derive(Clone, Copy)]
pub(in crate::sts) struct SortedDigis<'a> {
    pub(in crate::sts) digis: &'a [Digi],
    pub(in crate::sts) sides: &'a Partition,
}

/// Buffers shared by all workers.
#[derive(Default)]
pub(in crate::sts) struct Connectors {
    connectors: Vec<AtomicU32>,
    channels: Vec<u32>,
    sides: Vec<CachePadded<SideResult>>,
}

/// Threads that set connectors to 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum Zeroing {
    /// One thread, as a call of `memset` does.
    Serial,
    /// All threads, each a part.
    Parallel,
}

/// Cluster count and latest error of a side.
#[derive(Default)]
struct SideResult {
    clusters: AtomicU32,
    /// The bits of the largest error of a time.
    error: AtomicU32,
}

impl Connectors {
    /// Allocates buffers for `digis` digis and `sides` sides.
    pub(in crate::sts) fn reserve(&mut self, digis: usize, sides: usize) {
        self.connectors.resize_with(digis, AtomicU32::default);
        self.channels.resize(OFFSETS * sides, 0);
        self.sides.resize_with(sides, CachePadded::default);
    }

    /// Bytes of the shared buffers for `digis` digis and `sides` sides.
    pub(in crate::sts) fn bytes(digis: usize, sides: usize) -> usize {
        (digis + OFFSETS * sides) * size_of::<u32>() + sides * size_of::<CachePadded<SideResult>>()
    }

    /// Sets everything to 0, which workers rely on.
    pub(in crate::sts) fn zero(&mut self, zeroing: Zeroing) {
        let clear = |connectors: &mut [AtomicU32]| {
            connectors.iter_mut().for_each(|connector| *connector.get_mut() = 0);
        };
        self.sides.fill_with(CachePadded::default);
        match zeroing {
            Zeroing::Serial => {
                clear(&mut self.connectors);
                self.channels.fill(0);
            }
            Zeroing::Parallel => {
                for_each_part(&mut self.connectors, Grain::Adaptive, |_, part| clear(part));
                for_each_part(&mut self.channels, Grain::Adaptive, |_, offsets| offsets.fill(0));
            }
        }
    }

    /// Finds the clusters of all sides. Each side has capacity for one cluster per digi; the order
    /// of clusters within a side is unspecified.
    pub(in crate::sts) fn find<P: Rules>(
        &mut self,
        sorted: SortedDigis<'_>,
        formulas: &ClusterFormulas,
        clusters: &mut [Cluster],
    ) {
        self.find_channels(sorted);
        let digis = sorted.digis.len();
        for_each_range(digis, Grain::AtLeast(WORKERS), |indices| {
            indices.for_each(|index| self.connect::<P>(sorted, index, &formulas.window));
        });
        let clusters = SharedSlice::new(clusters);
        for_each_range(digis.div_ceil(WORKERS), Grain::Adaptive, |parts| {
            let mut chain = Chain::new();
            for index in parts.start * WORKERS..digis.min(parts.end * WORKERS) {
                self.follow::<P>(sorted, index, formulas, &mut chain, &clusters);
            }
        });
    }

    /// The clusters that were found in each side.
    pub(in crate::sts) fn counts(&self) -> impl Iterator<Item = usize> {
        let counts = self.sides.iter();
        counts.map(|side| side.0.clusters.load(Ordering::Relaxed) as usize)
    }

    /// The largest error of a time in a side.
    pub(in crate::sts) fn latest_error(&self, side: usize) -> f32 {
        f32::from_bits(self.sides[side].0.error.load(Ordering::Relaxed))
    }

    /// The bits of the largest errors of all sides.
    pub(in crate::sts) fn latest_errors(&mut self) -> Vec<&mut [u32]> {
        let sides = self.sides.iter_mut();
        sides.map(|side| from_mut(side.0.error.get_mut())).collect()
    }

    fn find_channels(&mut self, sorted: SortedDigis<'_>) {
        for_each_numbered(self.channels.chunks_mut(OFFSETS), |side, offsets| {
            let digis = &sorted.digis[sorted.sides.range(side)];
            let mut next = 0;
            for (index, digi) in digis.iter().enumerate() {
                while next <= usize::from(digi.channel()) {
                    offsets[next] = index as u32;
                    next += 1;
                }
            }
            offsets[next..].fill(digis.len() as u32);
        });
    }

    fn connect<P: Rules>(&self, sorted: SortedDigis<'_>, index: usize, window: &Window) {
        let side = sorted.sides.segment_of(index);
        let range = sorted.sides.range(side);
        let worker = Worker {
            digis: &sorted.digis[range.clone()],
            connectors: &self.connectors[range.clone()],
            channels: &self.channels[side * OFFSETS..(side + 1) * OFFSETS],
            window,
        };
        match P::SUCCESSORS {
            Successors::Shared => worker.connect_one::<P>(index - range.start),
            Successors::Exclusive => worker.connect_run::<P>(index - range.start),
        }
    }

    fn follow<P: Rules>(
        &self,
        sorted: SortedDigis<'_>,
        index: usize,
        formulas: &ClusterFormulas,
        chain: &mut Chain,
        clusters: &SharedSlice<'_, Cluster>,
    ) {
        let mut connector = self.connectors[index].load(Ordering::Relaxed);
        if connector & FOLLOWS != 0 {
            return;
        }
        let side = sorted.sides.segment_of(index);
        let start = sorted.sides.range(side).start;
        chain.begin();
        chain.push(sorted.digis[index]);
        while connector & !FOLLOWS != 0 {
            let next = start + (connector & !FOLLOWS) as usize;
            chain.push(sorted.digis[next]);
            connector = self.connectors[next].load(Ordering::Relaxed);
        }
        let is_front = side < sorted.sides.segments() / 2;
        let offset = offset(if is_front { Side::Front } else { Side::Back });
        let first = sorted.digis[index].channel();
        let cluster = formulas.cluster::<P>(first, chain, offset);
        let found = &self.sides[side].0;
        let number = found.clusters.fetch_add(1, Ordering::Relaxed) as usize;
        found.raise_error(cluster.time_error);
        // SAFETY: the counter gives each index of a side once, and a side has no more clusters than
        // digis, so the index is within the part of `clusters` that starts at `start`.
        unsafe { clusters.write(start + number, cluster) };
    }
}

impl SideResult {
    /// Few errors are larger than all before: mostly nothing is written.
    fn raise_error(&self, error: f32) {
        // Errors are positive, so their bits ascend as they do.
        let bits = error.to_bits();
        if self.error.load(Ordering::Relaxed) < bits {
            self.error.fetch_max(bits, Ordering::Relaxed);
        }
    }
}

/// One side as its workers see it.
struct Worker<'a> {
    digis: &'a [Digi],
    connectors: &'a [AtomicU32],
    channels: &'a [u32],
    window: &'a Window,
}

impl Worker<'_> {
    /// Connects a digi with the earliest one of the next channel that is near.
    fn connect_one<P: Rules>(&self, index: usize) {
        let next = self.channel(usize::from(self.digis[index].channel()) + 1);
        let follower = self.earliest::<P>(index, next.clone());
        if follower < next.end && self.is_near::<P>(index, follower) {
            self.link(index, follower);
        }
    }

    /// Connects all digis of a run if `first` is its first: digis of a channel so near to each
    /// other that they may choose the same successor. They choose one after the other, so the
    /// result is deterministic.
    fn connect_run<P: Rules>(&self, first: usize) {
        let current = self.channel(usize::from(self.digis[first].channel()));
        if first > current.start && self.is_crowded::<P>(first - 1) {
            return;
        }
        let next = self.channel(usize::from(self.digis[first].channel()) + 1);
        let mut free = next.start;
        let mut index = first;
        loop {
            let follower = self.earliest::<P>(index, free..next.end);
            if follower < next.end && self.is_near::<P>(index, follower) {
                self.link(index, follower);
                free = follower + 1;
            }
            if index + 1 >= current.end || !self.is_crowded::<P>(index) {
                return;
            }
            index += 1;
        }
    }

    /// True if a digi and the next one of its channel may both be near a third one.
    fn is_crowded<P: Rules>(&self, index: usize) -> bool {
        let time = self.digis[index].time_ns();
        let next = self.digis[index + 1].time_ns();
        next - time <= self.window.crowd_ns::<P>(next)
    }

    fn channel(&self, channel: usize) -> Range<usize> {
        match self.channels.get(channel + 1) {
            Some(&end) => self.channels[channel] as usize..end as usize,
            None => 0..0,
        }
    }

    fn earliest<P: Rules>(&self, index: usize, among: Range<usize>) -> usize {
        let time = self.digis[index].time_ns();
        let too_early = |other: &Digi| !P::not_before(self.window, time, other.time_ns());
        among.start + self.digis[among].partition_point(too_early)
    }

    fn is_near<P: Rules>(&self, index: usize, follower: usize) -> bool {
        let time = self.digis[index].time_ns();
        let other = self.digis[follower].time_ns();
        P::not_after(self.window, time, other)
    }

    fn link(&self, index: usize, follower: usize) {
        self.connectors[index].fetch_or(follower as u32, Ordering::Relaxed);
        self.connectors[follower].fetch_or(FOLLOWS, Ordering::Relaxed);
    }
}
