//! Fetching ahead what is going to be needed.

/// Begins to bring the cache line of an element here; does nothing for a place that is
/// not in the slice, or on a machine without such an instruction.
#[inline(always)]
pub(crate) fn prefetch<T>(slice: &[T], place: usize) {
    if let Some(element) = slice.get(place) {
        prefetch_line(element);
    }
}

/// Begins to bring the cache line of any address here: nothing is read there.
#[inline(always)]
pub(super) fn prefetch_line<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction reads nothing and can't fault.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Begins to bring the cache line of an element into the second-level cache, which can wait for more
/// lines at a time than the first.
#[inline(always)]
pub(crate) fn prefetch_to_second<T>(slice: &[T], place: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = slice.get(place) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: the instruction reads nothing and can't fault.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(std::ptr::from_ref(element).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, place);
}
