//! The right answers, slow and obvious: what the chain should find in a timeslice.
//!
//! | module | holds |
//! |---|---|
//! | `connect` | which digi follows which |
//! | `clusters` | chains of digis as clusters |
//! | `hits` | pairs of clusters as hits |
//! | `offline` | the same as the offline reconstruction does it |

mod clusters;
mod connect;
mod hits;
pub mod offline;

pub use clusters::{clusters, clusters_as_found};
pub use hits::{hits, hits_as_found};
