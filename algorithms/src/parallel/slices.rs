//! Slices that are written in parts, and lists that are filled.

use std::ops::Range;

use super::{Grain, for_each_range};
use crate::shared::SharedSlice;

/// Calls `work` for all parts of a slice, with the index of each part's first element.
pub(crate) fn for_each_part<T: Send>(
    all: &mut [T],
    grain: Grain,
    work: impl Fn(usize, &mut [T]) + Sync,
) {
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
pub(crate) fn extend<R: Send, I: Iterator<Item = R>>(
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
pub(crate) fn collect<R: Send, I: Iterator<Item = R>>(
    count: usize,
    grain: Grain,
    make: impl Fn(Range<usize>) -> I + Sync,
) -> Vec<R> {
    let mut list = Vec::new();
    extend(&mut list, count, grain, make);
    list
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;

    use super::*;
    use crate::all_cores::tests::with_all_pools;
    use crate::parallel::MANY;

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
}
