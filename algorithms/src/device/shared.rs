//! What several threads write at the same time.

use std::marker::PhantomData;

/// A borrowed array that can be written from many threads at once.
pub(crate) struct SharedSlice<'a, T> {
    first: *mut T,
    length: usize,
    array: PhantomData<&'a mut [T]>,
}

// SAFETY: the array is borrowed for as long as this lives, and all access is through
// `write`, whose callers keep to places of their own.
unsafe impl<T: Send> Sync for SharedSlice<'_, T> {}

impl<'a, T: Copy> SharedSlice<'a, T> {
    /// Shares an array out.
    pub(crate) fn new(array: &'a mut [T]) -> Self {
        SharedSlice {
            first: array.as_mut_ptr(),
            length: array.len(),
            array: PhantomData,
        }
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
