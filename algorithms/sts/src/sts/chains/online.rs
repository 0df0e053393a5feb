//! Chain of the online reconstruction: a worker for each digi or cluster, buckets.

use std::marker::PhantomData;

use generators_sts::SegmentedDigis;
use parallel::{fill, for_each, for_each_numbered};
use portable_gpu::DeviceError;

use super::arrays::Arrays;
use super::snapshots::{BufferParts, Snapshot, filled};
use super::{Chain, Preconditions, with_or_without_unpacking};
use crate::std_sort::sort_by_key_and_charge;
use crate::sts::cluster_order::{sort_entries, sort_hits, write_entries};
use crate::sts::clusters::{Connectors, SortedDigis, Zeroing};
use crate::sts::collect::{HitOrder, copy, make_streams};
use crate::sts::hits::{HitBuckets, HitWorkers};
use crate::sts::presort::{Counting, Orders, Pages, Permutation, give_pages_back};
use crate::sts::rules::Rules;
use crate::sts::{ChainStage, Hit, Partitioned, Product, Timeslice};
use crate::sts_unpack::cpu;
use tasks::algorithm::{Digest, Segments};
use tasks::device::{Arena, Buffers};

/// Capacity of a bucket of hits, for each cluster of the front.
const HITS_FOR_A_FRONT: f64 = 1.5;

/// Options of the online chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) struct OnlineConfig {
    pub(in crate::sts) counting: Counting,
    pub(in crate::sts) orders: Orders,
    pub(in crate::sts) pages: Pages,
    pub(in crate::sts) hits: HitOrder,
    pub(in crate::sts) zeroing: Zeroing,
    pub(in crate::sts) hit_workers: HitWorkers,
}

/// Flat arrays, and data shared by workers.
pub(in crate::sts) struct Online<'a, P> {
    arrays: Arrays<'a>,
    threads: usize,
    config: OnlineConfig,
    permutation: Vec<u32>,
    connectors: Connectors,
    buckets: HitBuckets,
    rules: PhantomData<P>,
}

impl<'a, P: Rules> Online<'a, P> {
    pub(in crate::sts) fn new(input: &'a Timeslice, threads: usize, config: OnlineConfig) -> Self {
        Online {
            arrays: Arrays::new(input),
            threads,
            config,
            permutation: Vec::new(),
            connectors: Connectors::default(),
            buckets: HitBuckets::new(),
            rules: PhantomData,
        }
    }

    fn presort(&mut self) {
        let threads = match self.config.counting {
            Counting::Serial => 1,
            Counting::Parallel => self.threads,
        };
        let permutation = match self.config.orders {
            Orders::OfSensors => Permutation::Unwanted,
            Orders::Both => Permutation::Kept(&mut self.permutation),
        };
        self.arrays.scatter(threads, permutation);
    }

    /// The stream again, by where its digis have gone: whether both orders are there
    /// can be seen from the digis of each side in the order of the stream.
    fn in_order_of_stream(&self) -> SegmentedDigis {
        let mut sides = vec![Vec::new(); self.arrays.sides.segments()];
        let index_of = |&index: &u32| index as usize;
        for index in self.permutation.iter().map(index_of) {
            sides[self.arrays.sides.segment_of(index)].push(self.arrays.digis[index]);
        }
        SegmentedDigis::from_segments(&sides)
    }

    fn cluster(&mut self) {
        let arrays = &mut self.arrays;
        let sorted = SortedDigis { digis: &arrays.digis, sides: &arrays.sides };
        let formulas = &arrays.formulas;
        let connectors = &mut self.connectors;
        connectors.find::<P>(sorted, formulas, &mut arrays.clusters);
        arrays.counts.clear();
        arrays.counts.extend(connectors.counts());
    }

    fn sort_clusters(&mut self) {
        let Arrays { sides, clusters, entries, counts, .. } = &mut self.arrays;
        for_each_numbered(sides.split_mut(entries), |side, entries| {
            let entries = &mut entries[..counts[side]];
            write_entries(&clusters[sides.range(side)][..counts[side]], 0, entries);
            sort_entries(entries);
        });
    }

    fn collect(&mut self) {
        let buckets: Vec<_> = self.buckets.buckets().collect();
        self.arrays.hit_partition = copy(&buckets, &mut self.arrays.flat);
        if self.config.hits == HitOrder::Streams {
            make_streams(&mut self.arrays.flat, &self.arrays.hit_partition, sort_hits);
        }
    }

    fn find_hits(&mut self) {
        let arrays = &self.arrays;
        let fronts = arrays.counts[..arrays.modules.len()].iter();
        let capacity = |&count: &usize| (HITS_FOR_A_FRONT * count as f64) as usize;
        self.buckets.set_capacities(fronts.map(capacity));
        let latest = |side: usize| self.connectors.latest_error(side);
        let clusters = arrays.sorted_clusters();
        let workers = self.config.hit_workers;
        self.buckets.find::<P>(clusters, &arrays.modules, &latest, workers);
    }
}

impl<P: Rules> Buffers for Online<'_, P> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.arrays.poison();
        fill(self.buckets.hits_mut(), Hit::default());
        fill(&mut self.permutation, 0);
        Ok(())
    }

    fn bytes(&self) -> u64 {
        let digis = self.arrays.input.stream().len();
        let sides = self.arrays.input.sides();
        let permutation = match self.config.orders {
            Orders::OfSensors => 0,
            Orders::Both => digis * size_of::<u32>(),
        };
        (self.arrays.bytes() + permutation + Connectors::bytes(digis, sides)) as u64
    }
}

impl<P: Rules> Chain for Online<'_, P> {
    fn stages(&self) -> &'static [ChainStage] {
        with_or_without_unpacking(&ChainStage::ALL, self.arrays.makes_stream())
    }

    fn run(&mut self, stage: ChainStage) -> Result<(), DeviceError> {
        match stage {
            ChainStage::Unpack => self.arrays.unpack(cpu::PUBLISHED),
            ChainStage::Presort => self.presort(),
            ChainStage::Zero => self.connectors.zero(self.config.zeroing),
            ChainStage::Sort => {
                let sides = self.arrays.sides.split_mut(&mut self.arrays.digis);
                for_each(sides, sort_by_key_and_charge);
            }
            ChainStage::Cluster => self.cluster(),
            ChainStage::ClusterSort => self.sort_clusters(),
            ChainStage::Hits => self.find_hits(),
            ChainStage::Collect => self.collect(),
        }
        Ok(())
    }

    fn inputs_of(&mut self, next: ChainStage) -> Vec<Box<dyn Snapshot + '_>> {
        let arrays = &mut self.arrays;
        match next {
            ChainStage::Unpack | ChainStage::Presort => Vec::new(),
            ChainStage::Zero | ChainStage::Sort | ChainStage::Cluster => {
                vec![Box::new(BufferParts(vec![&mut arrays.digis]))]
            }
            ChainStage::ClusterSort | ChainStage::Hits => {
                let sides = &arrays.sides;
                let counts = &arrays.counts;
                let mut left: Vec<Box<dyn Snapshot>> = Vec::new();
                left.push(Box::new(filled(&mut arrays.clusters, sides, counts)));
                if next == ChainStage::Hits {
                    left.push(Box::new(filled(&mut arrays.entries, sides, counts)));
                    left.push(Box::new(BufferParts(self.connectors.latest_errors())));
                }
                left
            }
            ChainStage::Collect => vec![Box::new(BufferParts(self.buckets.filled()))],
        }
    }

    fn after_restore(&mut self, next: ChainStage) -> Result<(), DeviceError> {
        if next == ChainStage::Cluster {
            self.connectors.zero(self.config.zeroing);
        }
        Ok(())
    }

    fn product(&mut self, stage: ChainStage) -> Result<Product, DeviceError> {
        let arrays = &self.arrays;
        Ok(match stage {
            ChainStage::Presort if self.config.orders == Orders::Both => {
                Product::Digis(self.in_order_of_stream())
            }
            ChainStage::Unpack => Product::Nothing,
            ChainStage::Presort | ChainStage::Zero | ChainStage::Sort => arrays.digis_by_side(),
            ChainStage::Cluster => {
                Product::clusters(&arrays.clusters, &arrays.sides, &arrays.counts)
            }
            ChainStage::ClusterSort => Product::sorted_clusters(arrays.sorted_clusters()),
            ChainStage::Hits => {
                let buckets: Vec<&[Hit]> = self.buckets.buckets().collect();
                Product::Hits(Partitioned::of_modules(&buckets))
            }
            ChainStage::Collect => {
                let modules = arrays.hit_partition.split(&arrays.flat);
                Product::collected(Partitioned::of_modules(&modules), self.config.hits)
            }
        })
    }

    fn begin_with_raw(&mut self) {
        self.arrays.begin_with_raw(None);
    }

    fn preconditions(&self) -> Preconditions {
        Preconditions::ONLINE
    }

    fn take(&mut self, arena: &Arena) -> Result<(), DeviceError> {
        let digis = self.arrays.input.stream().len();
        let sides = self.arrays.input.sides();
        self.arrays.take(arena);
        if self.config.pages == Pages::Fresh {
            give_pages_back(&mut self.arrays.digis);
        }
        self.connectors.reserve(digis, sides);
        self.buckets.take(arena);
        if self.config.orders == Orders::Both {
            self.permutation = arena.take(digis);
        }
        Ok(())
    }

    fn digest(&mut self, segments: Segments) -> Result<Option<Digest>, DeviceError> {
        Ok(Some(self.arrays.digest(&self.arrays.hit_partition, segments)))
    }

    fn release(&mut self, arena: &Arena) {
        self.arrays.release(arena);
        arena.give(std::mem::take(&mut self.permutation));
        self.connectors = Connectors::default();
        self.buckets.release(arena);
    }
}
