//! Clusters to hits: see the kernels.

mod pairs;

use generators_common::partition::Partition;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer, Ptr};

use self::pairs::Pairs;
use super::ByRules;
use super::batch::Batch;
use super::cluster_order::ClusterOrder;
use super::clusters::Clusters;
use super::tables::{DeviceTables, time_cut};
use crate::kernels::sts_cuda_formulas_pairs_h::{HitFinding, TimeCut};
use crate::kernels::sts_fronts as fronts;
use crate::sts::chains::{SavedBuffer, Snapshot};
use crate::sts::{Cluster, ClusterEntry, Hit};
use crate::sts_sort::cuda::segment_offsets;
use tasks::algorithm::Semantics;
use tasks::device::{StagedArray, buffers};

static WALK: ByRules<HitFinding> =
    ByRules::new(&fronts::HITS_OF_FRONTS_WALK_EXACT, &fronts::HITS_OF_FRONTS_WALK_PUBLISHED);
static SEARCH: ByRules<HitFinding> =
    ByRules::new(&fronts::HITS_OF_FRONTS_SEARCH_EXACT, &fronts::HITS_OF_FRONTS_SEARCH_PUBLISHED);

/// Capacity of a bucket of hits, for each digi of the front. There are fewer clusters, some of them
/// with several hits.
const HITS_FOR_A_DIGI: f64 = 1.5;

/// Algorithm that finds hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum HitsAlgorithm {
    /// A thread per cluster of the front, which walks to its module, as published.
    Online,
    /// A thread for each cluster of the front, which finds its module by binary search.
    Fronts,
    /// A block for a group of fronts, whose pairs its threads share.
    Pairs,
}

/// Clusters that hits are found in, sorted by time.
#[derive(Clone, Copy)]
pub(super) struct SortedClusters<'a> {
    pub(super) clusters: &'a Clusters,
    pub(super) order: &'a ClusterOrder,
    /// Offsets of sides, with the end of the last one.
    pub(super) side_offsets: &'a DeviceBuffer<u32>,
    pub(super) tables: &'a DeviceTables,
}

impl SortedClusters<'_> {
    /// Bytes of clusters and entries.
    fn bytes(&self) -> u64 {
        self.clusters.expected() * (size_of::<Cluster>() + size_of::<ClusterEntry>()) as u64
    }
}

/// Buckets of hits, one per module, and the buffers for finding hits.
pub(super) struct Hits {
    algorithm: HitsAlgorithm,
    semantics: Semantics,
    modules: usize,
    cut: TimeCut,
    /// Buffers of the algorithm in which threads share pairs.
    pairs: Option<Pairs>,
    /// True if threads share pairs in this run: if blocks can count them.
    shares_pairs: bool,
    /// Offsets of buckets, with the end of the last one.
    offsets: StagedArray,
    counts: DeviceBuffer<u32>,
    host_counts: PinnedBuffer<u32>,
    hits: DeviceBuffer<Hit>,
    /// Partition of the hits into buckets.
    buckets: Partition,
}

buffers!(Hits: pairs, offsets, counts, host_counts, hits, buckets);

/// The buckets with the hits in them, on the host and on the device.
struct BucketsSnapshot<'a> {
    gpu: &'a Gpu,
    hits: &'a mut Hits,
}

struct SavedBuckets {
    buckets: Partition,
    counts: Vec<u32>,
    hits: DeviceBuffer<Hit>,
}

impl Snapshot for BucketsSnapshot<'_> {
    fn bytes(&self) -> u64 {
        self.hits.hits.bytes()
    }

    fn copied(&self) -> Result<SavedBuffer, DeviceError> {
        let hits = self.gpu.buffer(self.hits.hits.len())?;
        self.gpu.copy(&hits, &self.hits.hits)?;
        let buckets = self.hits.buckets.clone();
        Ok(Box::new(SavedBuckets { buckets, counts: self.hits.host_counts.to_vec(), hits }))
    }

    fn restore(self: Box<Self>, saved: &SavedBuffer) -> Result<(), DeviceError> {
        let Some(saved) = saved.downcast_ref::<SavedBuckets>() else { return Ok(()) };
        let capacities: Vec<_> = saved.buckets.lengths().collect();
        self.hits.set_capacities(self.gpu, &capacities)?;
        self.hits.host_counts.copy_from_slice(&saved.counts);
        self.gpu.upload(&self.hits.counts, &self.hits.host_counts)?;
        self.gpu.copy(&self.hits.hits, &saved.hits)
    }
}

impl Hits {
    /// Buffers for `digis` digis, with capacity for `hits` hits, which grows when it turns out to
    /// be too small.
    pub(super) fn new(
        gpu: &Gpu,
        batch: Batch<'_>,
        digis: usize,
        algorithm: HitsAlgorithm,
        flat: usize,
    ) -> Result<Self, DeviceError> {
        let modules = batch.modules();
        let pairs = match algorithm {
            HitsAlgorithm::Online | HitsAlgorithm::Fronts => None,
            HitsAlgorithm::Pairs => Some(Pairs::new(gpu, digis, batch.sides())?),
        };
        Ok(Hits {
            algorithm,
            semantics: batch.online(),
            modules,
            cut: time_cut(batch.setup().cuts()),
            pairs,
            shares_pairs: false,
            offsets: StagedArray::new(gpu, modules + 1)?,
            counts: gpu.buffer(modules)?,
            host_counts: gpu.pinned(modules)?,
            hits: gpu.buffer(flat)?,
            buckets: Partition::from_lengths([]),
        })
    }

    /// Starts to find the hits of all modules, given the counts of digis and clusters of each side,
    /// and to copy the counts of hits to the host.
    pub(super) fn start(
        &mut self,
        gpu: &Gpu,
        digis: &Partition,
        counts: &[usize],
        sorted: SortedClusters<'_>,
    ) -> Result<(), DeviceError> {
        self.shares_pairs = self.list_pairs(gpu, counts)?;
        let capacity = |digis: usize| (HITS_FOR_A_DIGI * digis as f64) as usize;
        let capacities: Vec<_> = digis.lengths().take(self.modules).map(capacity).collect();
        self.fill(gpu, &capacities, sorted)
    }

    /// Waits for the counts of hits. If a bucket is too small, all threads run again with the
    /// counted capacities.
    pub(super) fn finish(
        &mut self,
        gpu: &Gpu,
        sorted: SortedClusters<'_>,
    ) -> Result<(), DeviceError> {
        loop {
            gpu.wait()?;
            let found: Vec<_> = self.counts().collect();
            let has_room = |(&found, capacity)| found <= capacity;
            if found.iter().zip(self.buckets.lengths()).all(has_room) {
                return Ok(());
            }
            self.fill(gpu, &found, sorted)?;
        }
    }

    /// Starts to fill buckets with these capacities.
    pub(super) fn fill(
        &mut self,
        gpu: &Gpu,
        capacities: &[usize],
        sorted: SortedClusters<'_>,
    ) -> Result<(), DeviceError> {
        self.set_capacities(gpu, capacities)?;
        match &self.pairs {
            Some(pairs) if self.shares_pairs => pairs.start(gpu, self, sorted)?,
            _ => self.start_fronts(gpu, sorted)?,
        }
        gpu.download(&mut self.host_counts, &self.counts)
    }

    /// Starts to fill the buckets, which have zero hits each, by a thread for each cluster of the
    /// front.
    fn start_fronts(&self, gpu: &Gpu, sorted: SortedClusters<'_>) -> Result<(), DeviceError> {
        let finding = if self.algorithm == HitsAlgorithm::Online { &WALK } else { &SEARCH };
        let kernel = finding.for_semantics(self.semantics);
        // Fronts are read, and those backs that are near.
        let clusters = sorted.clusters.clusters().len();
        let grid = kernel.grid_for(clusters).with_traffic(sorted.bytes());
        // SAFETY: sides have the counted number of sorted clusters, and no hit is written beyond its
        // bucket.
        unsafe { gpu.launch(kernel, grid, self.arguments(sorted)) }
    }

    /// Arguments of the kernels that find hits.
    fn arguments(&self, sorted: SortedClusters<'_>) -> HitFinding {
        HitFinding {
            clusters: sorted.clusters.clusters().ptr(),
            entries: sorted.order.entries().ptr(),
            side_offsets: sorted.side_offsets.ptr(),
            found: sorted.clusters.found().ptr(),
            sensors: sorted.tables.sensors.ptr(),
            offsets: self.offsets.ptr(),
            counts: self.counts.ptr(),
            hits: self.hits.ptr(),
            modules: self.modules as u32,
            cut: self.cut,
        }
    }

    /// Lists the jobs of blocks, if they share pairs and can count them.
    fn list_pairs(&mut self, gpu: &Gpu, counts: &[usize]) -> Result<bool, DeviceError> {
        match &mut self.pairs {
            Some(pairs) if Pairs::can_take(&counts[self.modules..]) => {
                pairs.list(gpu, counts)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Snapshot of the buckets.
    pub(super) fn snapshot<'a>(&'a mut self, gpu: &'a Gpu) -> Box<dyn Snapshot + 'a> {
        Box::new(BucketsSnapshot { gpu, hits: self })
    }

    /// The hits, and the offsets of buckets.
    pub(super) fn buckets(&self) -> (&DeviceBuffer<Hit>, Ptr<u32>) {
        (&self.hits, self.offsets.ptr())
    }

    /// The hits of each module.
    pub(super) fn counts(&self) -> impl Iterator<Item = usize> {
        self.host_counts.iter().map(|&count| count as usize)
    }

    /// Range of each module's hits in the buckets.
    pub(super) fn hit_ranges(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let buckets = self.buckets.ranges().zip(self.counts());
        buckets.map(|(all, count)| all.start..all.end.min(all.start + count))
    }

    /// Total capacity in hits.
    pub(super) fn capacity(&self) -> usize {
        self.hits.len()
    }

    fn set_capacities(&mut self, gpu: &Gpu, capacities: &[usize]) -> Result<(), DeviceError> {
        self.buckets = Partition::from_lengths(capacities.iter().copied());
        if self.hits.len() < self.buckets.elements() {
            self.hits = gpu.buffer(self.buckets.elements())?;
        }
        self.offsets.fill(gpu, segment_offsets(&self.buckets))?;
        gpu.fill(&self.counts, 0)
    }
}
