//! Groups of digis, such as channels, in parts for several threads.

use std::ops::Range;

/// Consecutive groups in parts of at least `part` digis each, except the last: the digis of a part,
/// and the ends of its groups. `ends` are the ends of all groups.
pub(in super::super) fn parts_of(
    ends: &[usize],
    part: usize,
) -> impl Iterator<Item = (Range<usize>, &[usize])> {
    let mut start = 0;
    let mut ends = ends;
    std::iter::from_fn(move || {
        let enough = ends.partition_point(|&end| end < start + part) + 1;
        let (mine, others) = ends.split_at(enough.min(ends.len()));
        let digis = start..*mine.last()?;
        (start, ends) = (digis.end, others);
        Some((digis, mine))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_whole_groups_and_all_of_them() {
        let ends = [3, 3, 5, 9, 9, 10];
        let parts = |part| parts_of(&ends, part).collect::<Vec<_>>();
        assert_eq!(parts(4), [(0..5, &ends[..3]), (5..9, &ends[3..4]), (9..10, &ends[4..])]);
        assert_eq!(parts(100), [(0..10, &ends[..])]);
        assert_eq!(parts_of(&[], 4).count(), 0);
    }
}
