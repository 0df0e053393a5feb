//! Sorting the clusters of a side by time.
//!
//! The offline reconstruction sorts the clusters themselves, the online one sorts
//! [entries](ClusterEntry) of 8 bytes, both by `std::sort`. recobench uses that the time sweep
//! leaves entries nearly in order.

mod nearly_sorted;

use crate::sts::{Cluster, ClusterEntry};

pub(super) use nearly_sorted::{is_in_order, sort_nearly_sorted};

/// Writes an entry for each cluster.
pub(super) fn write_entries(clusters: &[Cluster], first: u32, entries: &mut [ClusterEntry]) {
    for (i, (cluster, entry)) in clusters.iter().zip(entries).enumerate() {
        *entry = ClusterEntry { time: cluster.time, index: first + i as u32 };
    }
}
