//! Input of a stage: output of the references of the earlier stages.

use generators_common::partition::Partition;
use generators_sts::{Digi, SegmentedDigis};
use parallel::par_map;

use super::ShownSts;
use super::items::Item;
use crate::sts::data::digi_order;
use crate::sts::reference::{self, offline};
use crate::sts::rules::{Exact, Published, Rules};
use crate::sts::task::Timeslices;
use crate::sts::{ChainStage, Cluster, Hit, OfflineCluster, OfflineHit, Product, Timeslice};
use tasks::algorithm::Semantics;
use tasks::plugin_session::{Layout, PluginRequest};

/// Adds the lists that a stage is given, or the whole chain, of all timeslices.
pub(super) fn of_stage(
    stage: Option<ChainStage>,
    input: &Timeslices,
    asked: PluginRequest,
    layout: &mut Layout<'_, ShownSts>,
) {
    let is_offline = asked.semantics == Semantics::Offline;
    let given = |stage| {
        let each = input.0.iter();
        each.map(|timeslice| before(timeslice, stage, asked.semantics)).collect::<Vec<_>>()
    };
    let timeslices = input.0.iter();
    match stage {
        Some(ChainStage::Cluster) if asked.by_time || is_offline => {
            sides(timeslices.map(Timeslice::digis), layout)
        }
        Some(stage @ ChainStage::Cluster) => {
            let by_channel = given(stage).into_iter().filter_map(|product| match product {
                Product::Digis(digis) => Some(digis),
                _ => None,
            });
            sides(by_channel, layout)
        }
        Some(stage @ (ChainStage::ClusterSort | ChainStage::Hits)) => {
            let lists = if is_offline { lists::<OfflineCluster> } else { lists::<Cluster> };
            lists("clusters", &given(stage), NO_GAPS, layout)
        }
        Some(stage @ ChainStage::Collect) => {
            let lists = if is_offline { lists::<OfflineHit> } else { lists::<Hit> };
            lists("hits", &given(stage), BUCKETS, layout)
        }
        _ => streams(timeslices, layout),
    }
}

/// Description of a stage's input.
pub(super) fn given(stage: Option<ChainStage>, asked: PluginRequest) -> &'static str {
    match stage {
        Some(ChainStage::Cluster) if asked.by_time || asked.semantics == Semantics::Offline => {
            "digis by time"
        }
        Some(ChainStage::Cluster) => "digis by channel",
        Some(ChainStage::ClusterSort) => "clusters as the reference finds them",
        Some(ChainStage::Hits) => "clusters by time",
        Some(ChainStage::Collect) => "buckets of modules",
        Some(ChainStage::Unpack | ChainStage::Presort | ChainStage::Zero | ChainStage::Sort)
        | None => "",
    }
}

/// Number of hits in the reference.
pub(super) fn hits(input: &Timeslices, semantics: Semantics) -> usize {
    let hits = |timeslice| match before(timeslice, ChainStage::Collect, semantics) {
        Product::Hits(hits) => hits.items().len(),
        Product::OfflineHits(hits) => hits.items().len(),
        _ => 0,
    };
    input.0.iter().map(hits).sum()
}

/// Number of clusters in the reference.
pub(super) fn clusters(input: &Timeslices, semantics: Semantics) -> usize {
    let clusters = |timeslice| match before(timeslice, ChainStage::ClusterSort, semantics) {
        Product::Clusters(clusters) => clusters.items().len(),
        Product::OfflineClusters(clusters) => clusters.items().len(),
        _ => 0,
    };
    input.0.iter().map(clusters).sum()
}

/// Reference output of the stages before `stage`.
fn before(timeslice: &Timeslice, stage: ChainStage, semantics: Semantics) -> &Product {
    timeslice.upstream(stage, semantics, || match semantics {
        Semantics::Exact => before_online::<Exact>(timeslice, stage),
        Semantics::Published => before_online::<Published>(timeslice, stage),
        Semantics::Offline => before_offline(timeslice, stage),
    })
}

fn before_online<P: Rules>(timeslice: &Timeslice, stage: ChainStage) -> Product {
    let digis = timeslice.digis();
    let setup = timeslice.setup();
    match stage {
        ChainStage::ClusterSort => {
            Product::Clusters(reference::clusters_as_found::<P>(digis, setup))
        }
        ChainStage::Hits => Product::Clusters(reference::clusters::<P>(digis, setup)),
        ChainStage::Collect => match before(timeslice, ChainStage::Hits, P::SEMANTICS) {
            Product::Clusters(clusters) => {
                Product::Hits(reference::hits_as_found::<P>(clusters, setup))
            }
            _ => Product::Nothing,
        },
        _ => Product::Digis(by_channel(digis)),
    }
}

fn before_offline(timeslice: &Timeslice, stage: ChainStage) -> Product {
    let digis = timeslice.digis();
    let setup = timeslice.setup();
    match stage {
        ChainStage::ClusterSort => {
            Product::OfflineClusters(offline::clusters_as_found(digis, setup))
        }
        ChainStage::Hits => Product::OfflineClusters(offline::clusters(digis, setup)),
        _ => match before(timeslice, ChainStage::Hits, Semantics::Offline) {
            Product::OfflineClusters(clusters) => {
                Product::OfflineHits(offline::hits_as_found(clusters, setup))
            }
            _ => Product::Nothing,
        },
    }
}

/// Each side by channel, time and charge.
fn by_channel(digis: &SegmentedDigis) -> SegmentedDigis {
    let sorted = |side: &[_]| {
        let mut side = side.to_vec();
        side.sort_by_key(digi_order);
        side
    };
    SegmentedDigis::from_segments(&digis.segments().map(sorted).collect::<Vec<_>>())
}

/// The streams of all timeslices, a list each.
fn streams<'t>(
    timeslices: impl Iterator<Item = &'t Timeslice> + Clone,
    layout: &mut Layout<'_, ShownSts>,
) {
    let lengths = timeslices.clone().map(|timeslice| timeslice.stream().len());
    let lists = Partition::from_lengths(lengths);
    let digis: Vec<_> = timeslices.flat_map(|timeslice| bits(timeslice.stream())).collect();
    layout.lists("digis", digis, &lists, |shown| &mut shown.sts.input);
}

/// The sides of all timeslices, a list each.
fn sides<'t>(
    timeslices: impl Iterator<Item = &'t SegmentedDigis>,
    layout: &mut Layout<'_, ShownSts>,
) {
    let mut digis = Vec::new();
    let mut lengths = Vec::new();
    for timeslice in timeslices {
        digis.extend(bits(timeslice.digis()));
        lengths.extend(timeslice.partition().lengths());
    }
    let lists = Partition::from_lengths(lengths);
    layout.lists("digis", digis, &lists, |shown| &mut shown.sts.input);
}

fn bits(digis: &[Digi]) -> Vec<u64> {
    par_map(digis, |digi| digi.bits())
}

/// Capacity of a list for a number of items.
type Capacity = fn(usize) -> usize;
const NO_GAPS: Capacity = |items| items;
/// Like buckets that are allocated before the number of items is known.
const BUCKETS: Capacity = |items| items + items / 2 + 1;

/// Lists of items of all timeslices.
fn lists<T: Item>(
    what: &'static str,
    products: &[&Product],
    capacity: Capacity,
    layout: &mut Layout<'_, ShownSts>,
) {
    let mut items = Vec::new();
    let mut begins = Vec::new();
    let mut counts = Vec::new();
    for things in products.iter().copied().filter_map(T::from_product) {
        for list in (0..things.segments()).map(|segment| things.segment(segment)) {
            let begin = items.len();
            begins.push(begin as u64);
            counts.push(list.len() as u64);
            items.extend(list.iter().map(T::shown));
            items.resize(begin + capacity(list.len()), bytemuck::Zeroable::zeroed());
        }
    }
    layout.spaced_lists(what, items, begins, counts, |shown| &mut shown.sts.input);
}
