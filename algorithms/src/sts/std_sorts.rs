//! Records of the chain, sorted by [`std_sort`](crate::std_sort).

use super::{ClusterEntry, Hit, OfflineCluster, OfflineDigi};
use crate::std_sort::sorts;

sorts! {
    /// By time only.
    sort_entries = recobench_std_sort_entries(ClusterEntry, 8);
    /// By time only.
    sort_hits = recobench_std_sort_hits(Hit, 48);
    /// By [`OfflineDigi::order`].
    sort_offline_digis = recobench_std_sort_offline_digis(OfflineDigi, 16);
    /// By time only.
    sort_offline_clusters = recobench_std_sort_offline_clusters(OfflineCluster, 112);
}

const _: () = {
    use std::mem::offset_of;
    assert!(offset_of!(ClusterEntry, time) == 0);
    assert!(offset_of!(Hit, time) == 12);
    assert!(offset_of!(OfflineDigi, time) == 0);
    assert!(offset_of!(OfflineDigi, channel) == 12);
    assert!(offset_of!(OfflineDigi, adc) == 14);
    assert!(offset_of!(OfflineCluster, time) == 88);
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::std_sort::testing::check;

    #[test]
    fn entries_and_hits_are_sorted_by_time() {
        let entry = |number: u64| ClusterEntry { time: number as u32, index: 1 };
        check(entry, sort_entries, |entry| entry.time);
        let hit = |number: u64| Hit { time: number as u32, ..Hit::default() };
        check(hit, sort_hits, |hit| hit.time);
    }

    #[test]
    fn objects_are_sorted_by_time() {
        let digi = |number: u64| OfflineDigi {
            time: number % 1000,
            channel: (number >> 32) as u16,
            adc: (number >> 48) as u16,
            ..OfflineDigi::default()
        };
        check(digi, sort_offline_digis, OfflineDigi::order);
        let cluster = |number: u64| OfflineCluster {
            digis: vec![number as u32],
            time: (number % 1000) as f64,
            ..OfflineCluster::default()
        };
        check(cluster, sort_offline_clusters, |cluster| cluster.time.to_bits());
    }
}
