//! Products with one element harmed.

use generators_sts::{Digi, SegmentedDigis};

use crate::sts::{Cluster, Hit, OfflineCluster, OfflineDigi, OfflineHit, Partitioned, Product};
use tasks::algorithm::{Choose, Mutants, Output, mutants};

/// Changes an element of one product.
impl Output<super::StsTask> for Vec<Product> {
    fn nothing() -> Self {
        Vec::new()
    }

    fn mutants(&self, choose: Choose<'_>) -> Mutants<Self> {
        if self.is_empty() {
            return Vec::new();
        }
        let at = choose(self.len());
        let mutants = self[at].mutants(choose);
        mutants::inside(self, mutants, |all, product| all[at] = product).collect()
    }
}

/// Changes an element of one segment that is not empty.
impl Product {
    fn mutants(&self, choose: Choose<'_>) -> Mutants<Self> {
        match self {
            Product::Nothing => Vec::new(),
            Product::Digis(digis) => {
                let change = |digi: &Digi, choose: Choose<'_>| {
                    Digi::from_bits(digi.bits() ^ 1 << choose(64))
                };
                let segments: Vec<_> = digis.segments().map(<[_]>::to_vec).collect();
                let mutants = of_a_segment(&segments, choose, change);
                let put = |all: Vec<_>| Product::Digis(SegmentedDigis::from_segments(&all));
                mutants::within(mutants, put).collect()
            }
            Product::OfflineDigis(segments) => {
                let change =
                    |digi: &OfflineDigi, _: Choose<'_>| OfflineDigi { adc: digi.adc ^ 1, ..*digi };
                let mutants = of_a_segment(segments, choose, change);
                mutants::within(mutants, Product::OfflineDigis).collect()
            }
            Product::Clusters(clusters) => {
                let change = |cluster: &Cluster, _: Choose<'_>| Cluster {
                    size: cluster.size ^ 1,
                    ..*cluster
                };
                clusters.mutants(choose, change, Product::Clusters)
            }
            Product::OfflineClusters(clusters) => {
                let change = |cluster: &OfflineCluster, _: Choose<'_>| OfflineCluster {
                    size: cluster.size ^ 1,
                    ..cluster.clone()
                };
                clusters.mutants(choose, change, Product::OfflineClusters)
            }
            Product::Hits(hits) => hits.mutants(choose, changed_hit, Product::Hits),
            Product::Streams(hits) => hits.mutants(choose, changed_hit, Product::Streams),
            Product::OfflineHits(hits) => {
                let change = |hit: &OfflineHit, _: Choose<'_>| OfflineHit {
                    x: f64::from_bits(hit.x.to_bits() ^ 1),
                    ..*hit
                };
                hits.mutants(choose, change, Product::OfflineHits)
            }
            Product::Both(clusters, hits) => {
                let with_clusters = |clusters| Product::Both(Box::new(clusters), hits.clone());
                let with_hits = |hits| Product::Both(clusters.clone(), Box::new(hits));
                let of_clusters = mutants::within(clusters.mutants(choose), with_clusters);
                let mut all: Mutants<_> = of_clusters.collect();
                all.extend(mutants::within(hits.mutants(choose), with_hits));
                all
            }
        }
    }
}

fn changed_hit(hit: &Hit, _: Choose<'_>) -> Hit {
    Hit { x: f32::from_bits(hit.x.to_bits() ^ 1), ..*hit }
}

fn of_a_segment<T: Clone>(
    segments: &Vec<Vec<T>>,
    choose: Choose<'_>,
    change: impl Fn(&T, Choose<'_>) -> T,
) -> Mutants<Vec<Vec<T>>> {
    let filled = 0..segments.len();
    let filled: Vec<_> = filled.filter(|&at| !segments[at].is_empty()).collect();
    if filled.is_empty() {
        return Vec::new();
    }
    let at = filled[choose(filled.len())];
    let mutants = mutants::of_list(&segments[at], choose, change);
    mutants::inside(segments, mutants, |all, segment| all[at] = segment).collect()
}

impl<T: Clone + Default + Send + Sync> Partitioned<T> {
    fn mutants(
        &self,
        choose: Choose<'_>,
        change: impl Fn(&T, Choose<'_>) -> T,
        put: impl Fn(Self) -> Product,
    ) -> Mutants<Product> {
        let segments = (0..self.segments()).map(|segment| self.segment(segment).to_vec());
        let segments: Vec<_> = segments.collect();
        let mutants = of_a_segment(&segments, choose, change);
        let put = |segments: Vec<Vec<T>>| put(self.with_segments(&segments));
        mutants::within(mutants, put).collect()
    }
}
