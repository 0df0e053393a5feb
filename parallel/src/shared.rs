//! Arrays that several threads write concurrently.

use std::marker::PhantomData;
use std::ops::{AddAssign, Range};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32};

use crate::prefetch::prefetch_line;

/// A borrowed array that many threads can write at once.
pub struct SharedSlice<'a, T> {
    first: *mut T,
    length: usize,
    array: PhantomData<&'a mut [T]>,
}

// SAFETY: the array is borrowed for as long as this lives, and it is accessed by `write` and `part`
// only, whose callers promise that no two threads use the same elements.
unsafe impl<T: Send> Sync for SharedSlice<'_, T> {}

impl<'a, T> SharedSlice<'a, T> {
    /// Makes an array writable by many threads.
    pub fn new(array: &'a mut [T]) -> Self {
        SharedSlice { first: array.as_mut_ptr(), length: array.len(), array: PhantomData }
    }

    /// Returns a part of the array.
    ///
    /// # Safety
    /// No other code may hold any of these elements, or write them.
    #[inline]
    pub unsafe fn part(&self, range: Range<usize>) -> &'a mut [T] {
        assert!(range.start <= range.end && range.end <= self.length);
        // SAFETY: the range lies in the array, as was just checked, and the caller promises that no
        // other code has any of it.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(range.start), range.len()) }
    }
}

impl<T: Copy> SharedSlice<'_, T> {
    /// Prefetches the cache line of an element.
    #[inline(always)]
    pub fn prefetch(&self, index: usize) {
        prefetch_line(self.first.wrapping_add(index));
    }

    /// Writes an element.
    ///
    /// # Safety
    /// No other thread may write this element.
    #[inline]
    pub unsafe fn write(&self, index: usize, value: T) {
        assert!(index < self.length);
        // SAFETY: the index lies in the array, as was just checked, and the caller promises that no
        // other thread writes this element.
        unsafe { self.first.add(index).write(value) }
    }
}

/// Turns counts by part and bucket into the first offset of each part in each bucket, and the end of
/// each bucket (exclusive scan): buckets in order, and within a bucket the parts in order. A bucket
/// has `width` consecutive counts of each part.
pub fn offsets_of_parts<T: Copy + Default + AddAssign>(
    mut counts: Vec<Vec<T>>,
    buckets: usize,
    width: usize,
) -> (Vec<Vec<T>>, Vec<T>) {
    let mut sum = T::default();
    let mut ends = Vec::with_capacity(buckets);
    for bucket in 0..buckets {
        for part in &mut counts {
            for count in &mut part[width * bucket..][..width] {
                sum += std::mem::replace(count, sum);
            }
        }
        ends.push(sum);
    }
    (counts, ends)
}

/// A value padded to a cache line of its own, against false sharing.
#[derive(Default)]
#[repr(align(64))]
pub struct CachePadded<T>(pub T);

/// An integer that has an atomic form.
///
/// # Safety
/// `Atomic` is the atomic type of the integer: it has the same size and alignment, and all bits of
/// one are a value of the other.
pub unsafe trait Plain: sealed::Sealed {
    /// The atomic type.
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

/// Views plain integers as atomic ones for as long as they are borrowed.
pub fn atomic<P: Plain>(values: &mut [P]) -> &[P::Atomic] {
    const {
        assert!(size_of::<P>() == size_of::<P::Atomic>());
        assert!(align_of::<P>() == align_of::<P::Atomic>());
    }
    let first = values.as_mut_ptr();
    let length = values.len();
    // SAFETY: `Plain` promises the same layout, and the values stay borrowed mutably for as long
    // as the result lives.
    unsafe { std::slice::from_raw_parts(first.cast(), length) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::with_all_pools;
    use crate::{Grain, MANY, for_each_range};

    #[test]
    fn threads_write_separate_parts_and_elements() {
        let values = with_all_pools(|| {
            let mut values = vec![0; MANY];
            let shared = SharedSlice::new(&mut values);
            for_each_range(MANY, Grain::AtLeast(7), |range| {
                let middle = range.start.midpoint(range.end);
                // SAFETY: no two ranges have an element in common.
                let part = unsafe { shared.part(range.start..middle) };
                part.iter_mut().zip(range.start..).for_each(|(to, index)| *to = index);
                for index in middle..range.end {
                    // SAFETY: no two ranges have an element in common.
                    unsafe { shared.write(index, index) };
                }
            });
            values
        });
        assert!(values.into_iter().eq(0..MANY));
    }

    #[test]
    #[should_panic(expected = "index < self.length")]
    fn writes_past_the_end_panic() {
        let mut values = [0; 3];
        // SAFETY: this is the only thread.
        unsafe { SharedSlice::new(&mut values).write(3, 1) };
    }
}
