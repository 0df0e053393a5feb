//! Fetching ahead what is going to be needed.

/// Begins to bring the cache line of an element here; does nothing for a place that is
/// not in the slice, or on a machine without such an instruction.
#[inline(always)]
pub(super) fn prefetch<T>(slice: &[T], place: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = slice.get(place) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction reads nothing and can't fault.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, place);
}
