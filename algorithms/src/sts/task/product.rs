//! What stages leave, in a form that can be compared.

use generators::partition::Partition;
use generators::sts::SegmentedDigis;
use rayon::prelude::*;

use crate::sts::collect::HitOrder;
use crate::sts::hits::SortedClusters;
use crate::sts::{Cluster, Hit, OfflineCluster, OfflineDigi, OfflineHit, Partitioned};

/// What a stage, or the whole chain, leaves.
#[derive(Clone, Debug, PartialEq)]
pub enum Product {
    /// Nothing at all.
    Nothing,
    /// Digis by module side.
    Digis(SegmentedDigis),
    /// The same, as the offline reconstruction keeps them.
    OfflineDigis(Vec<Vec<OfflineDigi>>),
    /// Clusters by module side.
    Clusters(Partitioned<Cluster>),
    /// The same, as the offline reconstruction keeps them.
    OfflineClusters(Partitioned<OfflineCluster>),
    /// Hits by module.
    Hits(Partitioned<Hit>),
    /// The same, each module in order of time.
    Streams(Partitioned<Hit>),
    /// The same, as the offline reconstruction keeps them.
    OfflineHits(Partitioned<OfflineHit>),
    /// Clusters and hits.
    Both(Box<Product>, Box<Product>),
}

impl Product {
    /// Clusters, so many in the room of each side.
    pub(in crate::sts) fn clusters(flat: &[Cluster], rooms: &Partition, counts: &[usize]) -> Self {
        let rooms = rooms.split(flat).into_iter().zip(counts);
        let sides: Vec<_> = rooms.map(|(room, &count)| &room[..count]).collect();
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
