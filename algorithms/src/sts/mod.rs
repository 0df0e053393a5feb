//! The STS chain: from digis to hits.
//!
//! Digis are distributed over module sides and sorted, neighbouring ones become
//! clusters, and clusters of both sides of a module become hits. `docs/sts-chain.md`
//! tells how, and what three right answers there are.
//!
//! | module | holds |
//! |---|---|
//! | [`data`] | digis with their detector; clusters and hits, as both reconstructions keep them |
//! | [`formulas`] | charge, position and errors of clusters and hits |
//! | [`rules`] | in what `exact` and `published` differ |
//! | [`reference`](mod@reference) | the right answers, slow and obvious |
//! | `presort`, `clusters`, `cluster_order`, `hits`, `collect` | a stage each, one file a way to do it |
//! | `products` | what stages leave in flat arrays, to be compared |
//! | [`quality`] | how good hits are, by what really happened |
//! | `chains` | such ways joined: `offline`, `online`, `per-side`, `time-sweep` |
//! | `cuda` | the chain on a GPU |
//! | [`task`] | the stages and the whole chain as tasks |
//!
//! The stage `sort` was there first: it is the task in [`sts_sort`](crate::sts_sort).

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
