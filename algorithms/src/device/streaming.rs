//! Stores past the caches: what nobody reads soon need not be read first, and drives nothing out.

use std::mem::MaybeUninit;

use bytemuck::Pod;

/// Bytes of a cache line.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Stores past the caches. Others see them in no order, until there is a fence.
pub(crate) struct Stores(());

/// Does some work that stores past the caches; behind it others see what was stored.
#[inline(always)]
pub(crate) fn streaming(work: impl FnOnce(&Stores)) {
    /// Also if the work panics.
    struct Fence;
    impl Drop for Fence {
        fn drop(&mut self) {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: SSE is there on all x86-64.
            unsafe {
                std::arch::x86_64::_mm_sfence();
            }
        }
    }
    let _fence = Fence;
    work(&Stores(()));
}

impl Stores {
    /// Copies bytes past the caches, where that can be: as many on both sides.
    pub(crate) fn stream(&self, to: &mut [u8], from: &[u8]) {
        let (to, length) = (to.as_mut_ptr().cast(), to.len());
        // SAFETY: the same bytes, to which nothing is written but bytes.
        self.write(unsafe { std::slice::from_raw_parts_mut(to, length) }, from);
    }

    /// Appends to a list, past the caches too.
    pub(crate) fn append<T: Pod>(&self, list: &mut Vec<T>, items: &[T]) {
        list.reserve(items.len());
        let to = list.spare_capacity_mut().as_mut_ptr().cast();
        // SAFETY: there is room for so many bytes, which need not be anything yet.
        let to = unsafe { std::slice::from_raw_parts_mut(to, size_of_val(items)) };
        self.write(to, bytemuck::cast_slice(items));
        // SAFETY: these have been written.
        unsafe { list.set_len(list.len() + items.len()) };
    }

    #[cfg(target_arch = "x86_64")]
    fn write(&self, to: &mut [MaybeUninit<u8>], from: &[u8]) {
        assert_eq!(to.len(), from.len());
        let (lines, _) = from.as_chunks();
        let is_whole = lines.len() * LINE == from.len() && to.as_ptr().align_offset(LINE) == 0;
        if is_whole && is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has it, and the target begins at a line.
            unsafe { stream_lines(to.as_chunks_mut().0, lines) }
        } else {
            stream_vectors(to, from);
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn write(&self, to: &mut [MaybeUninit<u8>], from: &[u8]) {
        to.write_copy_of_slice(from);
    }
}

/// Whole lines, each by one store.
///
/// # Safety
/// The target begins at a multiple of [`LINE`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn stream_lines(to: &mut [[MaybeUninit<u8>; LINE]], from: &[[u8; LINE]]) {
    use std::arch::x86_64::{_mm512_loadu_si512, _mm512_stream_si512};
    for (to, from) in to.iter_mut().zip(from) {
        // SAFETY: both sides have 64 bytes, and the target is aligned.
        unsafe {
            let line = _mm512_loadu_si512(from.as_ptr().cast());
            _mm512_stream_si512(to.as_mut_ptr().cast(), line);
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn stream_vectors(to: &mut [MaybeUninit<u8>], from: &[u8]) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    // SAFETY: any 16 bytes make such a vector.
    let (head, vectors, _) = unsafe { to.align_to_mut::<MaybeUninit<__m128i>>() };
    let (first, count) = (head.len(), vectors.len());
    let (sources, _) = from[first..].as_chunks::<{ size_of::<__m128i>() }>();
    for (to, from) in vectors.iter_mut().zip(sources) {
        // SAFETY: the target is aligned and borrowed alone; the source has 16 bytes. Who
        // reads them elsewhere does so behind the fence of `streaming`.
        unsafe { _mm_stream_si128(to.as_mut_ptr(), _mm_loadu_si128(from.as_ptr().cast())) };
    }
    let behind = first + count * size_of::<__m128i>();
    to[..first].write_copy_of_slice(&from[..first]);
    to[behind..].write_copy_of_slice(&from[behind..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streamed_items_are_appended() {
        let (mut list, items) = (Vec::new(), [7_u16, 8, 9, 10, 11]);
        for _ in 0..100 {
            streaming(|stores| stores.append(&mut list, &items));
        }
        assert_eq!(list, items.repeat(100));
    }

    #[test]
    fn streamed_bytes_arrive_at_any_alignment() {
        #[repr(align(64))]
        struct Aligned([u8; 200]);
        let from: Vec<u8> = (1..=200).collect();
        for start in 0..70 {
            for length in (0..70).chain([128]) {
                let mut to = Aligned([0; 200]).0;
                let (part, source) = (&mut to[start..start + length], &from[start..start + length]);
                streaming(|stores| stores.stream(part, source));
                assert_eq!(to[start..start + length], from[start..start + length]);
                let untouched = to[..start].iter().chain(&to[start + length..]);
                assert!(untouched.copied().all(|byte| byte == 0));
            }
        }
    }
}
