//! Owned items that are distributed over threads, such as chunks of slices.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::{Grain, collect, for_each_range};
use crate::shared::CachePadded;

/// Calls `work` for each item.
pub fn for_each<T: Send>(items: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync) {
    Items::new(items).for_each(Grain::Adaptive, |_, item| work(item));
}

/// Calls `work` for each item with its index, so that data with the same index needs no list of
/// pairs.
pub fn for_each_numbered<T: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(usize, T) + Sync,
) {
    Items::new(items).for_each(Grain::Adaptive, work);
}

/// Calls `work` for each item, dynamically scheduled: for work of very different durations.
pub fn for_each_dynamic<T: Send>(items: impl IntoIterator<Item = T>, work: impl Fn(T) + Sync) {
    Items::new(items).for_each(Grain::One, |_, item| work(item));
}

/// Calls `work` for each item, dynamically scheduled in the order of the items, with the tools of one
/// of the workers, of which there is one for each element of `tools`. Runs on the current team.
pub fn for_each_with_tools<T: Send, S: Send>(
    items: Vec<T>,
    tools: &mut [S],
    work: impl Fn(T, &mut S) + Sync,
) {
    let items = &Items::new(items);
    // All workers write it, and none waits for it.
    let next = &CachePadded(AtomicUsize::new(0));
    let work = &work;
    rayon::scope(|scope| {
        for tools in tools {
            scope.spawn(move |_| {
                loop {
                    let index = next.0.fetch_add(1, Relaxed);
                    if index >= items.count {
                        return;
                    }
                    // SAFETY: the index is below the count, and no other worker has got it.
                    unsafe { items.take(index..index + 1) }.for_each(|item| work(item, tools));
                }
            });
        }
    });
}

/// Returns the results for all items, in the order of the items.
pub fn map<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    Items::new(items).map(Grain::Adaptive, work)
}

/// Returns the results for all items in order, dynamically scheduled: for work of very different
/// durations.
pub fn map_dynamic<T: Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    Items::new(items).map(Grain::One, work)
}

/// Items that threads take, each once. Items that are not taken are leaked, which only happens
/// after a panic.
struct Items<T> {
    /// Its length is 0: the items lie in its spare capacity.
    list: Vec<T>,
    count: usize,
}

// SAFETY: threads that share the items only take them, which moves each to one thread.
unsafe impl<T: Send> Sync for Items<T> {}

impl<T: Send> Items<T> {
    fn new(items: impl IntoIterator<Item = T>) -> Self {
        let mut list: Vec<T> = items.into_iter().collect();
        let count = list.len();
        // SAFETY: any smaller length is valid, and items past the end are not dropped.
        unsafe { list.set_len(0) };
        Items { list, count }
    }

    /// # Safety
    /// The range is within the items, and each of them is taken only once.
    unsafe fn take(&self, range: Range<usize>) -> impl Iterator<Item = T> {
        let first = self.list.as_ptr();
        // SAFETY: the caller promises that the item exists and was not taken.
        range.map(move |index| unsafe { first.add(index).read() })
    }

    fn for_each(self, grain: Grain, work: impl Fn(usize, T) + Sync) {
        for_each_range(self.count, grain, |range| {
            // SAFETY: each index below the count is in one range only.
            let taken = unsafe { self.take(range.clone()) };
            range.zip(taken).for_each(|(index, item)| work(index, item));
        });
    }

    fn map<R: Send>(self, grain: Grain, work: impl Fn(T) -> R + Sync) -> Vec<R> {
        // SAFETY: each index below the count is in one range only.
        collect(self.count, grain, |range| unsafe { self.take(range) }.map(&work))
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::MANY;
    use crate::testing::with_all_pools;

    /// Counts its drops.
    struct Counted<'a>(usize, &'a [AtomicUsize]);

    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.1[self.0].fetch_add(1, Relaxed);
        }
    }

    /// Numbers of drops of [`MANY`] items after `work`.
    fn drops(work: impl FnOnce(Vec<Counted<'_>>)) -> Vec<usize> {
        let mut counts = Vec::new();
        counts.resize_with(MANY, AtomicUsize::default);
        work((0..counts.len()).map(|index| Counted(index, &counts)).collect());
        counts.into_iter().map(AtomicUsize::into_inner).collect()
    }

    #[test]
    fn each_item_is_taken_once() {
        with_all_pools(|| {
            assert_eq!(drops(|items| for_each(items, drop)), [1; MANY]);
            assert_eq!(drops(|items| for_each_dynamic(items, drop)), [1; MANY]);
            let check = |index, item: Counted<'_>| assert_eq!(index, item.0);
            assert_eq!(drops(|items| for_each_numbered(items, check)), [1; MANY]);
            assert_eq!(drops(|items| drop(map(items, |item| item))), [1; MANY]);
            let mut tools = [0; 3];
            let count = |item: Counted<'_>, done: &mut usize| {
                *done += 1;
                drop(item);
            };
            assert_eq!(drops(|items| for_each_with_tools(items, &mut tools, count)), [1; MANY]);
            assert_eq!(tools.iter().sum::<usize>(), MANY);
        });
        for_each([(); 0], |()| unreachable!("there is none"));
    }

    #[test]
    fn chunks_are_written_in_parallel() {
        let doubled = with_all_pools(|| {
            let numbers: Vec<_> = (0..MANY).collect();
            let mut doubled = vec![0; MANY];
            for_each(doubled.chunks_mut(7).zip(numbers.chunks(7)), |(to, from)| {
                to.iter_mut().zip(from).for_each(|(to, from)| *to = 2 * from);
            });
            doubled
        });
        assert!(doubled.into_iter().eq((0..MANY).map(|index| 2 * index)));
    }

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let text = |index: usize| index.to_string();
        let expected: Vec<_> = (0..MANY).map(text).collect();
        assert_eq!(with_all_pools(|| map(0..MANY, text)), expected);
        assert_eq!(with_all_pools(|| map_dynamic(0..MANY, text)), expected);
        assert_eq!(with_all_pools(|| map([], text)), [""; 0]);
    }

    #[test]
    fn a_panic_is_propagated_and_nothing_is_dropped_twice() {
        fn panicking(item: Counted<'_>) -> Counted<'_> {
            assert_ne!(item.0, MANY / 2, "this panics");
            item
        }
        let check = |work: fn(Vec<Counted<'_>>)| {
            let counts = drops(|items| {
                let panicked = catch_unwind(AssertUnwindSafe(|| work(items)));
                assert!(panicked.is_err());
            });
            assert_eq!(counts[MANY / 2], 1);
            assert!(counts.into_iter().all(|count| count <= 1));
        };
        with_all_pools(|| {
            check(|items| drop(map(items, panicking)));
            check(|items| for_each_dynamic(items, |item| drop(panicking(item))));
        });
    }
}
