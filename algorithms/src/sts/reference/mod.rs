//! The right answers, slow and obvious: the correct output of the chain for a timeslice.
//!
//! | module | holds |
//! |---|---|
//! | `connect` | links between digis |
//! | `clusters` | chains of digis as clusters |
//! | `hits` | pairs of clusters as hits |
//! | `offline` | the offline reconstruction's answer |

mod clusters;
mod connect;
mod hits;
pub mod offline;

pub use clusters::{clusters, clusters_as_found};
pub use hits::{hits, hits_as_found};
