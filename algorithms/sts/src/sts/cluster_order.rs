//! Sorting the clusters of a side by time, and records of the chain by `std::sort`.
//!
//! The offline reconstruction sorts the clusters themselves, the online one sorts
//! [entries](ClusterEntry) of 8 bytes, both by `std::sort`. recobench uses that the time sweep
//! leaves entries nearly in order.

use generators_sts::Digi;

use super::{Cluster, ClusterEntry, Hit, OfflineCluster, OfflineDigi};
use crate::std_sort::sorts;

/// Writes an entry for each cluster.
pub(super) fn write_entries(clusters: &[Cluster], first: u32, entries: &mut [ClusterEntry]) {
    for (i, (cluster, entry)) in clusters.iter().zip(entries).enumerate() {
        *entry = ClusterEntry { time: cluster.time, index: first + i as u32 };
    }
}

/// Average number of moves per item above which another sort takes over.
const MOVES_PER_ITEM: usize = 16;
/// Additional moves allowed at the start, before the average is meaningful.
const FIRST_MOVES: usize = 1 << 12;
/// Digis that are compared at once.
const COMPARED: usize = 32;

/// True if digis are in order of time. There is one branch for a block of comparisons, one for each
/// lane of a vector.
pub(super) fn is_in_order(digis: &[Digi]) -> bool {
    let (blocks, rest) = digis.as_chunks::<COMPARED>();
    let mut last = 0;
    let of_blocks = blocks.iter().all(|block| {
        let first = block[0].time_ns();
        let in_order = (1..COMPARED).fold(last <= first, |so_far, i| {
            so_far & (block[i - 1].time_ns() <= block[i].time_ns())
        });
        last = block[COMPARED - 1].time_ns();
        in_order
    });
    let is_late = rest.first().is_none_or(|digi| last <= digi.time_ns());
    of_blocks && is_late && rest.is_sorted_by_key(|digi| digi.time_ns())
}

/// Sorts stably by time. If items turn out to be far from in order, the standard library's sort
/// takes over.
pub(super) fn sort_nearly_sorted<T: Copy>(items: &mut [T], time: impl Fn(&T) -> u32) {
    let mut moves_left = FIRST_MOVES;
    for end in 1..items.len() {
        moves_left += MOVES_PER_ITEM;
        if time(&items[end - 1]) <= time(&items[end]) {
            continue;
        }
        let moves = insert_last(&mut items[..=end], &time);
        if moves > moves_left {
            return items.sort_by_key(time);
        }
        moves_left -= moves;
    }
}

/// Inserts the last item into the others, which are in order; returns the distance it moved.
fn insert_last<T: Copy>(items: &mut [T], time: impl Fn(&T) -> u32) -> usize {
    let last = items.len() - 1;
    let item = items[last];
    let mut index = last;
    while index > 0 && time(&item) < time(&items[index - 1]) {
        items[index] = items[index - 1];
        index -= 1;
    }
    items[index] = item;
    last - index
}

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
    use generators_common::random::mix;
    use generators_sts::Address;

    use super::*;
    use crate::std_sort::tests::check as check_sort;
    use crate::sts::ClusterEntry;

    fn check(times: impl Iterator<Item = u32>) {
        let entry = |(index, time)| ClusterEntry { time, index };
        let mut entries: Vec<_> = (0..).zip(times).map(entry).collect();
        let mut expected = entries.clone();
        expected.sort_by_key(|entry| entry.time);
        sort_nearly_sorted(&mut entries, |entry| entry.time);
        assert_eq!(entries, expected);
    }

    #[test]
    fn any_digi_that_is_early_is_seen() {
        for count in [0, 1, 2, 31, 32, 33, 100] {
            let digi = |time: u32| Digi::new(Address::of_module(0), 7, time, 1);
            let mut digis: Vec<_> = (0..count).map(|i| digi(i / 2)).collect();
            assert!(is_in_order(&digis));
            for index in 1..digis.len() {
                let early = std::mem::replace(&mut digis[index - 1], digi(1000));
                assert!(!is_in_order(&digis), "{index} of {count}");
                digis[index - 1] = early;
            }
        }
    }

    #[test]
    fn order_and_disorder_are_sorted_alike() {
        check(0..1000);
        check((0..1000).map(|i| i ^ 5));
        check((0..1000).map(|i| i / 7 * 3));
        check((0..5000).rev());
        check((0..5000).map(|i| mix(i) as u32 % 1000));
    }

    #[test]
    fn entries_and_hits_are_sorted_by_time() {
        let entry = |number: u64| ClusterEntry { time: number as u32, index: 1 };
        check_sort(entry, sort_entries, |entry| entry.time);
        let hit = |number: u64| Hit { time: number as u32, ..Hit::default() };
        check_sort(hit, sort_hits, |hit| hit.time);
    }

    #[test]
    fn objects_are_sorted_by_time() {
        let digi = |number: u64| OfflineDigi {
            time: number % 1000,
            channel: (number >> 32) as u16,
            adc: (number >> 48) as u16,
            ..OfflineDigi::default()
        };
        check_sort(digi, sort_offline_digis, OfflineDigi::order);
        let cluster = |number: u64| OfflineCluster {
            digis: vec![number as u32],
            time: (number % 1000) as f64,
            ..OfflineCluster::default()
        };
        check_sort(cluster, sort_offline_clusters, |cluster| cluster.time.to_bits());
    }
}
