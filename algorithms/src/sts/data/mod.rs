//! Digis with their detector; clusters and hits, as both reconstructions keep them.
//!
//! | module | holds |
//! |---|---|
//! | `timeslice` | digis with the setup of their detector: what the chain starts from |
//! | `cluster`, `hit` | what is found, as the online reconstruction keeps it |
//! | `offline` | the same as the offline reconstruction keeps it |
//! | `partitioned` | many segments in one array, with the address of each |

mod cluster;
mod hit;
mod offline;
mod partitioned;
mod timeslice;

pub use cluster::{Cluster, ClusterEntry};
pub use hit::Hit;
pub use offline::{OfflineCluster, OfflineDigi, OfflineHit};
pub use partitioned::Partitioned;
pub use timeslice::{Timeslice, digi_order};
