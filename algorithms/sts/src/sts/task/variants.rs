//! The variants of each stage and of the whole chain.

use super::StsTask;
use super::by_stage::ByStage;
use super::session::{ChainSession, SavedIn};
use crate::std_sort;
use crate::sts::Timeslice;
use crate::sts::chains::{BySide, Chain, Clustering, Offline, Online, OnlineConfig};
use crate::sts::clusters::Zeroing;
use crate::sts::collect::HitOrder;
use crate::sts::hits::HitWorkers;
use crate::sts::presort::{Counting, Orders, Pages};
use crate::sts::rules::{Exact, Published};
use tasks::algorithm::{Prepare, PrepareResult, Semantics, Variant, VariantContext};

/// Algorithms of the stages of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CpuConfig {
    Offline,
    Online(OnlineConfig),
    BySide(Clustering, HitOrder),
}

impl CpuConfig {
    /// A chain for a timeslice.
    pub(super) fn chain(self, input: &Timeslice, threads: usize) -> Box<dyn Chain + '_> {
        match self {
            CpuConfig::Offline => Box::new(Offline::new(input)),
            CpuConfig::Online(config) => match input.online() {
                Semantics::Exact => Box::new(Online::<Exact>::new(input, threads, config)),
                _ => Box::new(Online::<Published>::new(input, threads, config)),
            },
            CpuConfig::BySide(clustering, hits) => match input.online() {
                Semantics::Exact => {
                    Box::new(BySide::<Exact>::new(input, threads, clustering, hits))
                }
                _ => Box::new(BySide::<Published>::new(input, threads, clustering, hits)),
            },
        }
    }
}

const USUAL: OnlineConfig = OnlineConfig {
    counting: Counting::Parallel,
    orders: Orders::OfSensors,
    pages: Pages::Faulted,
    hits: HitOrder::AsFound,
    zeroing: Zeroing::Parallel,
    hit_workers: HitWorkers::Modules,
};
pub(super) const OFFLINE: CpuConfig = CpuConfig::Offline;
pub(super) const ONLINE: CpuConfig = CpuConfig::Online(USUAL);
pub(super) const SERIAL: CpuConfig =
    CpuConfig::Online(OnlineConfig { counting: Counting::Serial, ..USUAL });
pub(super) const FRESH: CpuConfig =
    CpuConfig::Online(OnlineConfig { pages: Pages::Fresh, ..USUAL });
pub(super) const BOTH_ORDERS: CpuConfig =
    CpuConfig::Online(OnlineConfig { orders: Orders::Both, ..USUAL });
pub(super) const ONLINE_STREAMS: CpuConfig =
    CpuConfig::Online(OnlineConfig { hits: HitOrder::Streams, ..USUAL });
const SERIAL_ZERO: CpuConfig =
    CpuConfig::Online(OnlineConfig { zeroing: Zeroing::Serial, ..USUAL });
pub(super) const STATIC: CpuConfig =
    CpuConfig::Online(OnlineConfig { hit_workers: HitWorkers::EqualShares, ..USUAL });
pub(super) const FRONTS: CpuConfig =
    CpuConfig::Online(OnlineConfig { hit_workers: HitWorkers::Fronts, ..USUAL });
pub(super) const PER_SIDE: CpuConfig = CpuConfig::BySide(Clustering::ByChannel, HitOrder::AsFound);
pub(super) const TIME_SWEEP: CpuConfig =
    CpuConfig::BySide(Clustering::TimeSweep, HitOrder::AsFound);
pub(super) const TIME_SWEEP_STREAMS: CpuConfig =
    CpuConfig::BySide(Clustering::TimeSweep, HitOrder::Streams);

/// The chains of all timeslices, ready to run up to the stage of the task.
fn chains<'a>(
    at: &VariantContext<'a, '_, StsTask>,
    config: CpuConfig,
) -> PrepareResult<'a, StsTask> {
    let chain = |timeslice: &'a Timeslice| {
        let mut chain = config.chain(timeslice, at.threads());
        // A stage's task has the stream given, whatever that was made of.
        if at.task.stage.is_none() && timeslice.raw().is_some() {
            chain.begin_with_raw();
        }
        chain
    };
    let chains = at.input.0.iter().map(chain).collect();
    at.session(ChainSession::new(chains, at.input, at.task.stage, at.arena, SavedIn::Host))
}

/// Chains that sort by `std::sort`, as both reconstructions do.
fn published<'a>(
    at: &VariantContext<'a, '_, StsTask>,
    config: CpuConfig,
) -> PrepareResult<'a, StsTask> {
    std_sort::available()?;
    chains(at, config)
}

const fn variant(name: &'static str, prepare: Prepare<StsTask>) -> Variant<StsTask> {
    super::online(Variant::cpu(name, "", prepare))
}

/// A variant that gives the answer of the offline reconstruction.
const fn offline(name: &'static str) -> Variant<StsTask> {
    let variant = Variant::cpu(name, "", |at| published(at, OFFLINE)).unstable();
    variant.with_semantics(&[Semantics::Offline], |_| Semantics::Offline)
}

const PRESORT: &[Variant<StsTask>] = &[
    offline("hash-map")
        .summary("a list for each address, found by hashing (offline reconstruction)")
        .in_order(),
    variant("lookup-table", |at| published(at, ONLINE))
        .summary("count and scatter by a table of all addresses (online reconstruction)")
        .in_order(),
    variant("lookup-table-serial", |at| published(at, SERIAL))
        .summary("the same by one thread, however many there are")
        .in_order(),
    variant("lookup-table-fresh", |at| published(at, FRESH))
        .summary("by all threads, into memory whose pages are not there yet")
        .in_order(),
    variant("lookup-table-both", |at| published(at, BOTH_ORDERS))
        .summary("by all threads, and where each digi has gone: the order of time is saved too")
        .in_order(),
];

const CLUSTER: &[Variant<StsTask>] = &[
    offline("offline")
        .summary("in order of time, one active digi a channel, objects (after Friese)"),
    variant("online", |at| published(at, ONLINE))
        .summary("a worker a digi, connected by atomic words"),
    variant("per-side", |at| chains(at, PER_SIDE))
        .summary("a worker a side: neighbouring channels are merged"),
    variant("time-sweep", |at| chains(at, TIME_SWEEP))
        .summary("ours: one pass in order of time, a look at both neighbours"),
];

const CLUSTER_SORT: &[Variant<StsTask>] = &[
    offline("offline").summary("the objects themselves, by std::sort of C++"),
    variant("online", |at| published(at, ONLINE))
        .summary("entries of 8 bytes, by std::sort of C++"),
    variant("insertion", |at| chains(at, TIME_SWEEP))
        .summary("ours: insertion, as the time sweep leaves entries nearly in order"),
];

const HITS: &[Variant<StsTask>] = &[
    offline("offline").summary("a worker a module, in double precision"),
    variant("online", |at| published(at, ONLINE))
        .summary("a worker a module, into buckets (online reconstruction)"),
    variant("online-static", |at| published(at, STATIC))
        .summary("the same, but all threads get the same number of modules at the start"),
    variant("fronts", |at| published(at, FRONTS))
        .summary("a worker a cluster of the front, by binary search, into buckets"),
    variant("windows", |at| chains(at, TIME_SWEEP))
        .summary("ours: a window moves over what was computed once for each cluster"),
];

const COLLECT: &[Variant<StsTask>] = &[
    offline("append").summary("hit by hit, objects of 136 bytes (offline reconstruction)"),
    variant("buckets", |at| published(at, ONLINE))
        .summary("a bucket a module, all at once (online reconstruction)"),
    variant("pieces", |at| chains(at, TIME_SWEEP))
        .summary("ours: what each thread has found, all at once"),
    variant("buckets-by-time", |at| published(at, ONLINE_STREAMS))
        .summary("a stream for each module, sorted by time anew (online reconstruction)"),
    variant("pieces-by-time", |at| chains(at, TIME_SWEEP_STREAMS))
        .summary("ours: the same by insertion, as windows leave hits nearly in order"),
];

const CHAIN: &[Variant<StsTask>] = &[
    offline("offline")
        .summary("as the offline reconstruction: objects, lists, double precision (after Friese)"),
    variant("online", |at| published(at, ONLINE))
        .summary("as the online reconstruction: std::sort of C++, atomic connectors, buckets"),
    variant("online-serial-zero", |at| published(at, SERIAL_ZERO))
        .summary("the same, but connectors are set to 0 by one thread"),
    variant("per-side", |at| chains(at, PER_SIDE))
        .summary("scatter by channel, a worker a side, windows"),
    variant("time-sweep", |at| chains(at, TIME_SWEEP))
        .summary("ours: clusters in one pass in order of time, windows, parts of hot modules"),
];

/// All of them.
pub(super) const VARIANTS: ByStage = ByStage {
    presort: PRESORT,
    cluster: CLUSTER,
    cluster_sort: CLUSTER_SORT,
    hits: HITS,
    collect: COLLECT,
    chain: CHAIN,
};
