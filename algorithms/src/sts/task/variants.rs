//! The variants of each stage and of the whole chain.

use super::prepared::PreparedChains;
use super::{Stage, StsTask, Timeslices};
use crate::algorithm::{Prepared, Semantics, Unavailable, Variant};
use crate::device::{Arena, Backend, Place};
use crate::sts::Timeslice;
use crate::sts::chains::{BySide, Chain, Clustering, Offline, Online, OnlineWays};
use crate::sts::collect::HitOrder;
use crate::sts::presort::{Counting, Orders};
use crate::sts::rules::{Exact, Published};

/// A way to do a stage or all of them, on the host.
pub(super) struct CpuChain {
    name: &'static str,
    summary: &'static str,
    way: Way,
}

/// The chain that a variant is, or is a stage of.
#[derive(Clone, Copy)]
struct Way {
    /// Whether it gives the answer of the offline reconstruction.
    offline: bool,
    /// A function for each, so that none has the code of the others.
    chain: MakeChain,
}

/// A chain for a timeslice, by so many threads.
type MakeChain = for<'a> fn(&'a Timeslice, usize) -> Box<dyn Chain + 'a>;

const fn way(chain: MakeChain) -> Way {
    Way {
        offline: false,
        chain,
    }
}

fn online(input: &Timeslice, threads: usize, ways: OnlineWays) -> Box<dyn Chain + '_> {
    match input.online() {
        Semantics::Exact => Box::new(Online::<Exact>::new(input, threads, ways)),
        _ => Box::new(Online::<Published>::new(input, threads, ways)),
    }
}

fn by_side(
    input: &Timeslice,
    threads: usize,
    clustering: Clustering,
    hits: HitOrder,
) -> Box<dyn Chain + '_> {
    match input.online() {
        Semantics::Exact => Box::new(BySide::<Exact>::new(input, threads, clustering, hits)),
        _ => Box::new(BySide::<Published>::new(input, threads, clustering, hits)),
    }
}

const USUAL: OnlineWays = OnlineWays {
    counting: Counting::Parallel,
    orders: Orders::OfSensors,
    hits: HitOrder::AsFound,
};
const OFFLINE: Way = Way {
    offline: true,
    chain: |input, _| Box::new(Offline::new(input)),
};
const ONLINE: Way = way(|input, threads| online(input, threads, USUAL));
const SERIAL: Way = way(|input, threads| {
    let counting = Counting::Serial;
    online(input, threads, OnlineWays { counting, ..USUAL })
});
const BOTH_ORDERS: Way = way(|input, threads| {
    let orders = Orders::Both;
    online(input, threads, OnlineWays { orders, ..USUAL })
});
const ONLINE_STREAMS: Way = way(|input, threads| {
    let hits = HitOrder::Streams;
    online(input, threads, OnlineWays { hits, ..USUAL })
});
const PER_SIDE: Way =
    way(|input, threads| by_side(input, threads, Clustering::ByChannel, HitOrder::AsFound));
const TIME_SWEEP: Way =
    way(|input, threads| by_side(input, threads, Clustering::TimeSweep, HitOrder::AsFound));
const TIME_SWEEP_STREAMS: Way =
    way(|input, threads| by_side(input, threads, Clustering::TimeSweep, HitOrder::Streams));

const fn variant(name: &'static str, summary: &'static str, way: Way) -> CpuChain {
    CpuChain { name, summary, way }
}

static PRESORT: [CpuChain; 4] = [
    variant(
        "hash-map",
        "a list for each address, found by hashing (offline reconstruction)",
        OFFLINE,
    ),
    variant(
        "lookup-table",
        "count and scatter by a table of all addresses (online reconstruction)",
        ONLINE,
    ),
    variant(
        "lookup-table-serial",
        "the same by one thread, however many there are",
        SERIAL,
    ),
    variant(
        "lookup-table-both",
        "by all threads, and where each digi has gone: the order of time is kept too",
        BOTH_ORDERS,
    ),
];

static CLUSTER: [CpuChain; 4] = [
    variant(
        "offline",
        "in order of time, one active digi a channel, objects (after Friese)",
        OFFLINE,
    ),
    variant(
        "online",
        "a worker a digi, connected by atomic words",
        ONLINE,
    ),
    variant(
        "per-side",
        "a worker a side: neighbouring channels are merged",
        PER_SIDE,
    ),
    variant(
        "time-sweep",
        "ours: one pass in order of time, a look at both neighbours",
        TIME_SWEEP,
    ),
];

static CLUSTER_SORT: [CpuChain; 3] = [
    variant(
        "offline",
        "the objects themselves, by std's unstable sort",
        OFFLINE,
    ),
    variant(
        "online",
        "entries of 8 bytes, by introspective sort",
        ONLINE,
    ),
    variant(
        "insertion",
        "ours: insertion, as the time sweep leaves entries nearly in order",
        TIME_SWEEP,
    ),
];

static HITS: [CpuChain; 3] = [
    variant("offline", "a worker a module, in double precision", OFFLINE),
    variant(
        "online",
        "a worker a cluster of the front, by binary search, into buckets",
        ONLINE,
    ),
    variant(
        "windows",
        "ours: a window moves over what was computed once for each cluster",
        TIME_SWEEP,
    ),
];

static COLLECT: [CpuChain; 5] = [
    variant(
        "append",
        "hit by hit, objects of 136 bytes (offline reconstruction)",
        OFFLINE,
    ),
    variant(
        "buckets",
        "a bucket a module, all at once (online reconstruction)",
        ONLINE,
    ),
    variant(
        "pieces",
        "ours: what each thread has found, all at once",
        TIME_SWEEP,
    ),
    variant(
        "buckets-by-time",
        "a stream for each module, sorted by time anew (online reconstruction)",
        ONLINE_STREAMS,
    ),
    variant(
        "pieces-by-time",
        "ours: the same by insertion, as windows leave hits nearly in order",
        TIME_SWEEP_STREAMS,
    ),
];

static CHAIN: [CpuChain; 4] = [
    variant(
        "offline",
        "as the offline reconstruction: objects, lists, double precision (after Friese)",
        OFFLINE,
    ),
    variant(
        "online",
        "as the online reconstruction: introspective sort, atomic connectors, buckets",
        ONLINE,
    ),
    variant(
        "per-side",
        "scatter by channel, a worker a side, windows",
        PER_SIDE,
    ),
    variant(
        "time-sweep",
        "ours: clusters in one pass in order of time, windows, parts of hot modules",
        TIME_SWEEP,
    ),
];

/// The variants of a stage, or of the whole chain.
pub(super) fn of(stage: Option<Stage>) -> &'static [CpuChain] {
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

impl CpuChain {
    /// The chain on a timeslice.
    pub(super) fn chain<'a>(&self, input: &'a Timeslice, threads: usize) -> Box<dyn Chain + 'a> {
        (self.way.chain)(input, threads)
    }

    /// The right answer to an input.
    pub(super) fn answer(&self, input: &Timeslices) -> Semantics {
        if self.way.offline {
            Semantics::Offline
        } else {
            input.online()
        }
    }
}

impl<const STAGE: u8> Variant<StsTask<STAGE>> for CpuChain {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn backend(&self) -> Backend {
        Backend::Cpu
    }

    /// Digis of a side stay in the order of the stream.
    fn stable(&self) -> bool {
        StsTask::<STAGE>::STAGE == Some(Stage::Presort)
    }

    fn answers(&self) -> &'static [Semantics] {
        if self.way.offline {
            &[Semantics::Offline]
        } else {
            &[Semantics::Exact, Semantics::Published]
        }
    }

    fn semantics(&self, input: &Timeslices) -> Semantics {
        self.answer(input)
    }

    fn prepare<'a>(
        &self,
        input: &'a Timeslices,
        arena: &'a Arena,
        place: &Place<'_>,
    ) -> Result<Box<dyn Prepared<StsTask<STAGE>> + 'a>, Unavailable> {
        let threads = place.team.threads();
        let chains = input.0.iter();
        let chains = chains.map(|timeslice| self.chain(timeslice, threads));
        let stage = StsTask::<STAGE>::STAGE;
        let prepared = PreparedChains::new(chains.collect(), stage, arena, input.most_kept());
        Ok(Box::new(prepared))
    }
}
