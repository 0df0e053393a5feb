//! The right answer, by the references.

use crate::sts::reference::{self, offline};
use crate::sts::rules::{Exact, Published, Rules};
use crate::sts::{ChainStage, Product};
use crate::sts::{OfflineDigi, Timeslice};
use tasks::algorithm::Semantics;

/// Right output of a stage, or of the whole chain if there is none.
pub(super) fn answer(
    input: &Timeslice,
    stage: Option<ChainStage>,
    semantics: Semantics,
) -> Product {
    match semantics {
        Semantics::Exact => online::<Exact>(input, stage),
        Semantics::Published => online::<Published>(input, stage),
        Semantics::Offline => offline(input, stage),
    }
}

fn online<P: Rules>(input: &Timeslice, stage: Option<ChainStage>) -> Product {
    if matches!(stage, Some(ChainStage::Presort | ChainStage::Zero | ChainStage::Sort)) {
        return Product::Digis(input.digis().clone());
    }
    let clusters = reference::clusters::<P>(input.digis(), input.setup());
    if matches!(stage, Some(ChainStage::Cluster | ChainStage::ClusterSort)) {
        return Product::Clusters(clusters);
    }
    let hits = Product::Hits(reference::hits::<P>(&clusters, input.setup()));
    match stage {
        None => Product::Both(Box::new(Product::Clusters(clusters)), Box::new(hits)),
        Some(_) => hits,
    }
}

fn offline(input: &Timeslice, stage: Option<ChainStage>) -> Product {
    if matches!(stage, Some(ChainStage::Presort | ChainStage::Zero | ChainStage::Sort)) {
        let sides = input.digis().segments();
        let sides = sides.map(|digis| digis.iter().copied().map(OfflineDigi::from).collect());
        return Product::OfflineDigis(sides.collect());
    }
    let clusters = offline::clusters(input.digis(), input.setup());
    if matches!(stage, Some(ChainStage::Cluster | ChainStage::ClusterSort)) {
        return Product::OfflineClusters(clusters);
    }
    let hits = Product::OfflineHits(offline::hits(&clusters, input.setup()));
    match stage {
        None => Product::Both(Box::new(Product::OfflineClusters(clusters)), Box::new(hits)),
        Some(_) => hits,
    }
}
