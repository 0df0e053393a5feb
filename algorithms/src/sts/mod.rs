//! What the tasks of the STS chain share.
//!
//! Digis are sorted, neighbouring ones become clusters, and clusters of both sides of
//! a module become hits. `docs/sts-chain.md` tells how, and what three right answers
//! there are.
//!
//! | module | holds |
//! |---|---|
//! | [`timeslice`] | digis with the setup of their detector: what the chain starts from |
//! | [`partitioned`] | many segments in one array, with the address of each |
//! | [`cluster`], [`hit`] | what is found, as the online reconstruction keeps it |
//! | [`offline`] | the same as the offline reconstruction keeps it |
//! | [`formulas`] | charge, position and errors of clusters and hits |
//! | [`rules`] | in what `exact` and `published` differ |
//! | [`reference`] | the right answers, slow and obvious |

pub mod cluster;
pub mod formulas;
pub mod hit;
pub mod offline;
pub mod partitioned;
pub mod reference;
pub mod rules;
pub mod timeslice;

pub use cluster::{Cluster, ClusterEntry};
pub use hit::Hit;
pub use offline::{OfflineCluster, OfflineDigi, OfflineHit};
pub use partitioned::Partitioned;
pub use timeslice::Timeslice;
