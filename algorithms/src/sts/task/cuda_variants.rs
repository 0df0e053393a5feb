//! The variants of each stage and of the whole chain on a GPU.

use std::sync::Arc;

use super::cuda_prepared::{PreparedCudaChains, Schedule};
use super::{Stage, StsTask, Timeslices};
use crate::algorithm::{Prepared, Semantics, Unavailable, Variant};
use crate::device::gpu::Gpu;
use crate::device::{Arena, Backend, Place};
use crate::sts::Timeslice;
use crate::sts::cuda::{
    ClusterSortWay, ClusterWay, CollectWay, CudaChain, CudaWays, HitsWay, PresortWay,
};

/// A way to do a stage or all of them, on a GPU.
pub(super) struct CudaVariant {
    name: &'static str,
    summary: &'static str,
    ways: CudaWays,
    schedule: Schedule,
}

const fn variant(name: &'static str, summary: &'static str, ways: CudaWays) -> CudaVariant {
    CudaVariant {
        name,
        summary,
        ways,
        schedule: Schedule::InTurn,
    }
}

const ONLINE: CudaWays = CudaWays {
    presort: PresortWay::Rows,
    clusters: ClusterWay::Connectors,
    cluster_sort: ClusterSortWay::BlockMerge,
    hits: HitsWay::Fronts,
    collect: CollectWay::Flat,
};
const PER_SIDE: CudaWays = CudaWays {
    clusters: ClusterWay::PerSide,
    ..ONLINE
};
const TILES: CudaWays = CudaWays {
    presort: PresortWay::Tiles,
    ..ONLINE
};
const LINKS: CudaWays = CudaWays {
    clusters: ClusterWay::Links,
    ..TILES
};
const TIME_BINS: CudaWays = CudaWays {
    cluster_sort: ClusterSortWay::TimeBins,
    ..LINKS
};
const MAPPED: CudaWays = CudaWays {
    collect: CollectWay::Mapped,
    ..ONLINE
};
const BALANCED: CudaWays = CudaWays {
    hits: HitsWay::Pairs,
    ..TIME_BINS
};

static PRESORT: [CudaVariant; 2] = [
    variant(
        "lookup-table",
        "count and scatter by a table of all addresses, a warp a part of the stream",
        ONLINE,
    ),
    variant(
        "tiles",
        "ours: blocks bring tiles into order of sides in shared memory first",
        TILES,
    ),
];

static CLUSTER: [CudaVariant; 3] = [
    variant(
        "online",
        "published: a thread a digi, connected by atomic words",
        ONLINE,
    ),
    variant(
        "per-side",
        "the same steps by a block a module side",
        PER_SIDE,
    ),
    variant(
        "links",
        "ours: followers by leaps, then chains by blocks that gather their first digis",
        LINKS,
    ),
];

static CLUSTER_SORT: [CudaVariant; 2] = [
    variant(
        "block-merge",
        "entries of 8 bytes: tiles in shared memory, then merged by all blocks",
        ONLINE,
    ),
    variant(
        "time-bins",
        "ours: a block a side, by bins of time in shared memory; large sides cut by time",
        TIME_BINS,
    ),
];

static HITS: [CudaVariant; 2] = [
    variant(
        "online",
        "published: a thread a cluster of the front, by binary search, into buckets",
        ONLINE,
    ),
    variant(
        "pairs",
        "ours: threads of a block share the pairs of its fronts; those that may cross are queued",
        BALANCED,
    ),
];

static COLLECT: [CudaVariant; 2] = [
    variant(
        "buckets",
        "buckets to one array on the device, and that to the host",
        ONLINE,
    ),
    variant(
        "mapped",
        "buckets to one array on the host, which the kernel writes to",
        MAPPED,
    ),
];

static CHAIN: [CudaVariant; 4] = [
    variant(
        "online",
        "as the online reconstruction: atomic connectors, a thread a cluster, buckets",
        ONLINE,
    ),
    variant(
        "per-side",
        "the same, but clusters by a block a module side",
        PER_SIDE,
    ),
    variant(
        "balanced",
        "ours: presort by tiles, clusters by links and bins of time, hits by shared pairs",
        BALANCED,
    ),
    CudaVariant {
        schedule: Schedule::Overlapped,
        ..variant(
            "balanced-overlapped",
            "ours: the same, timeslices copied while others are at work",
            BALANCED,
        )
    },
];

/// The variants of a stage, or of the whole chain.
pub(super) fn of(stage: Option<Stage>) -> &'static [CudaVariant] {
    match stage {
        Some(Stage::Presort) => &PRESORT,
        Some(Stage::Cluster) => &CLUSTER,
        Some(Stage::ClusterSort) => &CLUSTER_SORT,
        Some(Stage::Hits) => &HITS,
        Some(Stage::Collect) => &COLLECT,
        Some(Stage::Zero | Stage::Sort) => &[],
        None => &CHAIN,
    }
}

/// Places are counted with 32 bits on the device, and a few more are needed to go beyond
/// the end.
fn accept(input: &Timeslices) -> Result<(), Unavailable> {
    let most = i32::MAX as usize;
    let digis = input.0.iter().map(|timeslice| timeslice.stream().len());
    let digis = digis.max().unwrap_or(0);
    if digis <= most {
        return Ok(());
    }
    Err(Unavailable(format!(
        "{digis} digis in a timeslice; on a GPU {most} is the most; use fewer"
    )))
}

impl CudaVariant {
    /// The chains on all timeslices; so many bytes may be kept by all variants of a point.
    pub(super) fn prepared<'a>(
        &self,
        input: &'a Timeslices,
        stage: Option<Stage>,
        gpu: &Arc<Gpu>,
        kept: (&'a Arena, u64),
    ) -> PreparedCudaChains<'a> {
        let chain = |timeslice: &'a Timeslice| {
            CudaChain::new((timeslice, kept.0), self.ways, Arc::clone(gpu))
        };
        let chains = input.0.iter().map(chain);
        PreparedCudaChains::new(
            chains.collect(),
            stage,
            self.schedule,
            Arc::clone(gpu),
            kept,
        )
    }
}

impl<const STAGE: u8> Variant<StsTask<STAGE>> for CudaVariant {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn backend(&self) -> Backend {
        Backend::Cuda
    }

    /// Digis of a side stay in the order of the stream.
    fn stable(&self) -> bool {
        StsTask::<STAGE>::STAGE == Some(Stage::Presort) && self.ways.presort == PresortWay::Rows
    }

    fn answers(&self) -> &'static [Semantics] {
        &[Semantics::Exact, Semantics::Published]
    }

    fn semantics(&self, input: &Timeslices) -> Semantics {
        input.online()
    }

    fn prepare<'a>(
        &self,
        input: &'a Timeslices,
        arena: &'a Arena,
        place: &Place<'_>,
    ) -> Result<Box<dyn Prepared<StsTask<STAGE>> + 'a>, Unavailable> {
        accept(input)?;
        let (gpu, stage) = (place.required_gpu()?, StsTask::<STAGE>::STAGE);
        let prepared = self.prepared(input, stage, &gpu, (arena, input.most_kept()));
        Ok(Box::new(prepared))
    }
}
