//! Smaller inputs, to find the part of an input that makes a variant fail: a part of a list of
//! independent items is removed, and the task builds an input from the rest.

use std::iter::successors;
use std::ops::Range;

/// Calls `without` with ranges of `items` items to remove: halves, quarters, and so on down to
/// single items. Skips ranges for which it returns no input.
pub fn without_parts<I>(
    items: usize,
    without: impl Fn(Range<usize>) -> Option<I>,
) -> impl Iterator<Item = I> {
    parts(items).filter_map(without)
}

/// Halves of `0..items`, quarters, and so on down to single items.
fn parts(items: usize) -> impl Iterator<Item = Range<usize>> {
    let padded = items.next_power_of_two().max(2);
    let counts = successors(Some(2), |count| Some(2 * count));
    let counts = counts.take_while(move |&count| count <= padded);
    counts.flat_map(move |count| {
        let count = count.min(items);
        (0..count).map(move |part| part * items / count..(part + 1) * items / count)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_removed_once_at_each_size() {
        let all = |items| parts(items).collect::<Vec<_>>();
        assert_eq!(all(4), [0..2, 2..4, 0..1, 1..2, 2..3, 3..4]);
        assert_eq!(all(3), [0..1, 1..3, 0..1, 1..2, 2..3]);
        assert_eq!((parts(1).next(), parts(0).next()), (Some(0..1), None));
        for items in 2..70 {
            let singles = all(items).into_iter().filter(|part| part.len() == 1);
            assert!(singles.count() >= items);
        }
    }

    #[test]
    fn any_subset_can_be_reached() {
        let wanted = [3, 4, 90];
        let smaller = |list: &Vec<u32>| {
            let without =
                |gone: Range<usize>| Some([&list[..gone.start], &list[gone.end..]].concat());
            let mut smaller = without_parts(list.len(), without);
            smaller.find(|left| wanted.iter().all(|item| left.contains(item)))
        };
        let last = successors(Some((0..100).collect()), smaller).last();
        assert_eq!(last, Some(wanted.to_vec()));
    }
}
