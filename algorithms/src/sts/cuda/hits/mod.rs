//! Clusters to hits: see the kernels.

mod fronts;
mod pairs;
mod search;

use std::sync::Arc;

use generators::partition::Partition;

use self::pairs::Pairs;
use self::search::Search;
use super::cluster_order::ClusterOrder;
use super::clusters::Clusters;
use super::tables::{DeviceTables, time_cut};
use crate::algorithm::Semantics;
use crate::device::Buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer, Ptr, Table};
use crate::sts::{Hit, Timeslice};
use crate::sts_sort::cuda::begins;

/// Room for hits in a bucket: so many for a digi of the front. There are fewer clusters,
/// each with several hits at times.
const HITS_FOR_A_DIGI: f64 = 1.5;

/// How hits are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum HitsWay {
    /// A thread a cluster of the front.
    Fronts,
    /// A block for some of them, whose threads share the pairs.
    Pairs,
}

/// Clusters that hits are found in, sorted by time.
#[derive(Clone, Copy)]
pub(super) struct SortedClusters<'a> {
    pub(super) clusters: &'a Clusters,
    pub(super) order: &'a ClusterOrder,
    /// Where sides begin, and where the last one ends.
    pub(super) begins: &'a DeviceBuffer<u32>,
}

/// Buckets of hits, one a module, and what finding them takes.
pub(super) struct Hits {
    semantics: Semantics,
    modules: usize,
    cut: [u32; 2],
    tables: Arc<DeviceTables>,
    /// Where threads share pairs.
    pairs: Option<Pairs>,
    /// Where buckets begin, and where the last one ends.
    offsets: Table,
    counts: DeviceBuffer<u32>,
    host_counts: PinnedBuffer<u32>,
    hits: DeviceBuffer<Hit>,
    /// Where buckets lie.
    buckets: Partition,
}

/// A copy of the buckets, for another run.
pub(super) struct KeptHits {
    hits: DeviceBuffer<Hit>,
    counts: Vec<u32>,
    buckets: Partition,
}

impl KeptHits {
    /// Bytes on the device.
    pub(super) fn bytes(&self) -> u64 {
        self.hits.bytes()
    }
}

impl Hits {
    /// With room for so many hits, which is made larger where it turns out to be too small.
    pub(super) fn new(
        gpu: &Gpu,
        (input, tables): (&Timeslice, &Arc<DeviceTables>),
        way: HitsWay,
        room: usize,
    ) -> Result<Self, DeviceError> {
        let modules = input.modules();
        let pairs = match way {
            HitsWay::Fronts => None,
            HitsWay::Pairs => Some(Pairs::new(gpu, input.stream().len(), input.sides())?),
        };
        Ok(Hits {
            semantics: input.online(),
            modules,
            cut: time_cut(input.setup().cuts()),
            tables: Arc::clone(tables),
            pairs,
            offsets: Table::new(gpu, modules + 1)?,
            counts: gpu.buffer(modules)?,
            host_counts: gpu.pinned(modules)?,
            hits: gpu.buffer(room)?,
            buckets: Partition::from_lengths([]),
        })
    }

    /// Finds the hits of all modules by the numbers of digis and clusters of each side; waits
    /// for the numbers of hits. Where a bucket is too small, all threads run again with as
    /// much room as was asked for.
    pub(super) fn find(
        &mut self,
        gpu: &Gpu,
        digis: &Partition,
        counts: &[usize],
        sorted: SortedClusters<'_>,
    ) -> Result<(), DeviceError> {
        let shares_pairs = self.list_pairs(gpu, counts)?;
        let capacity = |digis: usize| (HITS_FOR_A_DIGI * digis as f64) as usize;
        let capacities = digis.lengths().take(self.modules).map(capacity);
        let mut capacities: Vec<_> = capacities.collect();
        loop {
            self.set_capacities(gpu, &capacities)?;
            match &self.pairs {
                Some(pairs) if shares_pairs => pairs.start(gpu, self.search(sorted))?,
                _ => fronts::start(gpu, self.search(sorted))?,
            }
            gpu.download(&mut self.host_counts, &self.counts)?;
            gpu.wait()?;
            let found: Vec<_> = self.counts().collect();
            let mut both = found.iter().zip(&capacities);
            if both.all(|(found, capacity)| found <= capacity) {
                return Ok(());
            }
            capacities = found;
        }
    }

    /// Lists what blocks have to do where they share pairs, and can count them.
    fn list_pairs(&mut self, gpu: &Gpu, counts: &[usize]) -> Result<bool, DeviceError> {
        match &mut self.pairs {
            Some(pairs) if Pairs::can_take(&counts[self.modules..]) => {
                pairs.list(gpu, counts)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn search<'a>(&'a self, sorted: SortedClusters<'a>) -> Search<'a> {
        Search {
            semantics: self.semantics,
            clusters: sorted.clusters,
            order: sorted.order,
            begins: sorted.begins,
            modules: self.modules as u32,
            sensors: &self.tables.sensors,
            cut: self.cut,
            offsets: self.offsets.ptr(),
            counts: &self.counts,
            hits: &self.hits,
        }
    }

    /// A copy of all buckets.
    pub(super) fn keep(&self, gpu: &Gpu) -> Result<KeptHits, DeviceError> {
        let hits = gpu.buffer(self.buckets.elements())?;
        gpu.copy(&hits, &self.hits)?;
        Ok(KeptHits {
            hits,
            counts: self.host_counts.to_vec(),
            buckets: self.buckets.clone(),
        })
    }

    /// Brings all buckets back.
    pub(super) fn restore(&mut self, gpu: &Gpu, kept: &KeptHits) -> Result<(), DeviceError> {
        let capacities: Vec<_> = kept.buckets.lengths().collect();
        self.set_capacities(gpu, &capacities)?;
        gpu.copy(&self.hits, &kept.hits)?;
        self.host_counts.copy_from_slice(&kept.counts);
        gpu.upload(&self.counts, &self.host_counts)
    }

    /// The hits, and where buckets begin.
    pub(super) fn buckets(&self) -> (&DeviceBuffer<Hit>, Ptr<u32>) {
        (&self.hits, self.offsets.ptr())
    }

    /// The hits of each module.
    pub(super) fn counts(&self) -> impl Iterator<Item = usize> {
        self.host_counts.iter().map(|&count| count as usize)
    }

    /// Where the hits of each module are among all in the buckets.
    pub(super) fn places(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let buckets = self.buckets.ranges().zip(self.counts());
        buckets.map(|(all, count)| all.start..all.end.min(all.start + count))
    }

    /// Room for so many hits there is.
    pub(super) fn capacity(&self) -> usize {
        self.hits.len()
    }

    fn set_capacities(&mut self, gpu: &Gpu, capacities: &[usize]) -> Result<(), DeviceError> {
        self.buckets = Partition::from_lengths(capacities.iter().copied());
        if self.hits.len() < self.buckets.elements() {
            self.hits = gpu.buffer(self.buckets.elements())?;
        }
        self.offsets.fill(gpu, begins(&self.buckets))?;
        gpu.fill(&self.counts, 0)
    }

    pub(super) fn poison(&mut self, gpu: &Gpu, byte: u8) -> Result<(), DeviceError> {
        self.host_counts.fill(0);
        if let Some(pairs) = &mut self.pairs {
            pairs.poison()?;
        }
        gpu.fill(&self.counts, byte)?;
        gpu.fill(&self.hits, byte)
    }

    /// Bytes on the device.
    pub(super) fn bytes(&self) -> u64 {
        let counted = self.offsets.bytes() + self.counts.bytes();
        counted + self.pairs.as_ref().map_or(0, Pairs::bytes) + self.hits.bytes()
    }
}
