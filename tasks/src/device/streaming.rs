//! Non-temporal stores, which bypass the caches: data that is not read soon need not be fetched
//! before it is written, and evicts nothing.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use bytemuck::Pod;

#[cfg(target_arch = "x86_64")]
use super::cpu_features::Avx512;
#[cfg(target_arch = "x86_64")]
use super::vectors::load_512;

#[cfg(target_arch = "x86_64")]
const LINE_BYTES: usize = 64;

/// Permission for non-temporal stores. Other threads may see them in any order until the storing
/// thread has executed a fence, as [`streaming`] does. So it stays on that thread, and is neither
/// `Send` nor `Sync`.
pub struct Stores(PhantomData<*const ()>);

/// Runs work that may store past the caches, then executes a fence: a thread that synchronises with
/// this one afterwards sees the stored data.
#[inline(always)]
pub fn streaming(work: impl FnOnce(&Stores)) {
    /// Executed even if the work panics.
    struct Fence;
    impl Drop for Fence {
        fn drop(&mut self) {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: all x86-64 CPUs have SSE.
            unsafe {
                std::arch::x86_64::_mm_sfence();
            }
        }
    }
    let _fence = Fence;
    work(&Stores(PhantomData));
}

impl Stores {
    /// Copies bytes past the caches, if the CPU can.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn stream(&self, to: &mut [u8], from: &[u8]) {
        let length = to.len();
        let to = to.as_mut_ptr().cast();
        // SAFETY: these are the bytes of `to`, and `write` leaves none of them uninitialised.
        self.write(unsafe { std::slice::from_raw_parts_mut(to, length) }, from);
    }

    /// Appends items to a list, past the caches if the CPU can.
    pub fn append<T: Pod>(&self, list: &mut Vec<T>, items: &[T]) {
        list.reserve(items.len());
        let to = list.spare_capacity_mut().as_mut_ptr().cast();
        // SAFETY: the spare capacity holds the items, and may be uninitialised.
        let to = unsafe { std::slice::from_raw_parts_mut(to, size_of_val(items)) };
        self.write(to, bytemuck::cast_slice(items));
        // SAFETY: `write` has initialised the bytes of the new items.
        unsafe { list.set_len(list.len() + items.len()) };
    }

    #[cfg(target_arch = "x86_64")]
    fn write(&self, to: &mut [MaybeUninit<u8>], from: &[u8]) {
        assert_eq!(to.len(), from.len());
        let (lines, _) = from.as_chunks();
        let is_whole =
            lines.len() * LINE_BYTES == from.len() && to.as_ptr().align_offset(LINE_BYTES) == 0;
        if is_whole && Avx512::detect().is_some() {
            // SAFETY: the CPU has AVX-512, and the target starts at a cache line.
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

/// Stores full cache lines, each by one instruction.
///
/// # Safety
/// The target starts at a multiple of [`LINE_BYTES`].
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn stream_lines(to: &mut [[MaybeUninit<u8>; LINE_BYTES]], from: &[[u8; LINE_BYTES]]) {
    use std::arch::x86_64::_mm512_stream_si512;
    for (to, from) in to.iter_mut().zip(from) {
        // SAFETY: a line has the size of the vector, and the caller promises its alignment.
        unsafe { _mm512_stream_si512(to.as_mut_ptr().cast(), load_512(from)) };
    }
}

#[cfg(target_arch = "x86_64")]
fn stream_vectors(to: &mut [MaybeUninit<u8>], from: &[u8]) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    // SAFETY: any 16 bytes make a vector, which may be uninitialised.
    let (head, vectors, _) = unsafe { to.align_to_mut::<MaybeUninit<__m128i>>() };
    let first = head.len();
    let count = vectors.len();
    let (sources, _) = from[first..].as_chunks::<{ size_of::<__m128i>() }>();
    for (to, from) in vectors.iter_mut().zip(sources) {
        // SAFETY: the target has the size and the alignment of the vector, the source its size;
        // all x86-64 CPUs have SSE2.
        unsafe { _mm_stream_si128(to.as_mut_ptr(), _mm_loadu_si128(from.as_ptr().cast())) };
    }
    let rest = first + count * size_of::<__m128i>();
    to[..first].write_copy_of_slice(&from[..first]);
    to[rest..].write_copy_of_slice(&from[rest..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ambiguous, so that this does not compile, if `Stores` is `Send` or `Sync`.
    #[test]
    fn stores_stay_on_their_thread() {
        trait Unless<T> {
            fn holds() {}
        }
        struct IfSend;
        struct IfSync;
        impl<T> Unless<()> for T {}
        impl<T: Send> Unless<IfSend> for T {}
        impl<T: Sync> Unless<IfSync> for T {}
        <Stores as Unless<_>>::holds();
    }

    #[test]
    fn streamed_items_are_appended() {
        let mut list = Vec::new();
        let items = [7_u16, 8, 9, 10, 11];
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
                let part = &mut to[start..start + length];
                let source = &from[start..start + length];
                streaming(|stores| stores.stream(part, source));
                assert_eq!(to[start..start + length], from[start..start + length]);
                let untouched = to[..start].iter().chain(&to[start + length..]);
                assert!(untouched.copied().all(|byte| byte == 0));
            }
        }
    }
}
