//! The stages of the chain.

/// A stage of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChainStage {
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

impl ChainStage {
    /// All of them, in the order in which they are done.
    pub const ALL: [ChainStage; 7] = [
        ChainStage::Presort,
        ChainStage::Zero,
        ChainStage::Sort,
        ChainStage::Cluster,
        ChainStage::ClusterSort,
        ChainStage::Hits,
        ChainStage::Collect,
    ];

    /// Those before this one.
    pub fn before(self) -> impl Iterator<Item = ChainStage> {
        Self::ALL
            .into_iter()
            .take_while(move |&other| other != self)
    }

    /// The name in records, which is that of its task where it has one.
    pub const fn name(self) -> &'static str {
        match self {
            ChainStage::Presort => "presort",
            ChainStage::Zero => "zero",
            ChainStage::Sort => "sort",
            ChainStage::Cluster => "cluster",
            ChainStage::ClusterSort => "cluster-sort",
            ChainStage::Hits => "hits",
            ChainStage::Collect => "collect",
        }
    }
}
