//! Insertion, for entries that are nearly in order.

use crate::sts::ClusterEntry;

/// Moves that an entry may cost on average before another sort takes over.
const MOVES_PER_ENTRY: usize = 16;

/// Sorts by time; entries of the same time keep their order. Where entries turn out to
/// be far from in order, the standard library's sort takes over.
pub(in crate::sts) fn sort_nearly_sorted(entries: &mut [ClusterEntry]) {
    let mut moves_left = MOVES_PER_ENTRY * entries.len();
    for end in 1..entries.len() {
        let entry = entries[end];
        if entries[end - 1].time <= entry.time {
            continue;
        }
        let moves = insert(&mut entries[..=end], entry);
        if moves > moves_left {
            return entries.sort_by_key(|entry| entry.time);
        }
        moves_left -= moves;
    }
}

/// Moves the last entry to its place in the others, which are in order; returns by how
/// many places.
fn insert(entries: &mut [ClusterEntry], entry: ClusterEntry) -> usize {
    let last = entries.len() - 1;
    let mut place = last;
    while place > 0 && entry.time < entries[place - 1].time {
        entries[place] = entries[place - 1];
        place -= 1;
    }
    entries[place] = entry;
    last - place
}

#[cfg(test)]
mod tests {
    use generators::random::mix;

    use super::*;

    fn check(times: impl Iterator<Item = u32>) {
        let entry = |(index, time)| ClusterEntry { time, index };
        let mut entries: Vec<_> = (0..).zip(times).map(entry).collect();
        let mut expected = entries.clone();
        expected.sort_by_key(|entry| entry.time);
        sort_nearly_sorted(&mut entries);
        assert_eq!(entries, expected);
    }

    #[test]
    fn order_and_disorder_are_sorted_alike() {
        check(0..1000);
        check((0..1000).map(|i| i ^ 5));
        check((0..1000).map(|i| i / 7 * 3));
        check((0..5000).rev());
        check((0..5000).map(|i| mix(i) as u32 % 1000));
    }
}
