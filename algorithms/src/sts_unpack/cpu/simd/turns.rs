//! Who comes where: parts are taken in their order, and each learns its place from the one before.
//!
//! Whoever waits does so for parts that were taken earlier, by threads that are at work on them:
//! the first of these waits for nobody.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::yield_now;

/// Looks before others are let onto the core: it may be one of them that is waited for.
const LOOKS: usize = 1 << 10;
/// Nobody knows yet.
const UNKNOWN: usize = usize::MAX;

/// Of each part, where it begins, and which one is next.
pub(super) struct Turns {
    begins: Vec<AtomicUsize>,
    next: AtomicUsize,
}

impl Turns {
    /// For so many parts.
    pub(super) fn new(parts: usize) -> Self {
        let begins: Vec<_> = (0..=parts).map(|_| AtomicUsize::new(UNKNOWN)).collect();
        begins[0].store(0, Ordering::Relaxed);
        Turns { begins, next: AtomicUsize::new(0) }
    }

    /// Takes the next part.
    pub(super) fn next<'p, T>(&self, parts: &'p [T]) -> Option<(usize, &'p T)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        Some((number, parts.get(number)?))
    }

    /// Where a part of so many elements begins.
    pub(super) fn place(&self, part: usize, elements: usize) -> usize {
        let begin = self.begin(part);
        self.begins[part + 1].store(begin + elements, Ordering::Release);
        begin
    }

    fn begin(&self, part: usize) -> usize {
        for look in 0_usize.. {
            let begin = self.begins[part].load(Ordering::Acquire);
            if begin != UNKNOWN {
                return begin;
            }
            if look < LOOKS { spin_loop() } else { yield_now() }
        }
        UNKNOWN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::{Grain, for_each_range};

    #[test]
    fn parts_lie_behind_each_other_whoever_is_done_first() {
        let parts: Vec<usize> = (0..500).map(|part| part * 7 % 5).collect();
        let turns = Turns::new(parts.len());
        let begins: Vec<_> = parts.iter().map(|_| AtomicUsize::new(UNKNOWN)).collect();
        for_each_range(4, Grain::One, |_| {
            while let Some((number, part)) = turns.next(&parts) {
                begins[number].store(turns.place(number, *part), Ordering::Relaxed);
            }
        });
        let mut expected = 0;
        for (begin, part) in begins.iter().zip(&parts) {
            assert_eq!(begin.load(Ordering::Relaxed), expected);
            expected += part;
        }
    }
}
