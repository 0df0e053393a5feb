//! Digis to clusters: see the kernels.

use std::sync::Arc;

use super::tables::{DeviceTables, window};
use super::{ByRules, Clusters as ClusterPtr, Digis, Found, Founds, Words, thread_each};
use crate::algorithm::Semantics;
use crate::device::gpu::{
    DeviceBuffer, DeviceError, Gpu, Image, Kernel, PinnedBuffer, Ptr, Shape, image,
};
use crate::sts::{Cluster, Timeslice};

static CONNECTORS: Image = image!("sts-connectors");
static PER_SIDE: Image = image!("sts-per_side");
static LINKS: Image = image!("sts-links");

/// Digis, begins, sides; channels.
static CHANNELS: Kernel<(Digis, Words, u32, Words)> = Kernel::new(&CONNECTORS, "cluster_channels");
static CONNECT: ByRules<ConnectParameters> = ByRules::new(
    &CONNECTORS,
    "cluster_connect_exact",
    "cluster_connect_published",
);
static FOLLOW: ByRules<FollowParameters> = ByRules::new(
    &CONNECTORS,
    "cluster_follow_exact",
    "cluster_follow_published",
);
static SIDE: ByRules<SideParameters> =
    ByRules::new(&PER_SIDE, "cluster_side_exact", "cluster_side_published");

static LINK: ByRules<LinkParameters> =
    ByRules::new(&LINKS, "cluster_link_exact", "cluster_link_published");
static HEADS: ByRules<HeadsParameters> =
    ByRules::new(&LINKS, "cluster_heads_exact", "cluster_heads_published");

/// Digis, begins, sides; channels, connectors; the window.
type ConnectParameters = (Digis, Words, u32, Words, Words, u32, u32, u32);
/// Digis, begins, sides; connectors, tables; clusters, what was found.
type FollowParameters = (Digis, Words, u32, Words, Ptr<f32>, ClusterPtr, Founds);
/// Digis, begins; channels, connectors; the window, tables; clusters, what was found.
type SideParameters = (
    Digis,
    Words,
    Words,
    Words,
    u32,
    u32,
    u32,
    Ptr<f32>,
    ClusterPtr,
    Founds,
);

/// Digis, begins, sides; connectors, who follows; the window.
type LinkParameters = (Digis, Words, u32, Words, Ptr<u8>, u32, u32, u32);
/// Digis, begins, sides; connectors, who follows, tables; clusters, what was found.
type HeadsParameters = (
    Digis,
    Words,
    u32,
    Words,
    Ptr<u8>,
    Ptr<f32>,
    ClusterPtr,
    Founds,
);

const THREADS: u32 = 256;
/// Digis of a block that links them, or gathers the first ones of chains.
const TILE: usize = 2048;
const SIDE_THREADS: u32 = 512;
/// Where each channel of a side begins, and where the last one ends.
const CHANNEL_OFFSETS: usize = generators::sts::CHANNELS_PER_SIDE as usize + 1;

/// How clusters are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum ClusterWay {
    /// A thread a digi.
    Connectors,
    /// A block a side.
    PerSide,
    /// A thread a digi, then blocks for the first digis of chains.
    Links,
}

/// The digis of all sides, each in order of channel and time.
#[derive(Clone, Copy)]
pub(super) struct SortedDigis<'a> {
    pub(super) digis: &'a DeviceBuffer<u64>,
    /// Where sides begin, and where the last one ends.
    pub(super) begins: &'a DeviceBuffer<u32>,
}

/// Clusters, and what finding them takes.
pub(super) struct Clusters {
    way: ClusterWay,
    semantics: Semantics,
    sides: u32,
    window: [u32; 3],
    tables: Arc<DeviceTables>,
    connectors: DeviceBuffer<u32>,
    channels: DeviceBuffer<u32>,
    /// For each digi whether it follows another one; ends with a whole word.
    follows: DeviceBuffer<u8>,
    found: DeviceBuffer<Found>,
    host_found: PinnedBuffer<Found>,
    clusters: DeviceBuffer<Cluster>,
}

impl Clusters {
    pub(super) fn new(
        gpu: &Gpu,
        (input, tables): (&Timeslice, &Arc<DeviceTables>),
        way: ClusterWay,
    ) -> Result<Self, DeviceError> {
        let (digis, sides) = (input.stream().len(), input.sides());
        let (channels, follows) = match way {
            ClusterWay::Links => (0, digis.next_multiple_of(size_of::<u64>())),
            ClusterWay::Connectors | ClusterWay::PerSide => (CHANNEL_OFFSETS * sides, 0),
        };
        Ok(Clusters {
            way,
            semantics: input.online(),
            sides: sides as u32,
            window: window(input.setup()),
            tables: Arc::clone(tables),
            connectors: gpu.buffer(digis)?,
            channels: gpu.buffer(channels)?,
            follows: gpu.buffer(follows)?,
            found: gpu.buffer(sides)?,
            host_found: gpu.pinned(sides)?,
            clusters: gpu.buffer(digis)?,
        })
    }

    /// Sets to 0 what kernels rely on.
    pub(super) fn zero(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        self.fill_zeros(gpu, 0)
    }

    fn fill_zeros(&self, gpu: &Gpu, byte: u8) -> Result<(), DeviceError> {
        match self.way {
            ClusterWay::Links => gpu.fill(&self.follows, byte)?,
            ClusterWay::Connectors | ClusterWay::PerSide => gpu.fill(&self.connectors, byte)?,
        }
        gpu.fill(&self.found, byte)
    }

    /// Finds the clusters of all sides.
    pub(super) fn find(&self, gpu: &Gpu, sorted: SortedDigis<'_>) -> Result<(), DeviceError> {
        match self.way {
            ClusterWay::Connectors => self.find_by_digi(gpu, sorted),
            ClusterWay::PerSide => self.find_by_side(gpu, sorted),
            ClusterWay::Links => self.find_by_links(gpu, sorted),
        }
    }

    /// The clusters; each side has a room where it has digis.
    pub(super) fn clusters(&self) -> &DeviceBuffer<Cluster> {
        &self.clusters
    }

    /// What was found on each side.
    pub(super) fn found(&self) -> &DeviceBuffer<Found> {
        &self.found
    }

    /// The clusters of each side; waits for them.
    pub(super) fn counts(&mut self, gpu: &Gpu) -> Result<Vec<usize>, DeviceError> {
        gpu.download(&mut self.host_found, &self.found)?;
        gpu.wait()?;
        let counts = self.host_found.iter();
        Ok(counts.map(|&[clusters, _]| clusters as usize).collect())
    }

    fn find_by_digi(&self, gpu: &Gpu, sorted: SortedDigis<'_>) -> Result<(), DeviceError> {
        let SortedDigis { digis, begins } = sorted;
        let (sides, [ns, whole, crowd]) = (self.sides, self.window);
        let (channels, connectors) = (&self.channels, &self.connectors);
        let shape = |bytes| thread_each(digis.len(), THREADS, bytes);
        let (read, linked) = (digis.bytes(), connectors.bytes());
        let connecting = (digis, begins, sides, channels, connectors, ns, whole, crowd);
        let following = (
            digis,
            begins,
            sides,
            connectors,
            &self.tables.clusters,
            &self.clusters,
            &self.found,
        );
        // SAFETY: sides are ranges of the digis, with an offset for each of their channels,
        // a connector and room for a cluster for each digi.
        unsafe {
            let of_channels = read + channels.bytes();
            let finding = (digis, begins, sides, channels);
            gpu.launch(&CHANNELS, &shape(of_channels), finding)?;
            let connect = CONNECT.of(self.semantics);
            gpu.launch(connect, &shape(2 * read + 2 * linked), connecting)?;
            let follow = FOLLOW.of(self.semantics);
            gpu.launch(follow, &shape(read + linked), following)
        }
    }

    fn find_by_side(&self, gpu: &Gpu, sorted: SortedDigis<'_>) -> Result<(), DeviceError> {
        let SortedDigis { digis, begins } = sorted;
        let [ns, whole, crowd] = self.window;
        let shape = Shape {
            blocks: self.sides,
            threads: SIDE_THREADS,
            shared_bytes: 0,
            bytes: 4 * digis.bytes() + 3 * self.connectors.bytes() + self.channels.bytes(),
        };
        let arguments = (
            digis,
            begins,
            &self.channels,
            &self.connectors,
            ns,
            whole,
            crowd,
            &self.tables.clusters,
            &self.clusters,
            &self.found,
        );
        // SAFETY: as above; there is a block for each side.
        unsafe { gpu.launch(SIDE.of(self.semantics), &shape, arguments) }
    }

    fn find_by_links(&self, gpu: &Gpu, sorted: SortedDigis<'_>) -> Result<(), DeviceError> {
        let SortedDigis { digis, begins } = sorted;
        let (sides, [ns, whole, crowd]) = (self.sides, self.window);
        let (connectors, follows) = (&self.connectors, &self.follows);
        let bytes = digis.bytes() + connectors.bytes() + follows.bytes();
        let linking = (digis, begins, sides, connectors, follows, ns, whole, crowd);
        let following = (
            digis,
            begins,
            sides,
            connectors,
            follows,
            &self.tables.clusters,
            &self.clusters,
            &self.found,
        );
        let tiles = Shape {
            blocks: digis.len().div_ceil(TILE) as u32,
            threads: THREADS,
            shared_bytes: 0,
            bytes,
        };
        // SAFETY: sides are ranges of the digis, with a connector, a byte and room for a
        // cluster for each digi; the bytes end with a whole word.
        unsafe {
            let link = LINK.of(self.semantics);
            gpu.launch(link, &tiles, linking)?;
            gpu.launch(HEADS.of(self.semantics), &tiles, following)
        }
    }

    /// Overwrites what is to be zero.
    pub(super) fn poison_zeros(&self, gpu: &Gpu, byte: u8) -> Result<(), DeviceError> {
        self.fill_zeros(gpu, byte)
    }

    /// Overwrites what finding clusters writes without looking.
    pub(super) fn poison(&self, gpu: &Gpu, byte: u8) -> Result<(), DeviceError> {
        gpu.fill(&self.channels, byte)?;
        gpu.fill(&self.clusters, byte)
    }

    /// Bytes on the device.
    pub(super) fn bytes(&self) -> u64 {
        let linked = self.connectors.bytes() + self.channels.bytes() + self.follows.bytes();
        linked + self.found.bytes() + self.clusters.bytes()
    }
}
