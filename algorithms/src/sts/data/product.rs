//! Outputs of stages, in a form that can be compared.

use generators::sts::SegmentedDigis;

use super::{Cluster, Hit, OfflineCluster, OfflineDigi, OfflineHit, Partitioned};

/// Output of a stage or of the whole chain.
#[derive(Clone, Debug, PartialEq)]
pub enum Product {
    /// Nothing at all.
    Nothing,
    /// Digis by module side.
    Digis(SegmentedDigis),
    /// Digis by module side, as the offline reconstruction keeps them.
    OfflineDigis(Vec<Vec<OfflineDigi>>),
    /// Clusters by module side.
    Clusters(Partitioned<Cluster>),
    /// Clusters, as the offline reconstruction keeps them.
    OfflineClusters(Partitioned<OfflineCluster>),
    /// Hits by module.
    Hits(Partitioned<Hit>),
    /// Hits, each module in order of time.
    Streams(Partitioned<Hit>),
    /// Hits, as the offline reconstruction keeps them.
    OfflineHits(Partitioned<OfflineHit>),
    /// Clusters and hits.
    Both(Box<Product>, Box<Product>),
}
