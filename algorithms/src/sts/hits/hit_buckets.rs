//! A worker a cluster of the front, which finds its partners by binary search: the
//! online reconstruction.
//!
//! Hits go to a bucket for each module, at places that an atomic counter gives. A
//! bucket that turns out to be too small loses hits, but the counter goes on: then all
//! workers run again with as much room as was asked for.

use std::sync::atomic::{AtomicU32, Ordering};

use generators::partition::Partition;

use super::{ModuleFormulas, SortedClusters};
use crate::device::{Apart, Arena, SharedSlice};
use crate::parallel::{Grain, for_each_range};
use crate::sts::Hit;
use crate::sts::rules::Rules;

/// Workers that a thread runs at a time.
const WORKERS: usize = 1024;

/// Buckets of hits, one a module.
pub(in crate::sts) struct HitBuckets {
    hits: Vec<Hit>,
    capacities: Partition,
    counts: Vec<Apart<AtomicU32>>,
    /// Room for so many hits was needed the last time.
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

    /// Takes as much room as was needed the last time.
    pub(in crate::sts) fn take(&mut self, arena: &Arena) {
        self.hits = arena.take(self.expected);
    }

    /// Gives all room back.
    pub(in crate::sts) fn release(&mut self, arena: &Arena) {
        self.expected = self.hits.len();
        arena.give(std::mem::take(&mut self.hits));
    }

    /// Makes buckets with room for this many hits, and sets all counters to 0.
    pub(in crate::sts) fn set_capacities(&mut self, capacities: impl Iterator<Item = usize>) {
        self.capacities = Partition::from_lengths(capacities);
        self.hits.resize(self.capacities.elements(), Hit::default());
        self.counts.clear();
        self.counts.resize_with(self.capacities.segments(), Apart::default);
    }

    /// Finds the hits of all modules; `latest_error` tells the largest error of the
    /// times of a side.
    pub(in crate::sts) fn find<P: Rules>(
        &mut self,
        clusters: SortedClusters<'_>,
        formulas: &[ModuleFormulas<f32>],
        latest_error: &(impl Fn(usize) -> f32 + Sync),
    ) {
        let fronts = clusters.counts[..formulas.len()].iter().copied();
        let fronts = Partition::from_lengths(fronts);
        loop {
            let hits = SharedSlice::new(&mut self.hits);
            let (capacities, counts) = (&self.capacities, &self.counts);
            let work = |front: usize| {
                let module = fronts.segment_of(front);
                let bucket = capacities.range(module);
                let found = |hit| {
                    let number = counts[module].0.fetch_add(1, Ordering::Relaxed) as usize;
                    if number < bucket.len() {
                        // SAFETY: the counter gives each number of a bucket once, and
                        // this one is within the bucket.
                        unsafe { hits.write(bucket.start + number, hit) };
                    }
                };
                let worker = Worker {
                    clusters,
                    formulas: &formulas[module],
                    module,
                    latest_error: latest_error(formulas.len() + module),
                };
                worker.find::<P>(front - fronts.range(module).start, found);
            };
            for_each_range(fronts.elements(), Grain::AtLeast(WORKERS), |fronts| {
                fronts.for_each(work);
            });
            let found: Vec<_> = self.counts().collect();
            let capacities = self.capacities.lengths();
            let fits = found.iter().zip(capacities).all(|(found, most)| *found <= most);
            if fits {
                return;
            }
            self.set_capacities(found.into_iter());
        }
    }

    /// The hits of each module.
    pub(in crate::sts) fn buckets(&self) -> impl Iterator<Item = &[Hit]> {
        let buckets = self.capacities.ranges().zip(self.counts());
        buckets.map(|(room, count)| &self.hits[room][..count])
    }

    /// Places for the hits of all buckets, to be copied back.
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

struct Worker<'a> {
    clusters: SortedClusters<'a>,
    formulas: &'a ModuleFormulas<f32>,
    module: usize,
    latest_error: f32,
}

impl Worker<'_> {
    /// The hits of the front's cluster with this number in order of time.
    fn find<P: Rules>(&self, number: usize, mut found: impl FnMut(Hit)) {
        let front = self.clusters.cluster(self.module, number);
        let back_side = self.clusters.counts.len() / 2 + self.module;
        let entries = self.clusters.entries(back_side);
        let backs = self.clusters.clusters(back_side);
        let (error, latest) = (front.time_error, self.latest_error);
        let most = self.formulas.time_cut(error, latest, latest);
        let start = entries.partition_point(|back| P::delay(front.time, back.time) > most);
        for entry in &entries[start..] {
            let delay = P::delay(front.time, entry.time);
            if -delay > most {
                return;
            }
            let back = &backs[entry.index as usize];
            let cut = self.formulas.time_cut(error, back.time_error, latest);
            if delay.abs() <= cut {
                self.formulas.pair::<P>(front, back, &mut found);
            }
        }
    }
}
