//! A worker for each module side or, if a side is large, part of it.
//!
//! Sides in order of time are split where no digis arrive for longer than the window: no cluster
//! crosses such a gap. Modules are split between clusters of the front. So a hot module is shared
//! by all threads.

mod parts;
mod products;
mod worker;

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, Ordering};

use generators_common::partition::Partition;
use parallel::fill;
use portable_gpu::DeviceError;

use super::arrays::Arrays;
use super::share_out::{largest_first, share_out};
use super::snapshots::{BufferParts, Snapshot, filled};
use super::{Chain, Preconditions, USUAL, with_or_without_unpacking};
use crate::sts::cluster_order::{is_in_order, sort_nearly_sorted, write_entries};
use crate::sts::collect::{HitOrder, copy, make_streams};
use crate::sts::formulas::Side;
use crate::sts::hits::{WindowInput, WindowJob, window_jobs};
use crate::sts::presort::Permutation;
use crate::sts::rules::Rules;
use crate::sts::{ChainStage, Hit, Product, Timeslice};
use crate::sts_unpack::cpu;
use parts::{Part, cut};
use tasks::algorithm::{Digest, Segments};
use tasks::device::{Arena, Buffers};
use worker::Worker;

/// Pieces for each thread: enough to even out.
const PIECES: usize = 8;
/// Digis below which a piece costs more than it saves.
const MIN_DIGIS: usize = 1 << 14;
/// Maximum number of fronts of a piece, so that its data stay in the cache.
const MAX_FRONTS: usize = 1 << 13;
/// Spare capacity for hits of a worker: one part in this many.
const SPARE_HITS: usize = 4;

/// Algorithm that finds clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum Clustering {
    /// Digis are sorted by channel, neighbouring channels are merged.
    ByChannel,
    /// In one pass in order of time.
    TimeSweep,
}

/// Flat arrays, and the results of parts of them.
pub(in crate::sts) struct BySide<'a, P> {
    arrays: Arrays<'a>,
    clustering: Clustering,
    hit_order: HitOrder,
    workers: Vec<Worker>,
    parts: Vec<Part>,
    latest_errors: Vec<f32>,
    jobs: Vec<WindowJob>,
    /// Capacity of a worker's list of hits.
    hits_of_worker: usize,
    rules: PhantomData<P>,
}

impl<'a, P: Rules> BySide<'a, P> {
    pub(in crate::sts) fn new(
        input: &'a Timeslice,
        threads: usize,
        clustering: Clustering,
        hit_order: HitOrder,
    ) -> Self {
        BySide {
            arrays: Arrays::new(input),
            clustering,
            hit_order,
            workers: (0..threads).map(|_| Worker::new()).collect(),
            parts: Vec::new(),
            latest_errors: Vec::new(),
            jobs: Vec::new(),
            hits_of_worker: 0,
            rules: PhantomData,
        }
    }

    /// True if raw data are unpacked directly to module sides, without a stream in between.
    fn puts_raw_to_sides(&self) -> bool {
        self.arrays.raw.is_some() && !self.arrays.makes_stream()
    }

    fn presort(&mut self) {
        let arrays = &mut self.arrays;
        let threads = self.workers.len();
        match &mut arrays.raw {
            Some(raw) if !raw.makes_stream() => {
                let counts = raw.scatter(&arrays.table, &mut arrays.digis, threads);
                arrays.sides = Partition::from_lengths(counts);
            }
            _ => arrays.scatter(threads, Permutation::Unwanted),
        }
    }

    fn sort(&mut self) {
        match self.clustering {
            Clustering::ByChannel => {
                let sides = self.arrays.sides.split_mut(&mut self.arrays.digis);
                let sides = largest_first(sides, |side| side.len());
                share_out(sides, &mut self.workers, |side, worker| worker.sort_by_channel(side));
            }
            Clustering::TimeSweep => self.sort_by_time(),
        }
    }

    /// Sorts sides whose digis are not in order of time; raw data are out of order only within
    /// epochs. The order is checked piece by piece, so that a few large sides keep all threads
    /// busy.
    fn sort_by_time(&mut self) {
        let sides = &self.arrays.sides;
        let digis = &mut self.arrays.digis;
        let mut disorder: Vec<_> = sides.ranges().map(|_| AtomicBool::new(false)).collect();
        let pieces = sides.ranges().zip(&disorder).flat_map(|(side, disorder)| {
            let starts = side.clone().step_by(MIN_DIGIS);
            // The first one of the next piece is compared along.
            starts.map(move |start| (start..side.end.min(start + MIN_DIGIS + 1), disorder))
        });
        share_out(pieces.collect(), &mut self.workers, |(piece, disorder), _| {
            if !is_in_order(&digis[piece]) {
                disorder.store(true, Ordering::Relaxed);
            }
        });
        let left = sides.split_mut(digis).into_iter().zip(&mut disorder);
        let left = left.filter_map(|(side, disorder)| disorder.get_mut().then_some(side)).collect();
        share_out(largest_first(left, |side| side.len()), &mut self.workers, |side, _| {
            sort_nearly_sorted(side, |digi| digi.time_ns());
        });
    }

    fn cluster(&mut self) {
        let min_length = self.part_length();
        let arrays = &mut self.arrays;
        let digis = &arrays.digis;
        let formulas = &arrays.formulas;
        self.parts = cut::<P>(&arrays.sides, digis, min_length, formulas);
        let fronts = arrays.modules.len();
        let lengths = self.parts.iter().map(|part| part.digis.len());
        let buffers = Partition::from_lengths(lengths).split_mut(&mut arrays.clusters);
        let pieces = self.parts.iter_mut().zip(buffers).collect();
        let pieces = largest_first(pieces, |(part, _)| part.digis.len());
        let clustering = self.clustering;
        share_out(pieces, &mut self.workers, |(part, clusters), worker| {
            let side = if part.side < fronts { Side::Front } else { Side::Back };
            let digis = &digis[part.digis.clone()];
            part.found = match clustering {
                Clustering::ByChannel => {
                    worker.by_channel.find::<P>(digis, formulas, side, clusters)
                }
                Clustering::TimeSweep => {
                    worker.time_sweep.find::<P>(digis, formulas, side, clusters)
                }
            };
        });
        self.sum_up();
    }

    /// Minimum number of digis of a part: only sides in order of time can be split.
    fn part_length(&self) -> usize {
        match (self.workers.len(), self.clustering) {
            (1, _) | (_, Clustering::ByChannel) => usize::MAX,
            (threads, _) => (self.arrays.digis.len() / (PIECES * threads)).max(MIN_DIGIS),
        }
    }

    /// Sums up the clusters and latest errors that the parts of each side found.
    fn sum_up(&mut self) {
        self.arrays.counts.clear();
        self.arrays.counts.resize(self.arrays.sides.segments(), 0);
        self.latest_errors.clear();
        self.latest_errors.resize(self.arrays.sides.segments(), 0.0);
        for part in &self.parts {
            self.arrays.counts[part.side] += part.found.clusters;
            let latest = &mut self.latest_errors[part.side];
            *latest = latest.max(part.found.latest_error);
        }
    }

    /// Entries of all parts of a side are contiguous: sorted parts make a sorted side, because no
    /// cluster of a part is later than one of the next part.
    fn sort_clusters(&mut self) {
        let sides = &self.arrays.sides;
        let clusters = &self.arrays.clusters;
        let free = sides.split_mut(&mut self.arrays.entries);
        let mut free: Vec<_> = free.into_iter().map(Some).collect();
        let mut pieces = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let of_side = free[part.side].take().unwrap_or_default();
            let (entries, rest) = of_side.split_at_mut(part.found.clusters);
            free[part.side] = Some(rest);
            pieces.push((part, entries));
        }
        let pieces = largest_first(pieces, |(part, _)| part.found.clusters);
        share_out(pieces, &mut self.workers, |(part, entries), _| {
            let first = part.digis.start - sides.range(part.side).start;
            let clusters = &clusters[part.digis.start..][..part.found.clusters];
            write_entries(clusters, first as u32, entries);
            sort_nearly_sorted(entries, |entry| entry.time);
        });
        self.sort_across_parts();
    }

    /// Sorts sides that are out of order across parts: rounded times may be later than exact ones, so
    /// a part may end with later clusters than the next starts with. Within parts entries are in
    /// order, so one thread only checks the boundaries.
    fn sort_across_parts(&mut self) {
        let sides = self.parts.chunk_by(|a, b| a.side == b.side);
        for parts in sides.filter(|parts| parts.len() > 1) {
            let side = parts[0].side;
            let start = self.arrays.sides.range(side).start;
            let entries = &mut self.arrays.entries[start..start + self.arrays.counts[side]];
            let mut end = 0;
            let in_order = parts.iter().all(|part| {
                let first = end;
                end += part.found.clusters;
                first == 0 || first == end || entries[first - 1].time <= entries[first].time
            });
            if !in_order {
                sort_nearly_sorted(entries, |entry| entry.time);
            }
        }
    }

    fn find_hits(&mut self) {
        let fronts = &self.arrays.counts[..self.arrays.modules.len()];
        let share = fronts.iter().sum::<usize>() / (PIECES * self.workers.len());
        self.jobs = window_jobs(fronts, share.clamp(64, MAX_FRONTS));
        for worker in &mut self.workers {
            worker.hits.clear();
            worker.found.clear();
        }
        let jobs = self.jobs.iter().enumerate().collect();
        let jobs = largest_first(jobs, |(_, job)| job.fronts.len());
        let clusters = self.arrays.sorted_clusters();
        share_out(jobs, &mut self.workers, |(index, job), worker| {
            let formulas = &self.arrays.modules[job.module];
            let latest = self.latest_errors[self.arrays.modules.len() + job.module];
            let start = worker.hits.len();
            let input = WindowInput { job, clusters, formulas, latest };
            worker.windows.find::<P>(input, &mut worker.hits);
            worker.found.push((index, start..worker.hits.len()));
        });
    }

    /// Capacity for the hits of the busiest worker of the previous run, and some more. A faster
    /// worker takes more jobs, and that is another worker in each run; all would wait for a list
    /// that is reallocated.
    fn hit_capacity(&self) -> usize {
        let found = self.workers.iter().map(|worker| worker.hits.len());
        let max = found.max().unwrap_or(0);
        if self.workers.len() > 1 { max + max / SPARE_HITS } else { max }
    }

    fn collect(&mut self) {
        let mut flat = std::mem::take(&mut self.arrays.flat);
        self.arrays.hit_partition = copy(&self.pieces(), &mut flat);
        if self.hit_order == HitOrder::Streams {
            make_streams(&mut flat, &self.modules_partition(), |hits| {
                sort_nearly_sorted(hits, |hit| hit.time);
            });
        }
        self.arrays.flat = flat;
    }

    /// Partition of the hits, collected by job, into modules.
    fn modules_partition(&self) -> Partition {
        let mut hits = vec![0; self.arrays.modules.len()];
        for (job, found) in self.jobs.iter().zip(self.arrays.hit_partition.lengths()) {
            hits[job.module] += found;
        }
        Partition::from_lengths(hits)
    }

    /// The hits of all jobs, in their order.
    fn pieces(&self) -> Vec<&[Hit]> {
        let mut pieces = vec![&[][..]; self.jobs.len()];
        for worker in &self.workers {
            for (job, range) in &worker.found {
                pieces[*job] = &worker.hits[range.clone()];
            }
        }
        pieces
    }
}

impl<P: Rules> Buffers for BySide<'_, P> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.arrays.poison();
        for worker in &mut self.workers {
            fill(&mut worker.hits, Hit::default());
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.arrays.bytes() as u64
    }
}

impl<P: Rules> Chain for BySide<'_, P> {
    fn stages(&self) -> &'static [ChainStage] {
        with_or_without_unpacking(&USUAL, self.arrays.makes_stream())
    }

    fn run(&mut self, stage: ChainStage) -> Result<(), DeviceError> {
        match stage {
            ChainStage::Unpack => self.arrays.unpack(cpu::SIMD),
            ChainStage::Presort => self.presort(),
            ChainStage::Zero => {}
            ChainStage::Sort => self.sort(),
            ChainStage::Cluster => self.cluster(),
            ChainStage::ClusterSort => self.sort_clusters(),
            ChainStage::Hits => self.find_hits(),
            ChainStage::Collect => self.collect(),
        }
        Ok(())
    }

    fn inputs_of(&mut self, next: ChainStage) -> Vec<Box<dyn Snapshot + '_>> {
        let parts = &self.parts;
        let arrays = &mut self.arrays;
        match next {
            ChainStage::Unpack | ChainStage::Presort => Vec::new(),
            ChainStage::Zero | ChainStage::Sort | ChainStage::Cluster => {
                vec![Box::new(BufferParts(vec![&mut arrays.digis]))]
            }
            ChainStage::ClusterSort => {
                vec![Box::new(parts::clusters_of(parts, &mut arrays.clusters))]
            }
            ChainStage::Hits => {
                let entries = filled(&mut arrays.entries, &arrays.sides, &arrays.counts);
                let clusters = parts::clusters_of(parts, &mut arrays.clusters);
                vec![Box::new(clusters), Box::new(entries)]
            }
            ChainStage::Collect => {
                let hits = self.workers.iter_mut().map(Worker::hits_again);
                vec![Box::new(BufferParts(hits.collect()))]
            }
        }
    }

    fn product(&mut self, stage: ChainStage) -> Result<Product, DeviceError> {
        Ok(self.output(stage))
    }

    fn begin_with_raw(&mut self) {
        let threads = self.workers.len();
        let parts = (self.clustering == Clustering::TimeSweep).then_some(threads);
        self.arrays.begin_with_raw(parts);
    }

    fn preconditions(&self) -> Preconditions {
        let presort = if self.puts_raw_to_sides() { "raw data" } else { "" };
        match self.clustering {
            Clustering::TimeSweep => Preconditions { presort, ..Preconditions::TIME_SWEEP },
            Clustering::ByChannel => Preconditions { presort, ..Preconditions::BY_CHANNEL },
        }
    }

    fn take(&mut self, arena: &Arena) -> Result<(), DeviceError> {
        self.arrays.take(arena);
        for worker in &mut self.workers {
            worker.hits = arena.take_to_fill(self.hits_of_worker);
            worker.hits.clear();
        }
        Ok(())
    }

    fn digest(&mut self, segments: Segments) -> Result<Option<Digest>, DeviceError> {
        Ok(Some(self.arrays.digest(&self.modules_partition(), segments)))
    }

    fn release(&mut self, arena: &Arena) {
        self.arrays.release(arena);
        self.hits_of_worker = self.hits_of_worker.max(self.hit_capacity());
        for worker in &mut self.workers {
            arena.give(std::mem::take(&mut worker.hits));
        }
    }
}
