//! Buffers that the variants of a measurement point share.
//!
//! Variants are measured interleaved, so several are prepared at once, but only one runs at a time.
//! They share one pool of buffers: any number of variants needs no more memory than the variant
//! with the largest buffers, and no variant has the advantage of memory that no other one has
//! touched.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use parallel::{Grain, extend};

/// The buffers of an input. Several inputs may share them.
pub struct Arena {
    buffers: Arc<Buffers>,
    input: InputId,
}

/// A pool of vectors by the type of their elements, and of other buffers by theirs.
#[derive(Default)]
struct Buffers {
    free: Mutex<HashMap<TypeId, Vec<Box<dyn Any + Send>>>>,
    /// Bytes that variants reserve for themselves between runs.
    reserved: AtomicU64,
}

/// Id of an input, unique in the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InputId(u64);

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

/// A reservation of `bytes` kept between runs; released on drop.
pub struct Reservation<'a> {
    arena: &'a Arena,
    bytes: u64,
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.arena.buffers.reserved.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Arena {
    /// Returns an arena for another input that shares these buffers, for inputs that are processed
    /// one after the other.
    pub fn for_another_input(&self) -> Self {
        Arena { buffers: Arc::clone(&self.buffers), input: InputId::new() }
    }

    /// Returns the input that the buffers belong to.
    pub fn input(&self) -> InputId {
        self.input
    }

    /// Reserves `bytes` to be kept between runs in addition to the buffers. Returns `None` if all
    /// variants of the point together would then reserve more than `max`.
    pub fn reserve(&self, bytes: u64, max: u64) -> Option<Reservation<'_>> {
        let add = |reserved: u64| reserved.checked_add(bytes).filter(|&total| total <= max);
        let added = self.buffers.reserved.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        added.ok().map(|_| Reservation { arena: self, bytes })
    }

    /// Takes a vector of `length` elements. Their values are left over from earlier use: the caller
    /// writes a buffer before it reads it.
    pub fn take<T: Copy + Default + Send + Sync + 'static>(&self, length: usize) -> Vec<T> {
        if length == 0 {
            return Vec::new();
        }
        let mut buffer = self.find(length);
        if buffer.is_empty() {
            // Initialised by all threads of the team, so that pages lie near them all.
            extend(&mut buffer, length, Grain::Adaptive, |range| range.map(|_| T::default()));
        }
        buffer.resize(length, T::default());
        buffer
    }

    /// Takes a buffer for an output of unknown size: `expected` elements, or, if that is 0, the
    /// largest free buffer, cleared. A variant that has to count first thus leaves no more memory
    /// in the pool than the others need.
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

    /// Returns a vector to the pool.
    pub fn give<T: Send + 'static>(&self, buffer: Vec<T>) {
        if buffer.capacity() > 0 {
            let buffers = &mut *self.free();
            let shelf = buffers.entry(TypeId::of::<T>()).or_default();
            shelf.push(Box::new(buffer));
        }
    }

    /// Takes a buffer that is not a vector: a free one that fits, or else a new one.
    pub fn take_other<B: Send + 'static, E>(
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

    /// Returns such a buffer to the pool.
    pub fn give_other<B: Send + 'static>(&self, buffer: B) {
        let mut buffers = self.free();
        let shelf = buffers.entry(TypeId::of::<B>()).or_default();
        shelf.push(Box::new(buffer));
    }

    /// Frees all buffers of the pool that are not in use.
    pub fn clear(&self) {
        self.free().clear();
    }

    /// Returns the smallest free vector that is large enough, or a new one.
    fn find<T: Send + 'static>(&self, length: usize) -> Vec<T> {
        let mut buffers = self.free();
        let shelf = buffers.entry(TypeId::of::<T>()).or_default();
        let fits = (0..shelf.len()).filter(|&i| capacity::<T>(&shelf[i]) >= length);
        let best = fits.min_by_key(|&i| capacity::<T>(&shelf[i]));
        let found = best.and_then(|i| shelf.swap_remove(i).downcast().ok());
        found.map_or_else(|| Vec::with_capacity(length), |buffer| *buffer)
    }

    /// Returns the largest free vector, or a new one without capacity if there is none.
    fn largest<T: Send + 'static>(&self) -> Vec<T> {
        let mut buffers = self.free();
        let shelf = buffers.entry(TypeId::of::<T>()).or_default();
        let largest = (0..shelf.len()).max_by_key(|&i| capacity::<T>(&shelf[i]));
        let found = largest.and_then(|i| shelf.swap_remove(i).downcast().ok());
        found.map_or_else(Vec::new, |buffer| *buffer)
    }

    fn free(&self) -> MutexGuard<'_, HashMap<TypeId, Vec<Box<dyn Any + Send>>>> {
        // The pool is consistent between statements, also after a panic of another thread.
        self.buffers.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Capacity of a buffer of a shelf in elements.
fn capacity<T: 'static>(buffer: &Box<dyn Any + Send>) -> usize {
    buffer.downcast_ref::<Vec<T>>().map_or(0, Vec::capacity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_reused() {
        let arena = Arena::default();
        let buffer = arena.take::<u64>(100);
        let address = buffer.as_ptr();
        arena.give(buffer);
        let again = arena.take::<u64>(50);
        assert_eq!((again.len(), again.as_ptr()), (50, address));
    }

    #[test]
    fn inputs_that_share_buffers_have_different_ids() {
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
    fn cleared_buffers_are_freed() {
        let arena = Arena::default();
        arena.give(vec![7_u64; 100]);
        arena.clear();
        assert_eq!(arena.take::<u64>(100), [0; 100], "a new one");
    }

    #[test]
    fn the_smallest_fitting_buffer_is_taken() {
        let arena = Arena::default();
        let small = arena.take::<u64>(10);
        let large = arena.take::<u64>(1000);
        let address = small.as_ptr();
        arena.give(large);
        arena.give(small);
        let taken = arena.take::<u64>(5);
        assert_eq!(taken.as_ptr(), address);
    }

    #[test]
    fn an_output_of_unknown_size_takes_the_largest_buffer() {
        let arena = Arena::default();
        assert_eq!(arena.take_to_fill::<u64>(0).capacity(), 0);
        let small = arena.take::<u64>(10);
        let large = arena.take::<u64>(1000);
        let address = large.as_ptr();
        arena.give(large);
        arena.give(small);
        assert_eq!(arena.take_to_fill::<u64>(5).len(), 5, "the small one");
        let taken = arena.take_to_fill::<u64>(0);
        assert_eq!((taken.len(), taken.as_ptr()), (0, address));
    }

    #[test]
    fn other_buffers_are_reused_if_they_fit() {
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
    fn reservations_beyond_the_limit_are_refused() {
        let arena = Arena::default();
        let first = arena.reserve(60, 100);
        assert!(first.is_some());
        assert!(arena.reserve(41, 100).is_none());
        assert!(arena.reserve(40, 100).is_some(), "released at once");
        drop(first);
        assert!(arena.reserve(100, 100).is_some());
        assert!(arena.reserve(u64::MAX, 100).is_none());
    }

    #[test]
    fn buffers_of_different_types_are_not_mixed() {
        let arena = Arena::default();
        arena.give(vec![1_u32; 100]);
        assert_eq!(arena.take::<u64>(10), [0; 10]);
    }
}
