//! Clusters of a side in order of time.
//!
//! The offline reconstruction sorts the clusters themselves, the online one sorts
//! [entries](ClusterEntry) of 8 bytes by introspective sort. Ours relies on what the
//! time sweep leaves: entries that are nearly in order.

mod nearly_sorted;

use crate::sts::introsort::introsort;
use crate::sts::{Cluster, ClusterEntry, OfflineCluster};

pub(super) use nearly_sorted::sort_nearly_sorted;

/// Sorts the objects themselves.
pub(super) fn sort_objects(clusters: &mut [OfflineCluster]) {
    clusters.sort_unstable_by(|a, b| a.time.total_cmp(&b.time));
}

/// Sorts entries by time alone.
pub(super) fn sort_entries(entries: &mut [ClusterEntry]) {
    introsort(entries, &|entry| u64::from(entry.time));
}

/// Writes an entry for each cluster.
pub(super) fn write_entries(clusters: &[Cluster], first: u32, entries: &mut [ClusterEntry]) {
    for (number, (cluster, entry)) in clusters.iter().zip(entries).enumerate() {
        *entry = ClusterEntry { time: cluster.time, index: first + number as u32 };
    }
}
