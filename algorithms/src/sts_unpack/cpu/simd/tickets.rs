//! Offsets of parts: parts are taken in order, and each gets its offset from the one before.
//!
//! A thread only waits for parts that were taken earlier, by threads that are working on them: the
//! first of these does not wait.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::yield_now;

/// Looks before others are let onto the core: it may be one of them that is waited for.
const SPINS: usize = 1 << 10;
/// The offset is not known yet.
const UNKNOWN: usize = usize::MAX;
/// The offset will never be known, because the thread that should have published it has panicked.
const POISONED: usize = usize::MAX - 1;

/// Offset of each part, and index of the next one.
pub(super) struct OrderedTickets {
    offsets: Vec<AtomicUsize>,
    next: AtomicUsize,
}

/// A part that was taken. Its owner must call `reserve` with the length; if it is dropped instead,
/// waiting threads panic.
pub(super) struct Ticket<'t, T> {
    tickets: &'t OrderedTickets,
    index: usize,
    /// The part.
    pub(super) part: &'t T,
}

impl OrderedTickets {
    /// Tickets for `parts` parts.
    pub(super) fn new(parts: usize) -> Self {
        let offsets: Vec<_> = (0..=parts).map(|_| AtomicUsize::new(UNKNOWN)).collect();
        offsets[0].store(0, Ordering::Relaxed);
        OrderedTickets { offsets, next: AtomicUsize::new(0) }
    }

    /// Takes the next part.
    pub(super) fn next<'t, T>(&'t self, parts: &'t [T]) -> Option<Ticket<'t, T>> {
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        Some(Ticket { tickets: self, index, part: parts.get(index)? })
    }

    fn begin(&self, part: usize) -> usize {
        let mut spins = 0;
        loop {
            match self.offsets[part].load(Ordering::Acquire) {
                UNKNOWN if spins < SPINS => spin_loop(),
                UNKNOWN => yield_now(),
                POISONED => panic!("a part before is not there"),
                begin => return begin,
            }
            spins += 1;
        }
    }
}

impl<T> Ticket<'_, T> {
    /// Returns the offset of the part, which has `elements` elements, and publishes that of the
    /// next.
    pub(super) fn reserve(self, elements: usize) -> usize {
        let begin = self.tickets.begin(self.index);
        self.tickets.offsets[self.index + 1].store(begin + elements, Ordering::Release);
        begin
    }
}

impl<T> Drop for Ticket<'_, T> {
    /// Releases waiting threads if the length was never published.
    fn drop(&mut self) {
        let end = &self.tickets.offsets[self.index + 1];
        // Only this thread writes it.
        if end.load(Ordering::Relaxed) == UNKNOWN {
            end.store(POISONED, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::parallel::{Grain, for_each_range};

    #[test]
    fn parts_are_consecutive_in_any_order_of_completion() {
        let parts: Vec<usize> = (0..500).map(|part| part * 7 % 5).collect();
        let tickets = OrderedTickets::new(parts.len());
        let offsets: Vec<_> = parts.iter().map(|_| AtomicUsize::new(UNKNOWN)).collect();
        for_each_range(4, Grain::One, |_| {
            while let Some(ticket) = tickets.next(&parts) {
                let index = ticket.index;
                let elements = *ticket.part;
                offsets[index].store(ticket.reserve(elements), Ordering::Relaxed);
            }
        });
        let mut expected = 0;
        for (begin, part) in offsets.iter().zip(&parts) {
            assert_eq!(begin.load(Ordering::Relaxed), expected);
            expected += part;
        }
    }

    #[test]
    fn no_thread_waits_for_a_lost_part() {
        let parts = [1, 2, 3];
        let tickets = OrderedTickets::new(3);
        assert_eq!(tickets.next(&parts).map(|ticket| ticket.reserve(5)), Some(0));
        drop(tickets.next(&parts));
        let last = tickets.next(&parts).expect("the third");
        assert!(catch_unwind(AssertUnwindSafe(|| last.reserve(1))).is_err());
    }
}
