//! Clusters of a side in order of time.
//!
//! The offline reconstruction sorts the clusters themselves, the online one sorts
//! [entries](ClusterEntry) of 8 bytes, both by `std::sort`. Ours relies on what the
//! time sweep leaves: entries that are nearly in order.

mod nearly_sorted;

use crate::sts::{Cluster, ClusterEntry};

pub(super) use nearly_sorted::{is_in_order, sort_nearly_sorted};

/// Writes an entry for each cluster.
pub(super) fn write_entries(clusters: &[Cluster], first: u32, entries: &mut [ClusterEntry]) {
    for (i, (cluster, entry)) in clusters.iter().zip(entries).enumerate() {
        *entry = ClusterEntry { time: cluster.time, index: first + i as u32 };
    }
}
