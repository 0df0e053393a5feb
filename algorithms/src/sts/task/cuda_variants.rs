//! The variants of each stage and of the whole chain on a GPU.

use std::sync::Arc;

use super::StsTask;
use super::cuda_session::{CudaChains, Schedule};
use crate::algorithm::{Open, Opened, Opening, Variant};
use crate::device::Unavailable;
use crate::sts::ChainStage;
use crate::sts::cuda::{
    ChainConfig, ClusterSortWay, ClusterWay, CollectWay, CudaChain, HitsWay, PresortWay,
};

/// The chains of all timeslices, ready to run up to the stage of the task. Places are counted
/// with 32 bits on the device, and a few more are needed to go beyond the end.
fn chains<'a>(
    at: &Opening<'a, '_, StsTask>,
    ways: ChainConfig,
    schedule: Schedule,
) -> Opened<'a, StsTask> {
    let (input, most) = (at.input, i32::MAX as usize);
    let digis = input.0.iter().map(|timeslice| timeslice.stream().len());
    let digis = digis.max().unwrap_or(0);
    if digis > most {
        return Err(Unavailable(format!(
            "{digis} digis in a timeslice; on a GPU {most} is the most; use fewer"
        )));
    }
    let (gpu, stage) = (at.gpu()?, at.task.stage);
    let chain = |timeslice| CudaChain::new((timeslice, at.arena), ways, Arc::clone(&gpu));
    let chains = input.0.iter().map(chain).collect();
    let kept = (at.arena, input.most_kept());
    Ok(Box::new(CudaChains::new(
        chains, stage, schedule, gpu, kept,
    )))
}

const fn variant(
    name: &'static str,
    summary: &'static str,
    open: Open<StsTask>,
) -> Variant<StsTask> {
    super::online(Variant::cuda(name, summary, open))
}

pub(super) const ONLINE: ChainConfig = ChainConfig {
    presort: PresortWay::Rows,
    clusters: ClusterWay::Connectors,
    cluster_sort: ClusterSortWay::BlockMerge,
    hits: HitsWay::Fronts,
    collect: CollectWay::Flat,
};
pub(super) const PER_SIDE: ChainConfig = ChainConfig {
    clusters: ClusterWay::PerSide,
    ..ONLINE
};
pub(super) const TILES: ChainConfig = ChainConfig {
    presort: PresortWay::Tiles,
    ..ONLINE
};
pub(super) const LINKS: ChainConfig = ChainConfig {
    clusters: ClusterWay::Links,
    ..TILES
};
pub(super) const TIME_BINS: ChainConfig = ChainConfig {
    cluster_sort: ClusterSortWay::TimeBins,
    ..LINKS
};
pub(super) const MAPPED: ChainConfig = ChainConfig {
    collect: CollectWay::Mapped,
    ..ONLINE
};
pub(super) const BALANCED: ChainConfig = ChainConfig {
    hits: HitsWay::Pairs,
    ..TIME_BINS
};

const PRESORT: &[Variant<StsTask>] = &[
    variant(
        "lookup-table",
        "count and scatter by a table of all addresses, a warp a part of the stream",
        |at| chains(at, ONLINE, Schedule::InTurn),
    )
    .in_order(),
    variant(
        "tiles",
        "ours: blocks bring tiles into order of sides in shared memory first",
        |at| chains(at, TILES, Schedule::InTurn),
    ),
];

const CLUSTER: &[Variant<StsTask>] = &[
    variant(
        "online",
        "published: a thread a digi, connected by atomic words",
        |at| chains(at, ONLINE, Schedule::InTurn),
    ),
    variant(
        "per-side",
        "the same steps by a block a module side",
        |at| chains(at, PER_SIDE, Schedule::InTurn),
    ),
    variant(
        "links",
        "ours: followers by leaps, then chains by blocks that gather their first digis",
        |at| chains(at, LINKS, Schedule::InTurn),
    ),
];

const CLUSTER_SORT: &[Variant<StsTask>] = &[
    variant(
        "block-merge",
        "entries of 8 bytes: tiles in shared memory, then merged by all blocks",
        |at| chains(at, ONLINE, Schedule::InTurn),
    ),
    variant(
        "time-bins",
        "ours: a block a side, by bins of time in shared memory; large sides cut by time",
        |at| chains(at, TIME_BINS, Schedule::InTurn),
    ),
];

const HITS: &[Variant<StsTask>] = &[
    variant(
        "online",
        "published: a thread a cluster of the front, by binary search, into buckets",
        |at| chains(at, ONLINE, Schedule::InTurn),
    ),
    variant(
        "pairs",
        "ours: threads of a block share the pairs of its fronts; those that may cross are queued",
        |at| chains(at, BALANCED, Schedule::InTurn),
    ),
];

const COLLECT: &[Variant<StsTask>] = &[
    variant(
        "buckets",
        "buckets to one array on the device, and that to the host",
        |at| chains(at, ONLINE, Schedule::InTurn),
    ),
    variant(
        "mapped",
        "buckets to one array on the host, which the kernel writes to",
        |at| chains(at, MAPPED, Schedule::InTurn),
    ),
];

const CHAIN: &[Variant<StsTask>] = &[
    variant(
        "online",
        "as the online reconstruction: atomic connectors, a thread a cluster, buckets",
        |at| chains(at, ONLINE, Schedule::InTurn),
    ),
    variant(
        "per-side",
        "the same, but clusters by a block a module side",
        |at| chains(at, PER_SIDE, Schedule::InTurn),
    ),
    variant(
        "balanced",
        "ours: presort by tiles, clusters by links and bins of time, hits by shared pairs",
        |at| chains(at, BALANCED, Schedule::InTurn),
    ),
    variant(
        "balanced-overlapped",
        "ours: the same, timeslices copied while others are at work",
        |at| chains(at, BALANCED, Schedule::Overlapped),
    ),
];

/// The variants of a stage, or of the whole chain.
pub(super) fn of(stage: Option<ChainStage>) -> &'static [Variant<StsTask>] {
    match stage {
        Some(ChainStage::Presort) => PRESORT,
        Some(ChainStage::Cluster) => CLUSTER,
        Some(ChainStage::ClusterSort) => CLUSTER_SORT,
        Some(ChainStage::Hits) => HITS,
        Some(ChainStage::Collect) => COLLECT,
        Some(ChainStage::Zero | ChainStage::Sort) => &[],
        None => CHAIN,
    }
}
