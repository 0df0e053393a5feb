//! Flat arrays with a part for each side, which chains have in common.

use generators_common::partition::Partition;
use generators_sts::{Digi, SegmentedDigis};
use parallel::fill;

use super::raw::Raw;
use crate::sts::clusters::ClusterFormulas;
use crate::sts::data::{CLUSTERS, HITS};
use crate::sts::hits::{ModuleFormulas, SortedClusters};
use crate::sts::presort::{LookupTable, Permutation};
use crate::sts::{Cluster, ClusterEntry, Hit, Product, Timeslice};
use crate::sts_unpack::cpu::Unpack;
use tasks::algorithm::{Digest, SegmentSums, Segments, segment_sums};
use tasks::device::Arena;

/// A timeslice, and the outputs of stages. The clusters and entries of a side start at the offset
/// of its digis.
pub(super) struct Arrays<'a> {
    pub(super) input: &'a Timeslice,
    /// Raw data that the chain starts from, if any.
    pub(super) raw: Option<Raw<'a>>,
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
    /// Number of hits of the previous run.
    expected: usize,
    pub(super) hit_partition: Partition,
}

impl<'a> Arrays<'a> {
    pub(super) fn new(input: &'a Timeslice) -> Self {
        Arrays {
            input,
            raw: None,
            formulas: ClusterFormulas::new(input.setup()),
            modules: ModuleFormulas::of_all(input.setup()),
            table: LookupTable::new(input.modules()),
            sides: input.partition().clone(),
            digis: Vec::new(),
            clusters: Vec::new(),
            counts: Vec::new(),
            entries: Vec::new(),
            flat: Vec::new(),
            expected: 0,
            hit_partition: Partition::from_lengths([]),
        }
    }

    /// Starts from raw data: unpacks them to a stream, or to `parts` parts on that many threads.
    pub(super) fn begin_with_raw(&mut self, parts: Option<usize>) {
        self.raw = self.input.raw().map(|raw| Raw::new(raw, parts));
    }

    /// True if raw data are unpacked to a stream.
    pub(super) fn makes_stream(&self) -> bool {
        self.raw.as_ref().is_some_and(Raw::makes_stream)
    }

    /// Makes it.
    pub(super) fn unpack(&mut self, algorithm: Unpack) {
        if let Some(raw) = &mut self.raw {
            raw.unpack(algorithm);
        }
    }

    /// Scatters the stream over module sides with `threads` threads.
    pub(super) fn scatter(&mut self, threads: usize, permutation: Permutation<'_>) {
        let stream = match &self.raw {
            Some(raw) => raw.stream(),
            None => self.input.stream(),
        };
        let counts = self.table.scatter(stream, &mut self.digis, threads, permutation);
        self.sides = Partition::from_lengths(counts);
    }

    pub(super) fn take(&mut self, arena: &Arena) {
        let digis = self.input.stream().len();
        if let Some(raw) = &mut self.raw {
            raw.take(arena);
        }
        self.digis = arena.take(digis);
        self.clusters = arena.take(digis);
        self.entries = arena.take(digis);
        self.flat = arena.take_to_fill(self.expected);
    }

    pub(super) fn poison(&mut self) {
        if let Some(raw) = &mut self.raw {
            raw.poison();
        }
        fill(&mut self.digis, Digi::from_bits(u64::MAX));
        fill(&mut self.clusters, Cluster::default());
        fill(&mut self.entries, ClusterEntry::default());
        fill(&mut self.flat, Hit::default());
    }

    pub(super) fn release(&mut self, arena: &Arena) {
        if let Some(raw) = &mut self.raw {
            raw.release(arena);
        }
        self.expected = self.flat.len();
        arena.give(std::mem::take(&mut self.digis));
        arena.give(std::mem::take(&mut self.clusters));
        arena.give(std::mem::take(&mut self.entries));
        arena.give(std::mem::take(&mut self.flat));
    }

    /// Bytes of the arrays, but for hits.
    pub(super) fn bytes(&self) -> usize {
        let of_a_digi = size_of::<Digi>() + size_of::<Cluster>() + size_of::<ClusterEntry>();
        self.input.stream().len() * of_a_digi + self.raw.as_ref().map_or(0, Raw::bytes)
    }

    pub(super) fn sorted_clusters(&self) -> SortedClusters<'_> {
        SortedClusters {
            clusters: &self.clusters,
            entries: &self.entries,
            sides: &self.sides,
            counts: &self.counts,
        }
    }

    /// The digest of the clusters and of the hits, which `modules` divides by module.
    pub(super) fn digest(&self, modules: &Partition, segments: Segments) -> Digest {
        let clusters = self.sorted_clusters();
        let of_side =
            |side: usize| (0..self.counts[side]).map(move |index| clusters.cluster(side, index));
        let of_module = |module: usize| &self.flat[modules.range(module)];
        let sides = self.counts.len();
        let modules = modules.segments();
        let mut sums = SegmentSums::default();
        sums.add(
            CLUSTERS,
            self.counts.iter().sum(),
            segment_sums(CLUSTERS, segments.indices(sides), of_side),
        );
        sums.add(HITS, self.flat.len(), segment_sums(HITS, segments.indices(modules), of_module));
        sums.digest(Segments::ALL)
    }

    pub(super) fn digis_by_side(&self) -> Product {
        Product::Digis(SegmentedDigis::new(self.digis.clone(), self.sides.clone()))
    }
}
