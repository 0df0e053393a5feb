//! Products of what stages leave in flat arrays.

use generators::partition::Partition;
use rayon::prelude::*;

use super::collect::HitOrder;
use super::hits::SortedClusters;
use super::{Cluster, Hit, Partitioned, Product};

impl Product {
    /// Clusters, so many in the place of each side.
    pub(in crate::sts) fn clusters(flat: &[Cluster], sides: &Partition, counts: &[usize]) -> Self {
        let sides = sides.split(flat).into_iter().zip(counts);
        let sides: Vec<_> = sides.map(|(all, &count)| &all[..count]).collect();
        Product::Clusters(Partitioned::of_sides(&sides))
    }

    /// Hits that were collected in this order.
    pub(in crate::sts) fn collected(hits: Partitioned<Hit>, order: HitOrder) -> Self {
        match order {
            HitOrder::AsFound => Product::Hits(hits),
            HitOrder::Streams => Product::Streams(hits),
        }
    }

    /// Clusters in the order of their entries.
    pub(in crate::sts) fn sorted_clusters(clusters: SortedClusters<'_>) -> Self {
        let side = |side: usize| -> Vec<Cluster> {
            let numbers = 0..clusters.counts[side];
            numbers
                .map(|number| *clusters.cluster(side, number))
                .collect()
        };
        let sides = (0..clusters.counts.len()).into_par_iter();
        let sides: Vec<_> = sides.map(side).collect();
        Product::Clusters(Partitioned::of_sides(&sides))
    }
}
