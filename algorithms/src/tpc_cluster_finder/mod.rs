//! Finding clusters of the TPC: which there are, by the rules of the experiment's cluster finder.
//!
//! Input: the samples of a row of pads over a time frame, with the pads that are known to be noisy.
//! Output: the clusters as the experiment stores them, 12 bytes each. `docs/tpc-clusters.md` has the
//! rules.
//!
//! | module | holds |
//! |---|---|
//! | `settings` | thresholds |
//! | `row` | the samples of a row |
//! | `reference` | what is right, stage by stage |
//! | `cluster` | a cluster: its sums, means and widths, and how it is packed |

mod cluster;
mod reference;
mod row;
mod settings;
#[cfg(test)]
mod tests;

pub use cluster::{Cluster, flags};
pub use reference::{RowClusters, Share, clusters};
pub use row::{Place, Sample};
pub use settings::Settings;
