//! What stages leave, in a form that can be compared.

use generators::sts::SegmentedDigis;

use super::{Cluster, Hit, OfflineCluster, OfflineDigi, OfflineHit, Partitioned};

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
