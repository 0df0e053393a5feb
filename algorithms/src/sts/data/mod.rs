//! Digis with their detector; clusters and hits, as both reconstructions keep them.
//!
//! | module | holds |
//! |---|---|
//! | `timeslice` | digis with the setup of their detector: the input of the chain |
//! | `cluster`, `hit` | the output, as the online reconstruction keeps it |
//! | `offline` | the output, as the offline reconstruction keeps it |
//! | `chain_stage`, `product` | the stages of the chain, and their outputs |
//! | `digest` | checksums and counts of the output |
//! | `partitioned` | many segments in one array, with the address of each |

mod chain_stage;
mod cluster;
mod digest;
mod hit;
mod offline;
mod partitioned;
mod product;
mod timeslice;

pub use chain_stage::ChainStage;
pub use cluster::{Cluster, ClusterEntry};
pub(in crate::sts) use digest::{CLUSTERS, HITS};
pub use digest::{digest_of, segment_sums_of};
pub use hit::Hit;
pub use offline::{OfflineCluster, OfflineDigi, OfflineHit};
pub use partitioned::Partitioned;
pub use product::Product;
pub(crate) use timeslice::read_out;
pub use timeslice::{Timeslice, digi_order};
