//! Digis with their detector; clusters and hits, as both reconstructions keep them.
//!
//! | module | holds |
//! |---|---|
//! | `timeslice` | digis with the setup of their detector: the input of the chain |
//! | `offline` | the output, as the offline reconstruction keeps it |
//! | `chain_stage` | the stages of the chain, and their outputs |
//! | `digest` | checksums and counts of the output |
//! | `partitioned` | many segments in one array, with the address of each |

mod chain_stage;
mod digest;
mod offline;
mod online;
mod partitioned;
mod timeslice;

pub use chain_stage::{ChainStage, Product};
pub(in crate::sts) use digest::{CLUSTERS, HITS};
pub use digest::{digest_of, segment_sums_of};
pub use offline::{OfflineCluster, OfflineDigi, OfflineHit};
pub use online::{Cluster, ClusterEntry, Hit};
pub use partitioned::Partitioned;
pub(crate) use timeslice::read_out;
pub use timeslice::{Timeslice, digi_order};
