//! What several threads write at the same time.

use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32};

use super::prefetch::prefetch_line;

/// A borrowed array that can be written from many threads at once.
pub(crate) struct SharedSlice<'a, T> {
    first: *mut T,
    length: usize,
    array: PhantomData<&'a mut [T]>,
}

// SAFETY: the array is borrowed for as long as this lives, and all access is through
// `write` and `part`, whose callers keep to places of their own.
unsafe impl<T: Send> Sync for SharedSlice<'_, T> {}

impl<'a, T> SharedSlice<'a, T> {
    /// Shares an array out.
    pub(crate) fn new(array: &'a mut [T]) -> Self {
        SharedSlice { first: array.as_mut_ptr(), length: array.len(), array: PhantomData }
    }

    /// A part of the array.
    ///
    /// # Safety
    /// Nobody else may have any of these places, or write to them.
    #[inline]
    pub(crate) unsafe fn part(&self, range: Range<usize>) -> &'a mut [T] {
        assert!(range.start <= range.end && range.end <= self.length);
        // SAFETY: the range lies in the array, as was just checked, and by the caller's promise
        // nobody else has any of it.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(range.start), range.len()) }
    }
}

impl<T: Copy> SharedSlice<'_, T> {
    /// Begins to bring the cache line of a place here.
    #[inline(always)]
    pub(crate) fn prefetch(&self, place: usize) {
        prefetch_line(self.first.wrapping_add(place));
    }

    /// Writes a place of the array.
    ///
    /// # Safety
    /// No other thread may write the same place.
    #[inline]
    pub(crate) unsafe fn write(&self, place: usize, value: T) {
        assert!(place < self.length);
        // SAFETY: the place lies in the array, as was just checked, and by the
        // caller's promise nobody else writes it.
        unsafe { self.first.add(place).write(value) }
    }
}

/// Something in a cache line of its own: threads that write neighbours would wait for each
/// other.
#[derive(Default)]
#[repr(align(64))]
pub(crate) struct Apart<T>(pub(crate) T);

/// An integer that has an atomic form.
///
/// # Safety
/// `Atomic` is the atomic type of the integer: it has the same size and alignment, and all bits of
/// one are a value of the other.
pub(crate) unsafe trait Plain: sealed::Sealed {
    /// The atomic form.
    type Atomic;
}

/// Keeps other modules from implementing [`Plain`].
mod sealed {
    pub trait Sealed {}
}

impl sealed::Sealed for u8 {}
impl sealed::Sealed for u16 {}
impl sealed::Sealed for u32 {}

// SAFETY: `AtomicU8` is the atomic type of `u8`.
unsafe impl Plain for u8 {
    type Atomic = AtomicU8;
}

// SAFETY: `AtomicU16` is the atomic type of `u16`.
unsafe impl Plain for u16 {
    type Atomic = AtomicU16;
}

// SAFETY: `AtomicU32` is the atomic type of `u32`.
unsafe impl Plain for u32 {
    type Atomic = AtomicU32;
}

/// Plain numbers as atomic ones, for as long as they are borrowed.
pub(crate) fn atomic<P: Plain>(numbers: &mut [P]) -> &[P::Atomic] {
    const {
        assert!(size_of::<P>() == size_of::<P::Atomic>());
        assert!(align_of::<P>() == align_of::<P::Atomic>());
    }
    let (first, length) = (numbers.as_mut_ptr(), numbers.len());
    // SAFETY: `Plain` promises that these are the same in memory, and they stay borrowed mutably
    // for as long as the result lives.
    unsafe { std::slice::from_raw_parts(first.cast(), length) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::all_cores::tests::with_all_pools;
    use crate::parallel::{Grain, MANY, for_each_range};

    #[test]
    fn threads_write_parts_and_elements_of_their_own() {
        let numbers = with_all_pools(|| {
            let mut numbers = vec![0; MANY];
            let shared = SharedSlice::new(&mut numbers);
            for_each_range(MANY, Grain::AtLeast(7), |range| {
                let middle = range.start.midpoint(range.end);
                // SAFETY: no two ranges have an element in common.
                let part = unsafe { shared.part(range.start..middle) };
                part.iter_mut().zip(range.start..).for_each(|(to, index)| *to = index);
                for index in middle..range.end {
                    // SAFETY: as above.
                    unsafe { shared.write(index, index) };
                }
            });
            numbers
        });
        assert!(numbers.into_iter().eq(0..MANY));
    }

    #[test]
    #[should_panic(expected = "place < self.length")]
    fn what_is_beyond_the_end_is_not_written() {
        let mut numbers = [0; 3];
        // SAFETY: this is the only thread.
        unsafe { SharedSlice::new(&mut numbers).write(3, 1) };
    }
}
