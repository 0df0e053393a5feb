//! Smaller inputs, to find what it is that makes a variant wrong: of a list of independent items
//! a part is taken away, and the task says what is left then.

use std::iter::successors;
use std::ops::Range;

/// What is left if a half of so many items is taken away, a quarter, and so on down to single
/// ones; nothing where `without` says that this makes no smaller input.
pub(crate) fn without_parts<I>(
    items: usize,
    without: impl Fn(Range<usize>) -> Option<I>,
) -> impl Iterator<Item = I> {
    parts(items).filter_map(without)
}

/// Halves of `0..items`, quarters, and so on down to single ones.
fn parts(items: usize) -> impl Iterator<Item = Range<usize>> {
    let most = items.next_power_of_two().max(2);
    let counts = successors(Some(2), |count| Some(2 * count));
    let counts = counts.take_while(move |&count| count <= most);
    counts.flat_map(move |count| {
        let count = count.min(items);
        (0..count).map(move |part| part * items / count..(part + 1) * items / count)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_taken_away_once_at_each_size() {
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
    fn any_items_can_be_reached() {
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
