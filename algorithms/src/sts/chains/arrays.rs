//! Flat arrays with a part for each side, which chains have in common.

use generators::partition::Partition;
use generators::sts::{Digi, SegmentedDigis};

use crate::all_cores::fill;
use crate::device::Arena;
use crate::sts::clusters::ClusterFormulas;
use crate::sts::hits::{ModuleFormulas, SortedClusters};
use crate::sts::presort::LookupTable;
use crate::sts::{Cluster, ClusterEntry, Hit, Product, Timeslice};

/// A timeslice, and what stages make of it. The clusters and entries of a side lie where its
/// digis do.
pub(super) struct Arrays<'a> {
    pub(super) input: &'a Timeslice,
    pub(super) formulas: ClusterFormulas,
    pub(super) modules: Vec<ModuleFormulas<f32>>,
    pub(super) table: LookupTable,
    pub(super) sides: Partition,
    pub(super) digis: Vec<Digi>,
    pub(super) clusters: Vec<Cluster>,
    /// The clusters of each side.
    pub(super) counts: Vec<usize>,
    pub(super) entries: Vec<ClusterEntry>,
    pub(super) flat: Vec<Hit>,
    /// How many hits there were the last time.
    expected: usize,
    pub(super) places: Partition,
}

impl<'a> Arrays<'a> {
    pub(super) fn new(input: &'a Timeslice) -> Self {
        Arrays {
            input,
            formulas: ClusterFormulas::new(input.setup()),
            modules: ModuleFormulas::of_all(input.setup()),
            table: LookupTable::new(input.modules()),
            sides: input.digis().partition().clone(),
            digis: Vec::new(),
            clusters: Vec::new(),
            counts: Vec::new(),
            entries: Vec::new(),
            flat: Vec::new(),
            expected: 0,
            places: Partition::from_lengths([]),
        }
    }

    pub(super) fn take(&mut self, arena: &Arena) {
        let digis = self.input.stream().len();
        self.digis = arena.take(digis);
        self.clusters = arena.take(digis);
        self.entries = arena.take(digis);
        self.flat = arena.take(self.expected);
    }

    pub(super) fn poison(&mut self) {
        fill(&mut self.digis, Digi::from_bits(u64::MAX));
        fill(&mut self.clusters, Cluster::default());
        fill(&mut self.entries, ClusterEntry::default());
        fill(&mut self.flat, Hit::default());
    }

    pub(super) fn release(&mut self, arena: &Arena) {
        self.expected = self.flat.len();
        arena.give(std::mem::take(&mut self.digis));
        arena.give(std::mem::take(&mut self.clusters));
        arena.give(std::mem::take(&mut self.entries));
        arena.give(std::mem::take(&mut self.flat));
    }

    /// Bytes of the arrays, but for hits.
    pub(super) fn bytes(&self) -> usize {
        let of_a_digi = size_of::<Digi>() + size_of::<Cluster>() + size_of::<ClusterEntry>();
        self.input.stream().len() * of_a_digi
    }

    pub(super) fn sorted_clusters(&self) -> SortedClusters<'_> {
        SortedClusters {
            clusters: &self.clusters,
            entries: &self.entries,
            sides: &self.sides,
            counts: &self.counts,
        }
    }

    pub(super) fn digis_by_side(&self) -> Product {
        Product::Digis(SegmentedDigis::new(self.digis.clone(), self.sides.clone()))
    }
}
