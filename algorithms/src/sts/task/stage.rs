//! The stages of the chain.

/// A stage of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
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

impl Stage {
    /// All of them, in the order in which they are done.
    pub const ALL: [Stage; 7] = [
        Stage::Presort,
        Stage::Zero,
        Stage::Sort,
        Stage::Cluster,
        Stage::ClusterSort,
        Stage::Hits,
        Stage::Collect,
    ];

    /// The name in records, which is that of its task where it has one.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::Presort => "presort",
            Stage::Zero => "zero",
            Stage::Sort => "sort",
            Stage::Cluster => "cluster",
            Stage::ClusterSort => "cluster-sort",
            Stage::Hits => "hits",
            Stage::Collect => "collect",
        }
    }
}
