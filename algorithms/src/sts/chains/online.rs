//! As the online reconstruction: a worker a digi, a worker a cluster, buckets.

use std::marker::PhantomData;

use generators::partition::Partition;
use generators::sts::{Digi, SegmentedDigis};
use rayon::prelude::*;

use super::Chain;
use super::kept::{Kept, copied, fill_again};
use crate::all_cores::{fill, joined, spread};
use crate::device::Arena;
use crate::sts::cluster_order::{sort_entries, write_entries};
use crate::sts::clusters::{ClusterFormulas, Connectors, SortedDigis};
use crate::sts::collect::{HitOrder, copy, make_streams};
use crate::sts::data::digi_order;
use crate::sts::hits::{HitBuckets, ModuleFormulas, SortedClusters};
use crate::sts::introsort::introsort;
use crate::sts::presort::{Counting, LookupTable, Orders, Permutation};
use crate::sts::rules::Rules;
use crate::sts::{ChainStage, Product};
use crate::sts::{Cluster, ClusterEntry, Hit, Partitioned, Timeslice};

/// Room for hits in a bucket: so many for a cluster of the front.
const HITS_FOR_A_FRONT: f64 = 1.5;

/// What can be done in several ways without another chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) struct OnlineWays {
    pub(in crate::sts) counting: Counting,
    pub(in crate::sts) orders: Orders,
    pub(in crate::sts) hits: HitOrder,
}

/// Flat arrays with a room for each side.
pub(in crate::sts) struct Online<'a, P> {
    input: &'a Timeslice,
    threads: usize,
    formulas: ClusterFormulas,
    modules: Vec<ModuleFormulas<f32>>,
    table: LookupTable,
    ways: OnlineWays,
    permutation: Vec<u32>,
    sides: Partition,
    digis: Vec<Digi>,
    connectors: Connectors,
    clusters: Vec<Cluster>,
    counts: Vec<usize>,
    entries: Vec<ClusterEntry>,
    fronts: HitBuckets,
    flat: Vec<Hit>,
    /// How many hits there were the last time.
    expected: usize,
    places: Partition,
    kept: Option<(ChainStage, Kept)>,
    rules: PhantomData<P>,
}

impl<'a, P: Rules> Online<'a, P> {
    pub(in crate::sts) fn new(input: &'a Timeslice, threads: usize, ways: OnlineWays) -> Self {
        Online {
            input,
            threads,
            formulas: ClusterFormulas::new(input.setup()),
            modules: ModuleFormulas::of_all(input.setup()),
            table: LookupTable::new(input.modules()),
            ways,
            permutation: Vec::new(),
            sides: input.digis().partition().clone(),
            digis: Vec::new(),
            connectors: Connectors::default(),
            clusters: Vec::new(),
            counts: Vec::new(),
            entries: Vec::new(),
            fronts: HitBuckets::new(),
            flat: Vec::new(),
            expected: 0,
            places: Partition::from_lengths([]),
            kept: None,
            rules: PhantomData,
        }
    }

    fn presort(&mut self) {
        let (stream, digis) = (self.input.stream(), &mut self.digis);
        let threads = match self.ways.counting {
            Counting::Serial => 1,
            Counting::Parallel => self.threads,
        };
        let permutation = match self.ways.orders {
            Orders::OfSensors => Permutation::Unwanted,
            Orders::Both => Permutation::Kept(&mut self.permutation),
        };
        let counts = self.table.scatter(stream, digis, threads, permutation);
        self.sides = Partition::from_lengths(counts);
    }

    /// The stream again, by where its digis have gone: whether both orders are there
    /// can be seen from the digis of each side in the order of the stream.
    fn in_order_of_stream(&self) -> SegmentedDigis {
        let mut sides = vec![Vec::new(); self.sides.segments()];
        let place_of = |&place: &u32| place as usize;
        for place in self.permutation.iter().map(place_of) {
            sides[self.sides.segment_of(place)].push(self.digis[place]);
        }
        SegmentedDigis::from_segments(&sides)
    }

    fn cluster(&mut self) {
        let sorted = SortedDigis {
            digis: &self.digis,
            sides: &self.sides,
        };
        self.connectors
            .find::<P>(sorted, &self.formulas, &mut self.clusters);
        self.counts.clear();
        self.counts.extend(self.connectors.counts());
    }

    fn sort_clusters(&mut self) {
        let clusters = self.sides.split(&self.clusters).into_par_iter();
        let entries = self.sides.split_mut(&mut self.entries).into_par_iter();
        let sides = clusters.zip(entries).zip(&self.counts);
        sides.for_each(|((clusters, entries), &count)| {
            let entries = &mut entries[..count];
            write_entries(&clusters[..count], 0, entries);
            sort_entries(entries);
        });
    }

    fn collect(&mut self) {
        let buckets: Vec<_> = self.fronts.buckets().collect();
        self.places = copy(&buckets, &mut self.flat);
        if self.ways.hits == HitOrder::Streams {
            make_streams(&mut self.flat, &self.places, |hits| {
                introsort(hits, &|hit| u64::from(hit.time));
            });
        }
    }

    fn sorted_clusters(&self) -> SortedClusters<'_> {
        SortedClusters {
            clusters: &self.clusters,
            entries: &self.entries,
            rooms: &self.sides,
            counts: &self.counts,
        }
    }

    fn find_hits(&mut self) {
        let fronts = self.counts[..self.modules.len()].iter();
        let room = |&count: &usize| (HITS_FOR_A_FRONT * count as f64) as usize;
        let rooms: Vec<_> = fronts.map(room).collect();
        let mut buckets = std::mem::replace(&mut self.fronts, HitBuckets::new());
        buckets.make_room(rooms.into_iter());
        let latest = |side: usize| self.connectors.latest_error(side);
        buckets.find::<P>(self.sorted_clusters(), &self.modules, &latest);
        self.fronts = buckets;
    }
}

impl<P: Rules> Chain for Online<'_, P> {
    fn stages(&self) -> &'static [ChainStage] {
        &ChainStage::ALL
    }

    fn take(&mut self, arena: &Arena) {
        let digis = self.input.stream().len();
        self.digis = arena.take(digis);
        self.clusters = arena.take(digis);
        self.entries = arena.take(digis);
        self.connectors.reserve(digis, self.input.sides());
        self.fronts.take(arena);
        self.flat = arena.take(self.expected);
        if self.ways.orders == Orders::Both {
            self.permutation = arena.take(digis);
        }
    }

    fn poison(&mut self) {
        fill(&mut self.digis, Digi::from_bits(u64::MAX));
        fill(&mut self.clusters, Cluster::default());
        fill(&mut self.entries, ClusterEntry::default());
        fill(self.fronts.hits_mut(), Hit::default());
        fill(&mut self.flat, Hit::default());
        fill(&mut self.permutation, 0);
    }

    fn run(&mut self, stage: ChainStage) {
        match stage {
            ChainStage::Presort => self.presort(),
            ChainStage::Zero => self.connectors.zero(),
            ChainStage::Sort => {
                let sides = self.sides.split_mut(&mut self.digis).into_par_iter();
                sides.for_each(|digis| introsort(digis, &digi_order));
            }
            ChainStage::Cluster => self.cluster(),
            ChainStage::ClusterSort => self.sort_clusters(),
            ChainStage::Hits => self.find_hits(),
            ChainStage::Collect => self.collect(),
        }
    }

    fn bytes_to_keep(&self, next: ChainStage) -> usize {
        let clusters: usize = self.counts.iter().sum();
        match next {
            ChainStage::Presort => 0,
            ChainStage::Zero | ChainStage::Sort | ChainStage::Cluster => {
                size_of_val(self.digis.as_slice())
            }
            ChainStage::ClusterSort => clusters * size_of::<Cluster>(),
            ChainStage::Hits => clusters * (size_of::<Cluster>() + size_of::<ClusterEntry>()),
            ChainStage::Collect => self.fronts.found() * size_of::<Hit>(),
        }
    }

    fn keep(&mut self, next: ChainStage) {
        let mut kept = Kept::default();
        let (sides, counts) = (&self.sides, &self.counts);
        match next {
            ChainStage::Presort => {}
            ChainStage::Zero | ChainStage::Sort | ChainStage::Cluster => {
                kept.digis = joined(&[&self.digis])
            }
            ChainStage::ClusterSort | ChainStage::Hits => {
                kept.clusters = copied(&self.clusters, sides, counts);
                if next == ChainStage::Hits {
                    kept.entries = copied(&self.entries, sides, counts);
                    let errors = (0..counts.len()).map(|side| self.connectors.latest_error(side));
                    kept.errors = errors.collect();
                }
            }
            ChainStage::Collect => {
                let buckets: Vec<_> = self.fronts.buckets().collect();
                kept.hits = joined(&buckets);
            }
        }
        self.kept = Some((next, kept));
    }

    fn restore(&mut self) -> bool {
        let Some((next, kept)) = &self.kept else {
            return false;
        };
        let (sides, counts) = (&self.sides, &self.counts);
        match next {
            ChainStage::Presort => {}
            ChainStage::Zero | ChainStage::Sort => spread(&kept.digis, vec![&mut self.digis]),
            ChainStage::Cluster => {
                spread(&kept.digis, vec![&mut self.digis]);
                self.connectors.zero();
            }
            ChainStage::ClusterSort => {
                fill_again(&kept.clusters, &mut self.clusters, sides, counts)
            }
            ChainStage::Hits => {
                fill_again(&kept.clusters, &mut self.clusters, sides, counts);
                fill_again(&kept.entries, &mut self.entries, sides, counts);
                self.connectors.set_latest_errors(&kept.errors);
            }
            ChainStage::Collect => self.fronts.fill_again(&kept.hits),
        }
        true
    }

    fn product(&self, stage: ChainStage) -> Product {
        let sorted = || self.sorted_clusters();
        match stage {
            ChainStage::Presort if self.ways.orders == Orders::Both => {
                Product::Digis(self.in_order_of_stream())
            }
            ChainStage::Presort | ChainStage::Zero | ChainStage::Sort => {
                let digis = SegmentedDigis::new(self.digis.clone(), self.sides.clone());
                Product::Digis(digis)
            }
            ChainStage::Cluster => Product::clusters(&self.clusters, &self.sides, &self.counts),
            ChainStage::ClusterSort => Product::sorted_clusters(sorted()),
            ChainStage::Hits => {
                let buckets: Vec<&[Hit]> = self.fronts.buckets().collect();
                Product::Hits(Partitioned::of_modules(&buckets))
            }
            ChainStage::Collect => {
                let modules = self.places.split(&self.flat);
                Product::collected(Partitioned::of_modules(&modules), self.ways.hits)
            }
        }
    }

    fn release(&mut self, arena: &Arena) {
        arena.give(std::mem::take(&mut self.digis));
        arena.give(std::mem::take(&mut self.clusters));
        arena.give(std::mem::take(&mut self.entries));
        arena.give(std::mem::take(&mut self.permutation));
        self.connectors = Connectors::default();
        self.fronts.release(arena);
        self.expected = self.flat.len();
        arena.give(std::mem::take(&mut self.flat));
    }

    fn bytes(&self) -> usize {
        let digis = self.input.stream().len();
        let of_a_digi = size_of::<Digi>() + size_of::<Cluster>() + size_of::<ClusterEntry>();
        let of_a_digi = match self.ways.orders {
            Orders::OfSensors => of_a_digi,
            Orders::Both => of_a_digi + size_of::<u32>(),
        };
        digis * of_a_digi + Connectors::bytes(digis, self.input.sides())
    }
}
