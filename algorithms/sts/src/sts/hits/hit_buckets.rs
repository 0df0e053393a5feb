//! A worker for each module: the online reconstruction. And a worker for each cluster of the front,
//! which finds its partners by binary search.
//!
//! Hits go to a bucket for each module. A bucket that turns out to be too small drops hits, but its
//! counter counts them: then all workers run again with buckets of the counted capacity.

use std::sync::atomic::{AtomicU32, Ordering};

use generators_common::partition::Partition;
use parallel::shared::{CachePadded, SharedSlice};
use parallel::{Grain, for_each_range};

use super::pairs::Pairs;
use super::{ModuleFormulas, SortedClusters};
use crate::sts::Hit;
use crate::sts::rules::Rules;
use tasks::device::Arena;

/// Clusters of the front that a thread takes at a time.
const FRONTS: usize = 1024;

/// Distribution of search over threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum HitWorkers {
    /// A worker for each module, as published: it processes the clusters of both sides in order of
    /// time. Idle threads take the next module (dynamic schedule).
    Modules,
    /// A worker for each module; all threads have the same number of modules (static schedule).
    EqualShares,
    /// A worker for each cluster of the front: there are more of them than modules.
    Fronts,
}

/// Buckets of hits, one per module.
pub(in crate::sts) struct HitBuckets {
    hits: Vec<Hit>,
    capacities: Partition,
    counts: Vec<CachePadded<AtomicU32>>,
    /// Total capacity needed in the previous run.
    expected: usize,
}

impl HitBuckets {
    pub(in crate::sts) fn new() -> Self {
        HitBuckets {
            hits: Vec::new(),
            capacities: Partition::from_lengths([]),
            counts: Vec::new(),
            expected: 0,
        }
    }

    /// Takes buffers of the capacity needed in the previous run.
    pub(in crate::sts) fn take(&mut self, arena: &Arena) {
        self.hits = arena.take_to_fill(self.expected);
    }

    /// Gives all buffers back.
    pub(in crate::sts) fn release(&mut self, arena: &Arena) {
        self.expected = self.hits.len();
        arena.give(std::mem::take(&mut self.hits));
    }

    /// Makes buckets with these capacities, and sets all counters to 0.
    pub(in crate::sts) fn set_capacities(&mut self, capacities: impl Iterator<Item = usize>) {
        self.capacities = Partition::from_lengths(capacities);
        self.hits.resize(self.capacities.elements(), Hit::default());
        self.counts.clear();
        self.counts.resize_with(self.capacities.segments(), CachePadded::default);
    }

    /// Finds the hits of all modules; `latest_error` returns the largest time error of a side.
    pub(in crate::sts) fn find<P: Rules>(
        &mut self,
        clusters: SortedClusters<'_>,
        formulas: &[ModuleFormulas<f32>],
        latest_error: &(impl Fn(usize) -> f32 + Sync),
        workers: HitWorkers,
    ) {
        loop {
            let hits = SharedSlice::new(&mut self.hits);
            let search = HitSearch {
                pairs: &|module| {
                    let back = formulas.len() + module;
                    let latest_errors = [latest_error(module), latest_error(back)];
                    Pairs { clusters, formulas: &formulas[module], module, latest_errors }
                },
                hits: &hits,
                capacities: &self.capacities,
                counts: &self.counts,
            };
            match workers {
                HitWorkers::Modules => search.by_module::<P>(Grain::One),
                HitWorkers::EqualShares => search.by_module::<P>(Grain::Shares),
                HitWorkers::Fronts => search.by_front::<P>(&clusters.counts[..formulas.len()]),
            }
            let found: Vec<_> = self.counts().collect();
            let capacities = self.capacities.lengths();
            let fits = found.iter().zip(capacities).all(|(found, max)| *found <= max);
            if fits {
                return;
            }
            self.set_capacities(found.into_iter());
        }
    }

    /// The hits of each module.
    pub(in crate::sts) fn buckets(&self) -> impl Iterator<Item = &[Hit]> {
        let buckets = self.capacities.ranges().zip(self.counts());
        buckets.map(|(bucket, count)| &self.hits[bucket][..count])
    }

    /// The filled part of each bucket.
    pub(in crate::sts) fn filled(&mut self) -> Vec<&mut [Hit]> {
        let counts: Vec<_> = self.counts().collect();
        self.hits.resize(self.capacities.elements(), Hit::default());
        let buckets = self.capacities.split_mut(&mut self.hits).into_iter();
        let buckets = buckets.zip(counts);
        buckets.map(|(all, count)| &mut all[..count]).collect()
    }

    fn counts(&self) -> impl Iterator<Item = usize> {
        let counts = self.counts.iter();
        counts.map(|count| count.0.load(Ordering::Relaxed) as usize)
    }

    /// All buckets, to be overwritten.
    pub(in crate::sts) fn hits_mut(&mut self) -> &mut [Hit] {
        &mut self.hits
    }
}

/// Data shared by all workers; `pairs` returns those of a module.
struct HitSearch<'a, F> {
    pairs: &'a F,
    hits: &'a SharedSlice<'a, Hit>,
    capacities: &'a Partition,
    counts: &'a [CachePadded<AtomicU32>],
}

impl<'a, F: Fn(usize) -> Pairs<'a> + Sync> HitSearch<'_, F> {
    fn by_module<P: Rules>(&self, grain: Grain) {
        for_each_range(self.counts.len(), grain, |modules| {
            for module in modules {
                let mut count = 0;
                (self.pairs)(module).find_all::<P>(|hit| {
                    // SAFETY: the module is this worker's alone, and each number is there once.
                    unsafe { self.put(module, count, hit) };
                    count += 1;
                });
                self.counts[module].0.store(count as u32, Ordering::Relaxed);
            }
        });
    }

    /// `fronts` are the clusters of the front of each module.
    fn by_front<P: Rules>(&self, fronts: &[usize]) {
        let fronts = Partition::from_lengths(fronts.iter().copied());
        for_each_range(fronts.elements(), Grain::AtLeast(FRONTS), |numbers| {
            for front in numbers {
                let module = fronts.segment_of(front);
                let found = |hit| {
                    let index = self.counts[module].0.fetch_add(1, Ordering::Relaxed) as usize;
                    // SAFETY: the counter gives each number of a bucket once.
                    unsafe { self.put(module, index, hit) };
                };
                (self.pairs)(module).find_one::<P>(front - fronts.range(module).start, found);
            }
        });
    }

    /// Writes a hit to a bucket if its index is below the bucket's capacity.
    ///
    /// # Safety
    /// No other thread writes a hit with this module and index.
    unsafe fn put(&self, module: usize, index: usize, hit: Hit) {
        let bucket = self.capacities.range(module);
        if index < bucket.len() {
            // SAFETY: the index is within the bucket, and by this function's contract no other
            // thread writes there.
            unsafe { self.hits.write(bucket.start + index, hit) };
        }
    }
}
