//! Digis to clusters: see the kernels.

use generators_common::partition::Partition;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig, PinnedBuffer, Ptr};

use super::ByRules;
use super::batch::Batch;
use super::tables::{DeviceTables, window};
use crate::kernels::sts_connectors as online;
use crate::kernels::sts_cuda_formulas_clusters_h::{CHANNEL_OFFSETS, ClusterFinding};
use crate::kernels::sts_cuda_formulas_records_h::Found;
use crate::kernels::sts_cuda_formulas_rules_h::Window;
use crate::kernels::sts_links::{self as links, TILE};
use crate::kernels::sts_per_side as per_side;
use crate::sts::{Cluster, ClusterEntry};
use tasks::algorithm::Semantics;
use tasks::device::buffers;

/// A kernel for each of the rules.
type Finder = ByRules<ClusterFinding>;

static CONNECT: Finder =
    ByRules::new(&online::CLUSTER_CONNECT_WALK_EXACT, &online::CLUSTER_CONNECT_WALK_PUBLISHED);
static FOLLOW: Finder =
    ByRules::new(&online::CLUSTER_FOLLOW_EXACT, &online::CLUSTER_FOLLOW_PUBLISHED);
static SIDE: Finder =
    ByRules::new(&per_side::CLUSTER_SIDE_EXACT, &per_side::CLUSTER_SIDE_PUBLISHED);
static LINK: Finder = ByRules::new(&links::CLUSTER_LINK_EXACT, &links::CLUSTER_LINK_PUBLISHED);
static HEADS: Finder = ByRules::new(&links::CLUSTER_HEADS_EXACT, &links::CLUSTER_HEADS_PUBLISHED);
static LINK_LARGER: Finder =
    ByRules::new(&links::CLUSTER_LINK_LARGER_EXACT, &links::CLUSTER_LINK_LARGER_PUBLISHED);
static HEADS_LARGER: Finder =
    ByRules::new(&links::CLUSTER_HEADS_LARGER_EXACT, &links::CLUSTER_HEADS_LARGER_PUBLISHED);

/// Algorithm that finds clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum ClusterAlgorithm {
    /// A thread per digi, which walks to its side, as published.
    Online,
    /// A block a side.
    PerSide,
    /// A thread per digi, then blocks for the first digis of chains.
    Links,
}

/// The digis of all sides, each in order of channel and time.
#[derive(Clone, Copy)]
pub(super) struct SortedDigis<'a> {
    pub(super) digis: &'a DeviceBuffer<u64>,
    /// Offsets of sides, with the end of the last one.
    pub(super) side_offsets: &'a DeviceBuffer<u32>,
    pub(super) tables: &'a DeviceTables,
}

/// Tiles of digis in which there are any of larger sides.
#[derive(Clone, Copy)]
pub(super) struct LargerTiles {
    pub(super) tiles: Ptr<u32>,
    pub(super) count: usize,
    /// The least digis that a larger side has.
    pub(super) min: usize,
}

/// Clusters of all sides, in any order.
#[derive(Clone, Copy)]
pub(super) struct UnsortedClusters<'a> {
    pub(super) clusters: &'a DeviceBuffer<Cluster>,
    pub(super) found: &'a DeviceBuffer<Found>,
    /// Offsets of sides, with the end of the last one; on the device and on the host.
    pub(super) side_offsets: &'a DeviceBuffer<u32>,
    pub(super) sides: &'a Partition,
    /// See [`Clusters::expected`].
    pub(super) expected: u64,
}

impl UnsortedClusters<'_> {
    /// Bytes of the clusters that are expected.
    pub(super) fn cluster_bytes(&self) -> u64 {
        self.expected * size_of::<Cluster>() as u64
    }

    /// Bytes of their entries.
    pub(super) fn entry_bytes(&self) -> u64 {
        self.expected * size_of::<ClusterEntry>() as u64
    }
}

/// Clusters, and the buffers for finding them.
pub(super) struct Clusters {
    algorithm: ClusterAlgorithm,
    semantics: Semantics,
    sides: u32,
    window: Window,
    connectors: DeviceBuffer<u32>,
    channels: DeviceBuffer<u32>,
    /// For each digi whether it follows another one; ends with a whole word.
    follows: DeviceBuffer<u8>,
    found: DeviceBuffer<Found>,
    host_found: PinnedBuffer<Found>,
    clusters: DeviceBuffer<Cluster>,
    /// Number of clusters of the run before, 0 if there was none: kernels declare the bytes of that
    /// number of clusters as traffic.
    expected: u64,
}

buffers!(Clusters: connectors, channels, follows, found, host_found, clusters);

impl Clusters {
    /// Buffers for `digis` digis.
    pub(super) fn new(
        gpu: &Gpu,
        batch: Batch<'_>,
        digis: usize,
        algorithm: ClusterAlgorithm,
    ) -> Result<Self, DeviceError> {
        let sides = batch.sides();
        let (channels, follows) = match algorithm {
            ClusterAlgorithm::Links => (0, digis.next_multiple_of(size_of::<u64>())),
            _ => (CHANNEL_OFFSETS as usize * sides, 0),
        };
        Ok(Clusters {
            algorithm,
            semantics: batch.online(),
            sides: sides as u32,
            window: window(batch.setup()),
            connectors: gpu.buffer(digis)?,
            channels: gpu.buffer(channels)?,
            follows: gpu.buffer(follows)?,
            found: gpu.buffer(sides)?,
            host_found: gpu.pinned(sides)?,
            clusters: gpu.buffer(digis)?,
            expected: 0,
        })
    }

    /// Sets counters and flags to 0, as kernels expect.
    pub(super) fn zero(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        match self.algorithm {
            ClusterAlgorithm::Links => gpu.fill(&self.follows, 0)?,
            _ => gpu.fill(&self.connectors, 0)?,
        }
        gpu.fill(&self.found, 0)
    }

    /// Finds the clusters of all sides.
    pub(super) fn find(&self, gpu: &Gpu, sorted: SortedDigis<'_>) -> Result<(), DeviceError> {
        match self.algorithm {
            ClusterAlgorithm::Online => self.find_by_digi(gpu, sorted),
            ClusterAlgorithm::PerSide => self.find_by_side(gpu, sorted),
            ClusterAlgorithm::Links => self.find_by_links(gpu, sorted),
        }
    }

    /// Finds the clusters of larger sides by links, if small sides are processed by another
    /// algorithm.
    pub(super) fn find_in_large_sides(
        &self,
        gpu: &Gpu,
        sorted: SortedDigis<'_>,
        larger: LargerTiles,
    ) -> Result<(), DeviceError> {
        let arguments = ClusterFinding {
            listed: larger.tiles,
            min_digis: larger.min as u32,
            ..self.arguments(sorted)
        };
        let grid = LaunchConfig::blocks(larger.count as u32);
        // SAFETY: as by links of all; tiles are some of them.
        unsafe {
            // Not counted: how many digis of its tiles are of larger sides.
            gpu.launch(LINK_LARGER.for_semantics(self.semantics), grid, arguments)?;
            gpu.launch(HEADS_LARGER.for_semantics(self.semantics), grid, arguments)
        }
    }

    /// Arguments of the kernels that find clusters; sides or tiles are not listed, and there is no
    /// output in order of time.
    pub(super) fn arguments(&self, sorted: SortedDigis<'_>) -> ClusterFinding {
        ClusterFinding {
            digis: sorted.digis.ptr(),
            side_offsets: sorted.side_offsets.ptr(),
            channels: self.channels.ptr(),
            connectors: self.connectors.ptr(),
            follows: self.follows.ptr(),
            tables: sorted.tables.clusters.ptr(),
            clusters: self.clusters.ptr(),
            found: self.found.ptr(),
            entries: Ptr::NONE,
            listed: Ptr::NONE,
            sides: self.sides,
            min_digis: 0,
            window: self.window,
        }
    }

    /// Semantics of the rules by which clusters are found.
    pub(super) fn semantics(&self) -> Semantics {
        self.semantics
    }

    /// The clusters; each side's range is that of its digis.
    pub(super) fn clusters(&self) -> &DeviceBuffer<Cluster> {
        &self.clusters
    }

    /// Cluster count and latest error of each side.
    pub(super) fn found(&self) -> &DeviceBuffer<Found> {
        &self.found
    }

    /// Starts to copy the counts of clusters of each side to the host.
    pub(super) fn start_counts(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.download(&mut self.host_found, &self.found)
    }

    /// Notes how many there are.
    pub(super) fn expect(&mut self, clusters: usize) {
        self.expected = clusters as u64;
    }

    /// Number of clusters that a run is expected to find: that of the run before.
    pub(super) fn expected(&self) -> u64 {
        self.expected
    }

    fn expected_bytes(&self) -> u64 {
        self.expected * size_of::<Cluster>() as u64
    }

    /// Counts of clusters of each side, after they were copied to the host.
    pub(super) fn counts(&self) -> impl Iterator<Item = usize> {
        self.host_found.iter().map(|found| found.clusters as usize)
    }

    fn find_by_digi(&self, gpu: &Gpu, sorted: SortedDigis<'_>) -> Result<(), DeviceError> {
        let arguments = self.arguments(sorted);
        let read = sorted.digis.bytes();
        let linked = self.connectors.bytes();
        let all = online::CLUSTER_CHANNELS.grid_for(sorted.digis.len());
        // SAFETY: sides are ranges of the digis, with an offset for each of their channels, and a
        // connector and capacity for a cluster for each digi.
        unsafe {
            let of_channels = all.with_traffic(read + self.channels.bytes());
            gpu.launch(&online::CLUSTER_CHANNELS, of_channels, arguments)?;
            let of_connectors = all.with_traffic(read + self.channels.bytes() + 2 * linked);
            gpu.launch(CONNECT.for_semantics(self.semantics), of_connectors, arguments)?;
            let of_clusters = all.with_traffic(read + linked + self.expected_bytes());
            gpu.launch(FOLLOW.for_semantics(self.semantics), of_clusters, arguments)
        }
    }

    fn find_by_side(&self, gpu: &Gpu, sorted: SortedDigis<'_>) -> Result<(), DeviceError> {
        let linked = 2 * (self.connectors.bytes() + self.channels.bytes());
        let bytes = sorted.digis.bytes() + linked + self.expected_bytes();
        let grid = LaunchConfig::blocks(self.sides).with_traffic(bytes);
        // SAFETY: there is a block for each side; sides are ranges of the digis, with an offset for
        // each of their channels, and a connector and capacity for a cluster for each digi.
        unsafe { gpu.launch(SIDE.for_semantics(self.semantics), grid, self.arguments(sorted)) }
    }

    fn find_by_links(&self, gpu: &Gpu, sorted: SortedDigis<'_>) -> Result<(), DeviceError> {
        let arguments = self.arguments(sorted);
        let bytes = sorted.digis.bytes() + self.connectors.bytes() + self.follows.bytes();
        let tiles = sorted.digis.len().div_ceil(TILE as usize);
        let grid = LaunchConfig::blocks(tiles as u32);
        // SAFETY: sides are ranges of the digis, with a connector, a byte and capacity for a
        // cluster for each digi; the bytes end with a whole word.
        unsafe {
            gpu.launch(LINK.for_semantics(self.semantics), grid.with_traffic(bytes), arguments)?;
            let heads = HEADS.for_semantics(self.semantics);
            gpu.launch(heads, grid.with_traffic(bytes + self.expected_bytes()), arguments)
        }
    }
}
