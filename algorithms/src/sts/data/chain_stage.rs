//! Stages of the chain, and their outputs in a form that can be compared.

use generators::named;
use generators::sts::SegmentedDigis;

use super::{Cluster, Hit, OfflineCluster, OfflineDigi, OfflineHit, Partitioned};

/// A stage of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainStage {
    /// Raw data to the stream of a detector, if a chain starts from raw data.
    Unpack,
    /// The stream of a detector to digis by module side.
    Presort,
    /// Counters and connectors to 0.
    Zero,
    /// The digis of each side into the order that finding clusters needs.
    Sort,
    /// Digis to clusters.
    Cluster,
    /// The clusters of each side into order of time.
    ClusterSort,
    /// Clusters of both sides to hits.
    Hits,
    /// Hits of all modules into one array.
    Collect,
}

// In records, and in the order in which they are done. A stage has the name of its task.
named! {
    "stage",
    ChainStage {
        Unpack = "unpack",
        Presort = "presort",
        Zero = "zero",
        Sort = "sort",
        Cluster = "cluster",
        ClusterSort = "cluster-sort",
        Hits = "hits",
        Collect = "collect",
    }
}

impl ChainStage {
    /// Stages of a chain that starts from a stream of digis.
    pub const OF_DIGIS: [ChainStage; 7] = {
        let [_unpack, of_digis @ ..] = Self::ALL;
        of_digis
    };

    /// Earlier stages, from a stream of digis on.
    pub fn before(self) -> impl Iterator<Item = ChainStage> {
        Self::OF_DIGIS.into_iter().take_while(move |&other| other != self)
    }
}

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
