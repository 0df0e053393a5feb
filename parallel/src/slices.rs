//! Slices that are written in parts, and lists that are filled, compared and copied.

use std::ops::Range;

use rayon::slice::ParallelSliceMut;

use super::{Grain, find_first, for_each, for_each_range};
use crate::shared::SharedSlice;

/// Elements of a piece that a thread compares or copies at a time, at least.
pub(super) const PIECE: usize = 1 << 16;
const PIECES: Grain = Grain::AtLeast(PIECE);

/// Calls `work` for all parts of a slice, with the index of each part's first element.
pub fn for_each_part<T: Send>(all: &mut [T], grain: Grain, work: impl Fn(usize, &mut [T]) + Sync) {
    let count = all.len();
    let all = SharedSlice::new(all);
    for_each_range(count, grain, |range| {
        // SAFETY: each index is in one range only.
        work(range.start, unsafe { all.part(range) });
    });
}

/// Appends `count` elements to a list, made range by range.
///
/// # Panics
/// If `make` returns fewer elements than its range has indices.
pub fn extend<R: Send, I: Iterator<Item = R>>(
    list: &mut Vec<R>,
    count: usize,
    grain: Grain,
    make: impl Fn(Range<usize>) -> I + Sync,
) {
    list.reserve(count);
    for_each_part(&mut list.spare_capacity_mut()[..count], grain, |first, slots| {
        let mut made = 0;
        let elements = make(first..first + slots.len());
        for (slot, element) in slots.iter_mut().zip(elements) {
            slot.write(element);
            made += 1;
        }
        assert_eq!(made, slots.len(), "an element for each index");
    });
    // SAFETY: the capacity is reserved, and all elements were written, as was asserted for each
    // range. If that panicked, those elements are leaked.
    unsafe { list.set_len(list.len() + count) };
}

/// Returns a list of `count` elements, made range by range.
///
/// # Panics
/// If `make` returns fewer elements than its range has indices.
pub fn collect<R: Send, I: Iterator<Item = R>>(
    count: usize,
    grain: Grain,
    make: impl Fn(Range<usize>) -> I + Sync,
) -> Vec<R> {
    let mut list = Vec::new();
    extend(&mut list, count, grain, make);
    list
}

/// Returns the first index below `length` at which `wrong` is true.
pub fn first_where(length: usize, wrong: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    first_in_pieces(length, |start, end| (start..end).find(|&at| wrong(at)))
}

/// Returns the first index at which two lists differ, up to the length of the shorter one.
pub fn first_difference<T: PartialEq + Sync>(left: &[T], right: &[T]) -> Option<usize> {
    first_in_pieces(left.len().min(right.len()), |start, end| {
        let left = &left[start..end];
        let right = &right[start..end];
        if left == right {
            return None;
        }
        // Values that are not equal to themselves always differ: the first index is returned.
        let differ = |at: &usize| left[*at] != right[*at];
        (0..left.len()).find(differ).map(|at| start + at)
    })
}

/// Returns the first error of `checks` checks, which run in parallel.
pub fn first_error<E: Send>(
    checks: usize,
    check: impl Fn(usize) -> Result<(), E> + Sync,
) -> Result<(), E> {
    find_first(checks, |number| check(number).err()).map_or(Ok(()), Err)
}

/// Returns the result of `look` for the first piece that has one.
fn first_in_pieces(
    length: usize,
    look: impl Fn(usize, usize) -> Option<usize> + Sync,
) -> Option<usize> {
    if length <= PIECE {
        return look(0, length);
    }
    find_first(length.div_ceil(PIECE), |piece| {
        let start = piece * PIECE;
        look(start, length.min(start + PIECE))
    })
}

/// Returns the results of `make` for all elements.
pub fn par_map<T: Sync, U: Send>(from: &[T], make: impl Fn(&T) -> U + Sync) -> Vec<U> {
    collect(from.len(), PIECES, |range| from[range].iter().map(&make))
}

/// Returns `length` default elements, in memory whose pages are mapped.
pub fn par_default<T: Default + Send>(length: usize) -> Vec<T> {
    collect(length, Grain::Adaptive, |range| range.map(|_| T::default()))
}

/// Splits a list into contiguous parts.
pub fn split_mut<T>(mut all: &mut [T], lengths: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    let mut parts = Vec::with_capacity(lengths.size_hint().0);
    for length in lengths {
        let (part, rest) = all.split_at_mut(length);
        parts.push(part);
        all = rest;
    }
    parts
}

/// Concatenates lists.
pub fn par_concat<T: Clone + Default + Send + Sync>(lists: &[&[T]]) -> Vec<T> {
    let length = lists.iter().map(|list| list.len()).sum();
    let mut all = par_default(length);
    let targets = split_mut(&mut all, lists.iter().map(|list| list.len()));
    for_each(targets.into_iter().zip(lists), |(target, list)| copy(target, list));
    all
}

/// Copies contiguous elements to several slices: the inverse of [`par_concat`].
///
/// # Panics
/// If there are fewer elements than the slices hold.
pub fn par_copy_to_slices<T: Copy + Send + Sync>(mut from: &[T], targets: Vec<&mut [T]>) {
    let mut copies = Vec::with_capacity(targets.len());
    for target in targets {
        let (part, rest) = from.split_at(target.len());
        copies.push((target, part));
        from = rest;
    }
    for_each(copies, |(target, part)| copy(target, part));
}

/// Copies all elements.
///
/// # Panics
/// If the lengths differ.
pub fn copy<T: Clone + Send + Sync>(to: &mut [T], from: &[T]) {
    assert_eq!(to.len(), from.len(), "equal lengths");
    for_each_part(to, PIECES, |first, to| to.clone_from_slice(&from[first..][..to.len()]));
}

/// Converts each element to one of another list.
///
/// # Panics
/// If the lengths differ.
pub fn par_convert<T: Sync, U: Send>(to: &mut [U], from: &[T], make: impl Fn(&T) -> U + Sync) {
    assert_eq!(to.len(), from.len(), "equal lengths");
    for_each_part(to, PIECES, |first, to| {
        to.iter_mut().zip(&from[first..]).for_each(|(to, from)| *to = make(from));
    });
}

/// Sets all elements.
pub fn fill<T: Copy + Send + Sync>(all: &mut [T], value: T) {
    for_each_part(all, PIECES, |_, part| part.fill(value));
}

/// Returns the elements in ascending order.
pub fn sorted<T: Copy + Ord + Send + Sync>(values: &[T]) -> Vec<T> {
    let mut values = par_map(values, |value| *value);
    values.par_sort_unstable();
    values
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;

    use super::*;
    use crate::MANY;
    use crate::testing::{test_indices, with_all_pools};

    #[test]
    fn parts_have_the_index_of_their_first_element() {
        for grain in [Grain::Adaptive, Grain::AtLeast(50), Grain::One] {
            let numbered = with_all_pools(|| {
                let mut numbers = vec![0; MANY];
                for_each_part(&mut numbers, grain, |first, part| {
                    part.iter_mut().zip(first..).for_each(|(number, index)| *number += index);
                });
                numbers
            });
            assert!(numbered.into_iter().eq(0..MANY));
        }
    }

    #[test]
    fn lists_are_filled_in_order() {
        let text = |index: usize| index.to_string();
        for count in [0, 1, MANY] {
            let list = with_all_pools(|| {
                let mut list = vec!["first".to_owned()];
                extend(&mut list, count, Grain::Adaptive, |range| range.map(text));
                list
            });
            assert_eq!(list[0], "first");
            assert!(list[1..].iter().cloned().eq((0..count).map(text)));
        }
    }

    #[test]
    fn elements_made_before_a_panic_are_not_dropped_twice() {
        let element = Arc::new(());
        let mut list = vec![Arc::clone(&element)];
        let make = |index: usize| {
            assert_ne!(index, 77, "this panics");
            Arc::clone(&element)
        };
        let filled = catch_unwind(AssertUnwindSafe(|| {
            extend(&mut list, 100, Grain::One, |range| range.map(make));
        }));
        assert!(filled.is_err());
        assert_eq!(list.len(), 1, "as before");
        drop(list);
        assert!(Arc::strong_count(&element) > 0);
    }

    #[test]
    #[should_panic(expected = "an element for each index")]
    fn a_range_with_too_few_elements_is_noticed() {
        with_all_pools(|| collect(10, Grain::Adaptive, |range| range.skip(1)));
    }

    #[test]
    fn a_difference_is_found_at_any_index() {
        let left: Vec<u64> = (0..3 * PIECE as u64 + 5).collect();
        for index in test_indices(left.len()) {
            let mut right = left.clone();
            right[index] += 1;
            let found = with_all_pools(|| first_difference(&left, &right));
            assert_eq!(found, Some(index));
            let wrong = |at: usize| left[at] != right[at];
            assert_eq!(first_where(left.len(), wrong), Some(index));
        }
        assert_eq!(first_difference(&left, &left.clone()), None);
        assert_eq!(first_difference(&left, &left[..7]), None, "as far as both go");
    }

    #[test]
    fn the_first_of_several_errors_is_returned() {
        let left = vec![0_u8; 5 * PIECE];
        for first in test_indices(left.len()) {
            let mut right = left.clone();
            right[first..].fill(1);
            let found = with_all_pools(|| first_difference(&left, &right));
            assert_eq!(found, Some(first));
        }
        let checks = |wrong: [usize; 2]| {
            with_all_pools(|| {
                let check = |job| {
                    if wrong.contains(&job) { Err(job) } else { Ok(()) }
                };
                first_error(1000, check)
            })
        };
        assert_eq!(checks([999, 10]), Err(10));
        assert_eq!(checks([999, 2000]), Err(999));
        assert_eq!(checks([1000, 1001]), Ok(()));
    }

    #[test]
    fn copies_are_complete() {
        let from: Vec<u64> = (0..2 * PIECE as u64 + 3).collect();
        let mut to = vec![0; from.len()];
        with_all_pools(|| par_map(&from, |value| 2 * value)[from.len() - 1]);
        copy(&mut to, &from);
        assert_eq!(to, from);
        fill(&mut to, 7);
        assert!(to.iter().all(|&value| value == 7));
        let parts = [&from[..5], &[][..], &from[5..PIECE], &from[PIECE..]];
        assert_eq!(with_all_pools(|| par_concat(&parts)), from);
        let (first, rest) = to.split_at_mut(9);
        par_copy_to_slices(&from, vec![rest, first]);
        assert_eq!((to[9], to[0]), (from[0], from[from.len() - 9]));
        let descending: Vec<u64> = from.iter().rev().copied().collect();
        assert_eq!(with_all_pools(|| sorted(&descending)), from);
    }
}
