//! Work outside the clock that all cores share: comparing, copying, overwriting.
//!
//! All of it is done by the current pool of threads, which outside of a
//! [`Team`](crate::device::Team) is the global one: it has a thread for each core that the
//! process may use. Whatever the number of threads is, what is found is the same: the first
//! of what is wrong, in the order in which one thread would have looked.

use rayon::slice::ParallelSliceMut;

use crate::parallel::{Grain, collect, find_first, for_each};

/// Elements that a thread looks at, copies or writes at a time.
const PIECE: usize = 1 << 16;

/// The first place below a length at which something is wrong.
pub(crate) fn first_where(length: usize, wrong: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    first_in_pieces(length, |start, end| (start..end).find(|&at| wrong(at)))
}

/// The first place at which two lists differ, as far as both go.
pub(crate) fn first_difference<T: PartialEq + Sync>(left: &[T], right: &[T]) -> Option<usize> {
    first_in_pieces(left.len().min(right.len()), |start, end| {
        let (left, right) = (&left[start..end], &right[start..end]);
        if left == right {
            return None;
        }
        // What is not equal to itself differs everywhere: the first place is told.
        let differ = |at: &usize| left[*at] != right[*at];
        (0..left.len()).find(differ).map(|at| start + at)
    })
}

/// The first error of so many checks, which are made side by side.
///
/// # Errors
/// The error of the check with the lowest number that has one.
pub(crate) fn first_error<E: Send>(
    checks: usize,
    check: impl Fn(usize) -> Result<(), E> + Sync,
) -> Result<(), E> {
    find_first(checks, |number| check(number).err()).map_or(Ok(()), Err)
}

/// What `look` finds in the first piece in which it finds anything.
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

/// Something made of each element.
pub(crate) fn mapped<T: Sync, U: Send>(from: &[T], make: impl Fn(&T) -> U + Sync) -> Vec<U> {
    collect(from.len(), Grain::AtLeast(PIECE), |range| from[range].iter().map(&make))
}

/// So many elements, all alike, in memory whose pages are there.
pub(crate) fn made<T: Default + Send>(length: usize) -> Vec<T> {
    collect(length, Grain::Adaptive, |range| range.map(|_| T::default()))
}

/// Splits a list into parts that lie behind each other.
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

/// The elements of some lists behind each other.
pub(crate) fn joined<T: Clone + Default + Send + Sync>(lists: &[&[T]]) -> Vec<T> {
    let length = lists.iter().map(|list| list.len()).sum();
    let mut all = made(length);
    let places = split_mut(&mut all, lists.iter().map(|list| list.len()));
    for_each(places.into_iter().zip(lists), |(place, list)| copy(place, list));
    all
}

/// Copies elements that lie behind each other to some places: what [`joined`] made of
/// their lists, back.
///
/// # Panics
/// If there are fewer elements than the places have.
pub(crate) fn spread<T: Copy + Send + Sync>(mut from: &[T], places: Vec<&mut [T]>) {
    let mut copies = Vec::with_capacity(places.len());
    for place in places {
        let (own, others) = from.split_at(place.len());
        copies.push((place, own));
        from = others;
    }
    for_each(copies, |(place, own)| copy(place, own));
}

/// Copies all elements.
///
/// # Panics
/// If there are not as many at both places.
pub(crate) fn copy<T: Clone + Send + Sync>(to: &mut [T], from: &[T]) {
    assert_eq!(to.len(), from.len(), "as many elements");
    let pieces = to.chunks_mut(PIECE).zip(from.chunks(PIECE));
    for_each(pieces, |(to, from)| to.clone_from_slice(from));
}

/// Makes each element of one elsewhere.
///
/// # Panics
/// If there are not as many at both places.
pub(crate) fn convert<T: Sync, U: Send>(to: &mut [U], from: &[T], make: impl Fn(&T) -> U + Sync) {
    assert_eq!(to.len(), from.len(), "as many elements");
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

/// The elements in ascending order.
pub(crate) fn sorted<T: Copy + Ord + Send + Sync>(values: &[T]) -> Vec<T> {
    let mut values = mapped(values, |value| *value);
    values.par_sort_unstable();
    values
}

#[cfg(test)]
pub(crate) mod tests {
    use rayon::ThreadPoolBuilder;

    use super::*;

    /// Does something with one thread, with two and with more than there are cores: what
    /// comes out must be the same.
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

    /// The ends, and both sides of the borders of pieces.
    pub(crate) fn places(length: usize) -> Vec<usize> {
        let borders = (1..).map(|piece| piece * PIECE);
        let borders = borders.take_while(|&border| border < length);
        let around = borders.flat_map(|border| [border - 1, border]);
        [0, length - 1].into_iter().chain(around).collect()
    }

    #[test]
    fn a_difference_is_found_wherever_it_is() {
        let left: Vec<u64> = (0..3 * PIECE as u64 + 5).collect();
        for place in places(left.len()) {
            let mut right = left.clone();
            right[place] += 1;
            let found = with_all_pools(|| first_difference(&left, &right));
            assert_eq!(found, Some(place));
            let wrong = |at: usize| left[at] != right[at];
            assert_eq!(first_where(left.len(), wrong), Some(place));
        }
        assert_eq!(first_difference(&left, &left.clone()), None);
        assert_eq!(first_difference(&left, &left[..7]), None, "as far as both go");
    }

    #[test]
    fn of_several_the_first_is_told() {
        let left = vec![0_u8; 5 * PIECE];
        for first in places(left.len()) {
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
    fn copies_are_whole() {
        let from: Vec<u64> = (0..2 * PIECE as u64 + 3).collect();
        let mut to = vec![0; from.len()];
        with_all_pools(|| mapped(&from, |value| 2 * value)[from.len() - 1]);
        copy(&mut to, &from);
        assert_eq!(to, from);
        fill(&mut to, 7);
        assert!(to.iter().all(|&value| value == 7));
        let parts = [&from[..5], &[][..], &from[5..PIECE], &from[PIECE..]];
        assert_eq!(with_all_pools(|| joined(&parts)), from);
        let (first, rest) = to.split_at_mut(9);
        spread(&from, vec![rest, first]);
        assert_eq!((to[9], to[0]), (from[0], from[from.len() - 9]));
        let descending: Vec<u64> = from.iter().rev().copied().collect();
        assert_eq!(with_all_pools(|| sorted(&descending)), from);
    }
}
