//! Buffers that the variants of a point share.
//!
//! Variants are measured interleaved, so many are ready at once, but only one
//! runs at a time. Taking turns with the same buffers, any number of variants
//! needs no more memory than the hungriest, and no variant has the advantage
//! of memory that another one has not touched.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::parallel::{Grain, extend};

/// The buffers of an input. Several inputs may share them.
pub struct Arena {
    buffers: Arc<Buffers>,
    input: InputId,
}

/// A pool of vectors by the type of their elements, and of other buffers by theirs.
#[derive(Default)]
struct Buffers {
    free: Mutex<HashMap<TypeId, Vec<Box<dyn Any + Send>>>>,
    /// Bytes that variants keep to themselves between runs.
    kept: AtomicU64,
}

/// An input, unlike all others of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct InputId(u64);

impl InputId {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        InputId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

impl Default for Arena {
    fn default() -> Self {
        Arena { buffers: Arc::default(), input: InputId::new() }
    }
}

/// Leave to keep so many bytes between runs; dropped, it is given back.
pub(crate) struct Leave<'a> {
    arena: &'a Arena,
    bytes: u64,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.arena.buffers.kept.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Arena {
    /// The same buffers for another input: for inputs that are processed one after the other.
    pub fn for_another_input(&self) -> Self {
        Arena { buffers: Arc::clone(&self.buffers), input: InputId::new() }
    }

    /// The input whose buffers these are.
    pub(crate) fn input(&self) -> InputId {
        self.input
    }

    /// Asks for leave to keep so many bytes between runs, beside the buffers: `None` if all
    /// variants of the point together would then keep more than so many.
    pub(crate) fn leave_to_keep(&self, bytes: u64, most: u64) -> Option<Leave<'_>> {
        let add = |kept: u64| kept.checked_add(bytes).filter(|&kept| kept <= most);
        let added = self.buffers.kept.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        added.ok().map(|_| Leave { arena: self, bytes })
    }

    /// A vector of `length` elements. Their values are left over from earlier
    /// use: whoever takes a buffer writes it before reading.
    pub fn take<T: Copy + Default + Send + Sync + 'static>(&self, length: usize) -> Vec<T> {
        if length == 0 {
            return Vec::new();
        }
        let mut buffer = self.find(length);
        if buffer.is_empty() {
            // By all threads of the team, so that pages lie near them all.
            extend(&mut buffer, length, Grain::Adaptive, |range| range.map(|_| T::default()));
        }
        buffer.resize(length, T::default());
        buffer
    }

    /// A vector for what will be found: of `expected` elements, or where nobody knows yet how many
    /// there are, which is 0, the largest that is free, empty. So who has to find out first leaves no
    /// more memory behind than all others need.
    pub fn take_to_fill<T: Copy + Default + Send + Sync + 'static>(
        &self,
        expected: usize,
    ) -> Vec<T> {
        if expected > 0 {
            return self.take(expected);
        }
        let mut largest = self.largest();
        largest.clear();
        largest
    }

    /// Gives a vector back for others to take.
    pub fn give<T: Send + 'static>(&self, buffer: Vec<T>) {
        if buffer.capacity() > 0 {
            let buffers = &mut *self.free();
            let shelf = buffers.entry(TypeId::of::<T>()).or_default();
            shelf.push(Box::new(buffer));
        }
    }

    /// A buffer of another kind than vectors: one that fits, or else a new one.
    ///
    /// # Errors
    /// If none fits and none can be made.
    pub(crate) fn take_other<B: Send + 'static, E>(
        &self,
        fits: impl Fn(&B) -> bool,
        make: impl FnOnce() -> Result<B, E>,
    ) -> Result<B, E> {
        let mut buffers = self.free();
        let shelf = buffers.entry(TypeId::of::<B>()).or_default();
        let found = shelf.iter().position(|buffer| buffer.downcast_ref().is_some_and(&fits));
        let taken = found.and_then(|at| shelf.swap_remove(at).downcast().ok());
        drop(buffers);
        taken.map_or_else(make, |buffer| Ok(*buffer))
    }

    /// Gives such a buffer back for others to take.
    pub(crate) fn give_other<B: Send + 'static>(&self, buffer: B) {
        let mut buffers = self.free();
        let shelf = buffers.entry(TypeId::of::<B>()).or_default();
        shelf.push(Box::new(buffer));
    }

    /// Frees all buffers that nobody has.
    pub fn clear(&self) {
        self.free().clear();
    }

    /// The smallest free vector that is large enough, or a new one.
    fn find<T: Send + 'static>(&self, length: usize) -> Vec<T> {
        let mut buffers = self.free();
        let shelf = buffers.entry(TypeId::of::<T>()).or_default();
        let fits = (0..shelf.len()).filter(|&i| capacity::<T>(&shelf[i]) >= length);
        let best = fits.min_by_key(|&i| capacity::<T>(&shelf[i]));
        let found = best.and_then(|i| shelf.swap_remove(i).downcast().ok());
        found.map_or_else(|| Vec::with_capacity(length), |buffer| *buffer)
    }

    /// The largest free vector; a new one without any room if there is none.
    fn largest<T: Send + 'static>(&self) -> Vec<T> {
        let mut buffers = self.free();
        let shelf = buffers.entry(TypeId::of::<T>()).or_default();
        let most = (0..shelf.len()).max_by_key(|&i| capacity::<T>(&shelf[i]));
        let found = most.and_then(|i| shelf.swap_remove(i).downcast().ok());
        found.map_or_else(Vec::new, |buffer| *buffer)
    }

    fn free(&self) -> MutexGuard<'_, HashMap<TypeId, Vec<Box<dyn Any + Send>>>> {
        // The pool is whole between statements, whoever panicked meanwhile.
        self.buffers.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The elements that a buffer of a shelf has room for.
fn capacity<T: 'static>(buffer: &Box<dyn Any + Send>) -> usize {
    buffer.downcast_ref::<Vec<T>>().map_or(0, Vec::capacity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_used_again() {
        let arena = Arena::default();
        let buffer = arena.take::<u64>(100);
        let address = buffer.as_ptr();
        arena.give(buffer);
        let again = arena.take::<u64>(50);
        assert_eq!((again.len(), again.as_ptr()), (50, address));
    }

    #[test]
    fn inputs_that_share_buffers_have_ids_of_their_own() {
        let arena = Arena::default();
        let other = arena.for_another_input();
        assert_ne!(arena.input(), other.input());
        let buffer = arena.take::<u64>(100);
        let address = buffer.as_ptr();
        arena.give(buffer);
        let again = other.take::<u64>(100);
        assert_eq!(again.as_ptr(), address);
    }

    #[test]
    fn cleared_buffers_are_gone() {
        let arena = Arena::default();
        arena.give(vec![7_u64; 100]);
        arena.clear();
        assert_eq!(arena.take::<u64>(100), [0; 100], "a new one");
    }

    #[test]
    fn the_smallest_that_fits_is_taken() {
        let arena = Arena::default();
        let (small, large) = (arena.take::<u64>(10), arena.take::<u64>(1000));
        let address = small.as_ptr();
        arena.give(large);
        arena.give(small);
        let taken = arena.take::<u64>(5);
        assert_eq!(taken.as_ptr(), address);
    }

    #[test]
    fn who_does_not_know_how_much_there_will_be_takes_the_largest() {
        let arena = Arena::default();
        assert_eq!(arena.take_to_fill::<u64>(0).capacity(), 0);
        let (small, large) = (arena.take::<u64>(10), arena.take::<u64>(1000));
        let address = large.as_ptr();
        arena.give(large);
        arena.give(small);
        assert_eq!(arena.take_to_fill::<u64>(5).len(), 5, "the small one");
        let taken = arena.take_to_fill::<u64>(0);
        assert_eq!((taken.len(), taken.as_ptr()), (0, address));
    }

    #[test]
    fn other_buffers_are_used_again_if_they_fit() {
        let arena = Arena::default();
        arena.give_other("short".to_owned());
        let take = |length: usize| {
            let fits = move |text: &String| text.len() == length;
            arena.take_other(fits, || Ok::<_, ()>("new".to_owned()))
        };
        assert_eq!(take(4), Ok("new".to_owned()));
        assert_eq!(take(5), Ok("short".to_owned()));
        assert_eq!(take(5), Ok("new".to_owned()), "it is taken");
    }

    #[test]
    fn no_more_is_kept_than_there_is_leave_for() {
        let arena = Arena::default();
        let first = arena.leave_to_keep(60, 100);
        assert!(first.is_some());
        assert!(arena.leave_to_keep(41, 100).is_none());
        assert!(arena.leave_to_keep(40, 100).is_some(), "given back at once");
        drop(first);
        assert!(arena.leave_to_keep(100, 100).is_some());
        assert!(arena.leave_to_keep(u64::MAX, 100).is_none());
    }

    #[test]
    fn types_are_kept_apart() {
        let arena = Arena::default();
        arena.give(vec![1_u32; 100]);
        assert_eq!(arena.take::<u64>(10), [0; 10]);
    }
}
