//! Quality of hits against the simulated truth.

use generators_sts::Digi;

use super::Timeslices;
use crate::sts::quality::figures as figures_of;
use crate::sts::{Cluster, Hit, OfflineCluster, OfflineDigi, OfflineHit, Product};
use tasks::algorithm::{Metric, MetricInfo, Quality, Relation};

/// Counts of the whole chain's output.
pub(super) const COUNTS: [MetricInfo; 5] = [
    MetricInfo::amount("clusters", "", "clusters", "clusters that were found"),
    MetricInfo::amount("hits", "", "hits", "hits that were found"),
    MetricInfo::amount("digi_bytes", "B", "bytes per digi", "size of a digi"),
    MetricInfo::amount("cluster_bytes", "B", "bytes per cluster", "size of a cluster"),
    MetricInfo::amount("hit_bytes", "B", "bytes per hit", "size of a hit"),
];

/// The figures of the hits of all timeslices, of either reconstruction; none without the simulated
/// truth.
pub(super) fn figures(input: &Timeslices, output: &[Product]) -> Vec<Quality> {
    let known = input.0.iter().zip(output).filter_map(|(timeslice, product)| {
        let crossings = timeslice.crossings()?;
        Some((timeslice.setup(), crossings, hits(product)))
    });
    let mut online = Vec::new();
    let mut offline = Vec::new();
    for (setup, crossings, hits) in known {
        match hits {
            Product::Hits(hits) => online.push((setup, crossings, hits)),
            Product::OfflineHits(hits) => offline.push((setup, crossings, hits)),
            _ => {}
        }
    }
    match (online.is_empty(), offline.is_empty()) {
        (false, _) => figures_of::<Hit>(online),
        (true, false) => figures_of::<OfflineHit>(offline),
        (true, true) => Vec::new(),
    }
}

/// Number of clusters and hits in the output, and the bytes of each and of a digi.
pub(super) fn counts(output: &[Product]) -> Vec<Quality> {
    let mut counts = [0; 2];
    let mut bytes = [0; 3];
    for product in output {
        let Product::Both(clusters, hits) = product else { continue };
        match (&**clusters, &**hits) {
            (Product::Clusters(clusters), Product::Hits(hits)) => {
                counts = [counts[0] + clusters.items().len(), counts[1] + hits.items().len()];
                bytes = [size_of::<Digi>(), size_of::<Cluster>(), size_of::<Hit>()];
            }
            (Product::OfflineClusters(clusters), Product::OfflineHits(hits)) => {
                counts = [counts[0] + clusters.items().len(), counts[1] + hits.items().len()];
                let objects = [size_of::<OfflineCluster>(), size_of::<OfflineHit>()];
                bytes = [size_of::<OfflineDigi>(), objects[0], objects[1]];
            }
            _ => {}
        }
    }
    let values = counts.into_iter().chain(bytes);
    let metrics = COUNTS.iter().zip(values);
    metrics.map(|(info, value)| Metric::new(info, value as f64, Relation::Itself).into()).collect()
}

/// The hits of a product that has clusters too.
fn hits(product: &Product) -> &Product {
    match product {
        Product::Both(_, hits) => hits,
        hits => hits,
    }
}
