//! The STS chain: from digis to hits.
//!
//! Digis are distributed over module sides and sorted, neighbouring ones become clusters, and
//! clusters of both sides of a module become hits. `docs/sts-chain.md` describes the chain and its
//! three right answers.
//!
//! | module | holds |
//! |---|---|
//! | [`data`] | digis with their detector; clusters and hits, as both reconstructions keep them |
//! | [`formulas`] | charge, position and errors of clusters and hits |
//! | [`rules`] | differences between `exact` and `published` |
//! | [`reference`](mod@reference) | the right answers, slow and obvious |
//! | `presort`, `clusters`, `cluster_order`, `hits`, `collect` | a stage each, one file per
//! algorithm |
//! | `products` | outputs of stages in flat arrays, to be compared |
//! | [`quality`] | efficiency, ghosts and residuals of hits against the simulated truth |
//! | `chains` | stages joined to chains: `offline`, `online`, `per-side`, `time-sweep` |
//! | `cuda` | the chain on a GPU |
//! | [`task`] | the stages and the whole chain as tasks |
//!
//! The stage `sort` is the task in [`sts_sort`](crate::sts_sort).

mod chains;
mod cluster_order;
mod clusters;
mod collect;
mod cuda;
pub mod data;
pub mod formulas;
mod hits;
mod presort;
mod products;
pub mod quality;
pub mod reference;
pub mod rules;
pub mod task;

pub use data::{
    ChainStage, Cluster, ClusterEntry, Hit, OfflineCluster, OfflineDigi, OfflineHit, Partitioned,
    Product, Timeslice, digest_of, segment_sums_of,
};
