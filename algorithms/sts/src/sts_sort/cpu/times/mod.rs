//! Cache-sized sorting by time, shared by the sorts by channel and by time alone: runs of digis of
//! the same bucket, spans of time whose digis fit into the first-level cache, and a final pass.

mod runs;
mod spans;

use generators_sts::Digi;

pub(super) use runs::{CoarseTime, Runs, TimeRange, sample};
pub(super) use spans::{SmallCounts, parts_of, sort_spans};

/// Moves that a digi may cost on average before another sort takes over.
const MOVES_PER_DIGI: usize = 8;

/// Sorts digis that are nearly in order; stable. If they turn out not to be (for example because
/// times are clustered), the standard library's sort takes over, so that no input takes quadratic
/// time.
pub(super) fn finish(digis: &mut [Digi]) {
    finish_by(digis, Digi::key);
}

/// Finishes the order by `key`.
#[inline]
pub(super) fn finish_by(digis: &mut [Digi], key: impl Fn(Digi) -> u64) {
    let mut moves_left = MOVES_PER_DIGI * digis.len();
    let mut previous = 0;
    for end in 0..digis.len() {
        let digi = digis[end];
        if key(digi) >= previous {
            previous = key(digi);
            continue;
        }
        let moves = insert(&mut digis[..=end], digi, &key);
        if moves > moves_left {
            return digis.sort_by_key(|&digi| key(digi));
        }
        moves_left -= moves;
    }
}

/// Finishes in parts that run in parallel. Digis of one channel are contiguous, so parts that end
/// at the end of a channel are independent of each other.
pub(super) fn finish_in_parts(digis: &mut [Digi], part: usize) {
    let mut rest = digis;
    rayon::scope(|scope| {
        while !rest.is_empty() {
            let (mine, others) = rest.split_at_mut(end_of_channel(rest, part));
            scope.spawn(|_| finish(mine));
            rest = others;
        }
    });
}

/// The first index after `start` at which another channel starts, in digis that are in order of
/// channels.
fn end_of_channel(digis: &[Digi], start: usize) -> usize {
    if start >= digis.len() {
        return digis.len();
    }
    let channel = digis[start].channel();
    start + digis[start..].partition_point(|digi| digi.channel() <= channel)
}

/// Inserts the last digi into the others, which are in order; returns the distance it moved.
fn insert(digis: &mut [Digi], digi: Digi, key: &impl Fn(Digi) -> u64) -> usize {
    let last = digis.len() - 1;
    let mut index = last;
    while index > 0 && key(digi) < key(digis[index - 1]) {
        digis[index] = digis[index - 1];
        index -= 1;
    }
    digis[index] = digi;
    last - index
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sts_sort::cpu::test_digis::{random_digis, sorted};

    fn check(mut digis: Vec<Digi>) {
        let expected = sorted(&digis);
        finish(&mut digis);
        assert_eq!(digis, expected);
    }

    #[test]
    fn few_displaced_digis_are_sorted() {
        check(vec![]);
        check(vec![Digi::from_bits(1)]);
        check((0..1000).map(|i: u64| Digi::from_bits(i ^ 3)).collect());
    }

    #[test]
    fn parts_give_the_same() {
        let digi = |i: u64| Digi::from_bits((i / 700) << 37 | (i ^ 5));
        let disordered: Vec<_> = (0..10_000).map(digi).collect();
        let expected = sorted(&disordered);
        for part in [1, 699, 700, 3000, 20_000] {
            let mut digis = disordered.clone();
            finish_in_parts(&mut digis, part);
            assert_eq!(digis, expected, "parts of {part}");
        }
    }

    #[test]
    fn disorder_of_any_size_is_put_right() {
        check((0..5000).rev().map(Digi::from_bits).collect());
        check(random_digis(5000));
    }
}
