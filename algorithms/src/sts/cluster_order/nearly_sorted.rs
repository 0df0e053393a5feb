//! Insertion, for things that are nearly in order of time.

/// Moves that a thing may cost on average before another sort takes over.
const MOVES_PER_ITEM: usize = 16;
/// More than that at the beginning, until an average tells something.
const FIRST_MOVES: usize = 1 << 12;

/// Sorts by time; things of the same time keep their order. Where they turn out to be far
/// from in order, the standard library's sort takes over.
pub(in crate::sts) fn sort_nearly_sorted<T: Copy>(items: &mut [T], time: impl Fn(&T) -> u32) {
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

/// Moves the last item to its place in the others, which are in order; returns by how
/// many places.
fn insert_last<T: Copy>(items: &mut [T], time: impl Fn(&T) -> u32) -> usize {
    let last = items.len() - 1;
    let item = items[last];
    let mut place = last;
    while place > 0 && time(&item) < time(&items[place - 1]) {
        items[place] = items[place - 1];
        place -= 1;
    }
    items[place] = item;
    last - place
}

#[cfg(test)]
mod tests {
    use generators::random::mix;

    use super::*;
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
    fn order_and_disorder_are_sorted_alike() {
        check(0..1000);
        check((0..1000).map(|i| i ^ 5));
        check((0..1000).map(|i| i / 7 * 3));
        check((0..5000).rev());
        check((0..5000).map(|i| mix(i) as u32 % 1000));
    }
}
