//! Loads and stores of SIMD vectors from and to arrays of their size, at any alignment.

use std::arch::x86_64::*;

use bytemuck::Pod;

macro_rules! loads_and_stores {
    ($($feature:tt, $vector:ty: $load:ident by $load_bytes:ident, $store:ident by $store_bytes:ident;)+) => {$(
        /// Loads a vector.
        ///
        /// # Safety
        /// The CPU must have the instructions.
        #[target_feature(enable = $feature)]
        #[inline]
        pub fn $load<T: Pod, const N: usize>(from: &[T; N]) -> $vector {
            const { assert!(size_of::<[T; N]>() == size_of::<$vector>()) };
            // SAFETY: the array has the size of the vector.
            unsafe { $load_bytes(from.as_ptr().cast()) }
        }

        /// Stores a vector.
        ///
        /// # Safety
        /// The CPU must have the instructions.
        #[target_feature(enable = $feature)]
        #[inline]
        pub fn $store<T: Pod, const N: usize>(to: &mut [T; N], vector: $vector) {
            const { assert!(size_of::<[T; N]>() == size_of::<$vector>()) };
            // SAFETY: the array has the size of the vector, and all bits are values of `T`.
            unsafe { $store_bytes(to.as_mut_ptr().cast(), vector) };
        }
    )+};
}

loads_and_stores! {
    "sse2", __m128i: load_128 by _mm_loadu_si128, store_128 by _mm_storeu_si128;
    "avx", __m256i: load_256 by _mm256_loadu_si256, store_256 by _mm256_storeu_si256;
    "avx512f", __m512i: load_512 by _mm512_loadu_si512, store_512 by _mm512_storeu_si512;
}
