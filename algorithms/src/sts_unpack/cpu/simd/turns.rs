//! Who comes where: parts are taken in their order, and each learns its place from the one before.
//!
//! Whoever waits does so for parts that were taken earlier, by threads that are at work on them:
//! the first of these waits for nobody.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::yield_now;

/// Looks before others are let onto the core: it may be one of them that is waited for.
const LOOKS: usize = 1 << 10;
/// Instead of a place: nobody knows yet.
const UNKNOWN: usize = usize::MAX;
/// Nobody will ever know: who should have found out has panicked.
const LOST: usize = usize::MAX - 1;

/// Of each part, where it begins, and which one is next.
pub(super) struct OrderedTickets {
    offsets: Vec<AtomicUsize>,
    next: AtomicUsize,
}

/// A part that was taken. Whoever takes one says how long it is, or the others don't wait.
pub(super) struct Ticket<'t, T> {
    turns: &'t OrderedTickets,
    index: usize,
    /// The part.
    pub(super) part: &'t T,
}

impl OrderedTickets {
    /// For so many parts.
    pub(super) fn new(parts: usize) -> Self {
        let offsets: Vec<_> = (0..=parts).map(|_| AtomicUsize::new(UNKNOWN)).collect();
        offsets[0].store(0, Ordering::Relaxed);
        OrderedTickets { offsets, next: AtomicUsize::new(0) }
    }

    /// Takes the next part.
    pub(super) fn next<'t, T>(&'t self, parts: &'t [T]) -> Option<Ticket<'t, T>> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        Some(Ticket { turns: self, index, part: parts.get(index)? })
    }

    fn begin(&self, part: usize) -> usize {
        let mut looks = 0;
        loop {
            match self.offsets[part].load(Ordering::Acquire) {
                UNKNOWN if looks < LOOKS => spin_loop(),
                UNKNOWN => yield_now(),
                LOST => panic!("a part before is not there"),
                begin => return begin,
            }
            looks += 1;
        }
    }
}

impl<T> Ticket<'_, T> {
    /// Where the part begins, which has so many elements.
    pub(super) fn reserve(self, elements: usize) -> usize {
        let begin = self.turns.begin(self.index);
        self.turns.offsets[self.index + 1].store(begin + elements, Ordering::Release);
        begin
    }
}

impl<T> Drop for Ticket<'_, T> {
    /// Lets nobody wait for what does not come.
    fn drop(&mut self) {
        let end = &self.turns.offsets[self.index + 1];
        // Only this thread writes it.
        if end.load(Ordering::Relaxed) == UNKNOWN {
            end.store(LOST, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::parallel::{Grain, for_each_range};

    #[test]
    fn parts_lie_behind_each_other_whoever_is_done_first() {
        let parts: Vec<usize> = (0..500).map(|part| part * 7 % 5).collect();
        let turns = OrderedTickets::new(parts.len());
        let offsets: Vec<_> = parts.iter().map(|_| AtomicUsize::new(UNKNOWN)).collect();
        for_each_range(4, Grain::One, |_| {
            while let Some(turn) = turns.next(&parts) {
                let (index, elements) = (turn.index, *turn.part);
                offsets[index].store(turn.reserve(elements), Ordering::Relaxed);
            }
        });
        let mut expected = 0;
        for (begin, part) in offsets.iter().zip(&parts) {
            assert_eq!(begin.load(Ordering::Relaxed), expected);
            expected += part;
        }
    }

    #[test]
    fn nobody_waits_for_a_part_that_is_lost() {
        let (parts, turns) = ([1, 2, 3], OrderedTickets::new(3));
        assert_eq!(turns.next(&parts).map(|turn| turn.reserve(5)), Some(0));
        drop(turns.next(&parts));
        let last = turns.next(&parts).expect("the third");
        assert!(catch_unwind(AssertUnwindSafe(|| last.reserve(1))).is_err());
    }
}
