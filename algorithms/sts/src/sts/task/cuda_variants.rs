//! The variants of each stage and of the whole chain on a GPU.

use super::by_stage::ByStage;
use super::cuda_overlapped::OverlappedChains;
use super::cuda_session::{CudaSetting, Schedule};
use super::session::{ChainSession, Chains, SavedIn};
use super::{StsTask, Timeslices};
use crate::sts::ChainStage;
use crate::sts::cuda::{
    ChainConfig, ClusterAlgorithm, ClusterSortAlgorithm, CollectAlgorithm, HitsAlgorithm,
    PresortAlgorithm, SortAlgorithm, UnpackAlgorithm,
};
use tasks::algorithm::{Prepare, PrepareResult, Variant, VariantContext};
use tasks::device::Unavailable;

/// The chains of all timeslices, one after the other.
fn chains<'a>(
    at: &VariantContext<'a, '_, StsTask>,
    config: ChainConfig,
) -> PrepareResult<'a, StsTask> {
    scheduled(at, config, Schedule::InTurn)
}

/// The chains of all timeslices, ready to run up to the stage of the task.
fn scheduled<'a>(
    at: &VariantContext<'a, '_, StsTask>,
    config: ChainConfig,
    schedule: Schedule,
) -> PrepareResult<'a, StsTask> {
    session(at, setting(at, config)?.chains(at.input, schedule, at.task.stage))
}

/// The whole chain for all timeslices at a time.
fn overlapped<'a>(
    at: &VariantContext<'a, '_, StsTask>,
    config: ChainConfig,
) -> PrepareResult<'a, StsTask> {
    session(at, vec![Box::new(OverlappedChains::new(setting(at, config)?, at.input))])
}

fn session<'a>(
    at: &VariantContext<'a, '_, StsTask>,
    chains: Chains<'a>,
) -> PrepareResult<'a, StsTask> {
    at.session(ChainSession::new(chains, at.input, at.task.stage, at.arena, SavedIn::Device))
}

fn setting<'a>(
    at: &VariantContext<'a, '_, StsTask>,
    config: ChainConfig,
) -> Result<CudaSetting<'a>, Unavailable> {
    can_be_counted(at.input)?;
    let gpu = at.gpu()?;
    Ok(CudaSetting { arena: at.arena, gpu, threads: at.threads(), config })
}

/// Fails if there are too many digis: indices have 32 bits on the device, and some slack is needed
/// beyond the end.
fn can_be_counted(input: &Timeslices) -> Result<(), Unavailable> {
    let max = i32::MAX as usize;
    let digis = input.0.iter().map(|timeslice| timeslice.stream().len());
    let digis = digis.max().unwrap_or(0);
    if digis > max {
        return Err(Unavailable(format!(
            "{digis} digis in a timeslice; on a GPU {max} is the most; use fewer"
        )));
    }
    Ok(())
}

const fn variant(name: &'static str, prepare: Prepare<StsTask>) -> Variant<StsTask> {
    super::online(Variant::cuda(name, "", prepare))
}

/// As published, stage by stage.
pub(super) const ONLINE: ChainConfig = ChainConfig {
    unpack: UnpackAlgorithm::EpochParallel,
    presort: PresortAlgorithm::OnHost,
    sort: SortAlgorithm::BlockMerge,
    clusters: ClusterAlgorithm::Online,
    cluster_sort: ClusterSortAlgorithm::BlockMerge,
    fuse_small_sides: false,
    hits: HitsAlgorithm::Online,
    collect: CollectAlgorithm::Flat,
};
/// Clusters of each module side by one block; all stages run on the device.
pub(super) const PER_SIDE: ChainConfig = ChainConfig {
    unpack: UnpackAlgorithm::EpochParallel,
    presort: PresortAlgorithm::Rows,
    sort: SortAlgorithm::ChannelBucket,
    clusters: ClusterAlgorithm::PerSide,
    cluster_sort: ClusterSortAlgorithm::TimeBins,
    fuse_small_sides: false,
    hits: HitsAlgorithm::Fronts,
    collect: CollectAlgorithm::Flat,
};
pub(super) const MAPPED: ChainConfig =
    ChainConfig { collect: CollectAlgorithm::Mapped, ..BALANCED };
pub(super) const LINKS: ChainConfig = ChainConfig {
    unpack: UnpackAlgorithm::ToSides,
    presort: PresortAlgorithm::Tiles,
    clusters: ClusterAlgorithm::Links,
    ..PER_SIDE
};
pub(super) const BALANCED: ChainConfig = ChainConfig { hits: HitsAlgorithm::Pairs, ..LINKS };
pub(super) const WHOLE_SIDES: ChainConfig = ChainConfig { fuse_small_sides: true, ..BALANCED };

const PRESORT: &[Variant<StsTask>] = &[
    variant("on-host", |at| chains(at, ONLINE))
        .summary("published: count and scatter by the host's threads, then a copy")
        .in_order(),
    variant("tiles", |at| chains(at, LINKS))
        .summary("ours: blocks bring tiles into order of sides in shared memory first"),
];

const CLUSTER: &[Variant<StsTask>] = &[
    variant("online", |at| chains(at, ONLINE))
        .summary("published: a thread a digi, which walks to its side, connected by atomic words"),
    variant("per-side", |at| chains(at, PER_SIDE))
        .summary("the steps of online by a block a module side"),
    variant("links", |at| chains(at, LINKS))
        .summary("ours: followers by leaps, then chains by blocks that gather their first digis"),
];

const CLUSTER_SORT: &[Variant<StsTask>] = &[
    variant("block-merge", |at| chains(at, ONLINE))
        .summary("published: entries of 8 bytes, by a block a module side, as digis are sorted"),
    variant("time-bins", |at| chains(at, LINKS))
        .summary("ours: a block a side, by bins of time in shared memory; large sides cut by time"),
];

const HITS: &[Variant<StsTask>] = &[
    variant("online", |at| chains(at, ONLINE))
        .summary("published: a thread a cluster of the front, which walks to its module"),
    variant("fronts", |at| chains(at, PER_SIDE))
        .summary("the same, but threads find their module by binary search"),
    variant("pairs", |at| chains(at, BALANCED)).summary(
        "ours: threads of a block share the pairs of its fronts; those that may cross are queued",
    ),
];

const COLLECT: &[Variant<StsTask>] = &[
    variant("buckets", |at| chains(at, BALANCED))
        .summary("buckets to one array on the device, and that to the host"),
    variant("mapped", |at| chains(at, MAPPED))
        .summary("buckets to one array on the host, which the kernel writes to"),
];

const CHAIN: &[Variant<StsTask>] = &[
    variant("online", |at| chains(at, ONLINE))
        .summary("published: presort on the host, sorts by a block a side, a thread a digi"),
    variant("online-graph", |at| scheduled(at, ONLINE, Schedule::Recorded))
        .summary("the same, what lies between presort and hits is recorded and started as a graph"),
    variant("per-side", |at| chains(at, PER_SIDE)).summary(
        "on the device alone: channel-bucket, clusters by a block a module side, time bins",
    ),
    variant("balanced", |at| chains(at, BALANCED)).summary(
        "ours: presort by tiles, clusters by links and bins of time, hits by shared pairs",
    ),
    variant("balanced-batched", |at| scheduled(at, BALANCED, Schedule::InBatches)).summary(
        "ours: the same, small timeslices together as one of a detector with more modules",
    ),
    variant("balanced-overlapped", |at| overlapped(at, BALANCED)).summary(
        "ours: the same, timeslices and parts of large ones copied while others are at work",
    ),
    variant("whole-sides", |at| chains(at, WHOLE_SIDES)).summary(
        "ours: balanced, but sides that fit go from digis to clusters in order by a block each",
    ),
];

/// Variants whose kernels all exist as shaders: of each stage the published one and the fastest one
/// that writes to no host memory and needs neither graphs nor several queues, which the shader
/// backend does not support.
const AS_SHADERS: &[&str] = &[
    "on-host",
    "tiles",
    "online",
    "links",
    "block-merge",
    "time-bins",
    "pairs",
    "buckets",
    "balanced",
];

/// The variants of a stage, or of the whole chain; those whose kernels exist as shaders also run on
/// GPUs of any make.
pub(super) fn for_stage(stage: Option<ChainStage>) -> Vec<Variant<StsTask>> {
    let variants = VARIANTS.for_stage(stage);
    let as_shaders = variants.iter().filter(|variant| AS_SHADERS.contains(&variant.name));
    variants.iter().copied().chain(as_shaders.map(|variant| variant.as_shaders())).collect()
}

/// All of them.
const VARIANTS: ByStage = ByStage {
    presort: PRESORT,
    cluster: CLUSTER,
    cluster_sort: CLUSTER_SORT,
    hits: HITS,
    collect: COLLECT,
    chain: CHAIN,
};
