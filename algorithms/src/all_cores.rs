//! Untimed work on all cores: comparing, copying, overwriting.
//!
//! It runs on the current pool of threads, which outside of a [`Team`](crate::device::Team) is the
//! global one, with a thread for each core that the process may use. Results do not depend on the
//! number of threads: the first error is the one that a single thread would have found.

use rayon::slice::ParallelSliceMut;

use crate::parallel::{Grain, collect, find_first, for_each};

/// Elements of a piece that a thread processes at a time.
const PIECE: usize = 1 << 16;

/// Returns the first index below `length` at which `wrong` is true.
pub(crate) fn first_where(length: usize, wrong: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    first_in_pieces(length, |start, end| (start..end).find(|&at| wrong(at)))
}

/// Returns the first index at which two lists differ, up to the length of the shorter one.
pub(crate) fn first_difference<T: PartialEq + Sync>(left: &[T], right: &[T]) -> Option<usize> {
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
///
/// # Errors
/// The error of the failing check with the lowest index.
pub(crate) fn first_error<E: Send>(
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
pub(crate) fn par_map<T: Sync, U: Send>(from: &[T], make: impl Fn(&T) -> U + Sync) -> Vec<U> {
    collect(from.len(), Grain::AtLeast(PIECE), |range| from[range].iter().map(&make))
}

/// Returns `length` default elements, in memory whose pages are mapped.
pub(crate) fn par_default<T: Default + Send>(length: usize) -> Vec<T> {
    collect(length, Grain::Adaptive, |range| range.map(|_| T::default()))
}

/// Splits a list into contiguous parts.
pub(crate) fn split_mut<T>(
    mut all: &mut [T],
    lengths: impl Iterator<Item = usize>,
) -> Vec<&mut [T]> {
    let mut parts = Vec::with_capacity(lengths.size_hint().0);
    for length in lengths {
        let (part, rest) = all.split_at_mut(length);
        parts.push(part);
        all = rest;
    }
    parts
}

/// Concatenates lists.
pub(crate) fn par_concat<T: Clone + Default + Send + Sync>(lists: &[&[T]]) -> Vec<T> {
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
pub(crate) fn par_copy_to_slices<T: Copy + Send + Sync>(mut from: &[T], targets: Vec<&mut [T]>) {
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
pub(crate) fn copy<T: Clone + Send + Sync>(to: &mut [T], from: &[T]) {
    assert_eq!(to.len(), from.len(), "equal lengths");
    let pieces = to.chunks_mut(PIECE).zip(from.chunks(PIECE));
    for_each(pieces, |(to, from)| to.clone_from_slice(from));
}

/// Converts each element to one of another list.
///
/// # Panics
/// If the lengths differ.
pub(crate) fn par_convert<T: Sync, U: Send>(
    to: &mut [U],
    from: &[T],
    make: impl Fn(&T) -> U + Sync,
) {
    assert_eq!(to.len(), from.len(), "equal lengths");
    let pieces = to.chunks_mut(PIECE).zip(from.chunks(PIECE));
    for_each(pieces, |(to, from)| {
        for (to, from) in to.iter_mut().zip(from) {
            *to = make(from);
        }
    });
}

/// Sets all elements.
pub(crate) fn fill<T: Copy + Send + Sync>(all: &mut [T], value: T) {
    for_each(all.chunks_mut(PIECE), |piece| piece.fill(value));
}

/// Returns the elements in ascending order.
pub(crate) fn sorted<T: Copy + Ord + Send + Sync>(values: &[T]) -> Vec<T> {
    let mut values = par_map(values, |value| *value);
    values.par_sort_unstable();
    values
}

#[cfg(test)]
pub(crate) mod tests {
    use rayon::ThreadPoolBuilder;

    use super::*;

    /// Runs `work` with one thread, with two and with more than there are cores, and asserts equal
    /// results.
    pub(crate) fn with_all_pools<R: PartialEq + std::fmt::Debug + Send>(
        work: impl Fn() -> R + Sync,
    ) -> R {
        let with = |threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(&work)
        };
        let alone = with(1);
        for threads in [2, 7] {
            assert_eq!(with(threads), alone, "{threads} threads");
        }
        alone
    }

    /// Indices at the ends, and on both sides of the boundaries of pieces.
    pub(crate) fn test_indices(length: usize) -> Vec<usize> {
        let borders = (1..).map(|piece| piece * PIECE);
        let borders = borders.take_while(|&border| border < length);
        let around = borders.flat_map(|border| [border - 1, border]);
        [0, length - 1].into_iter().chain(around).collect()
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
