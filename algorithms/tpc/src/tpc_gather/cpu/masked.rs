//! Copies of few bytes by masked vectors: AVX-512.

use std::arch::x86_64::{_bzhi_u64, _mm512_maskz_loadu_epi8, _mm512_storeu_si512};

use super::vectors::{Copier, copy_vectors, lines_of};
use tasks::device::cpu_features::Avx512BwBmi2;

/// Bytes of a vector.
const VECTOR: usize = 64;

/// Copies the number of vectors that a piece has: for pieces whose lengths differ so much that
/// masked vectors would cost more than a branch misprediction.
#[derive(Clone, Copy)]
pub(super) struct MaskedByLength(pub(super) Avx512BwBmi2);

/// Copies `VECTORS` vectors, and more only for longer pieces.
#[derive(Clone, Copy)]
pub(super) struct Masked<const VECTORS: usize>(pub(super) Avx512BwBmi2);

impl<const VECTORS: usize> Copier for Masked<VECTORS> {
    /// A constant for all pieces, without a branch that could be mispredicted.
    #[inline(always)]
    fn fetched(_: &[u8]) -> usize {
        VECTORS.div_ceil(2) + 1
    }

    #[inline(always)]
    fn copy(self, to: &mut [u8], from: &[u8], length: usize) {
        if length > VECTORS * VECTOR {
            return copy_vectors(to, from, length);
        }
        let to = &mut to[..VECTORS * VECTOR];
        let from = &from[..length];
        // SAFETY: the target has `VECTORS` vectors, the source `length` bytes, and the witness
        // proves that the CPU has AVX-512 BW and BMI2.
        unsafe { copy_masked(to.as_mut_ptr(), from.as_ptr(), length, VECTORS) }
    }
}

impl Copier for MaskedByLength {
    #[inline(always)]
    fn fetched(piece: &[u8]) -> usize {
        lines_of(piece)
    }

    #[inline(always)]
    fn copy(self, to: &mut [u8], from: &[u8], length: usize) {
        let vectors = length.div_ceil(VECTOR);
        let to = &mut to[..vectors * VECTOR];
        let from = &from[..length];
        // SAFETY: the target has `vectors` vectors, the source `length` bytes, and the witness
        // proves that the CPU has AVX-512 BW and BMI2.
        unsafe { copy_masked(to.as_mut_ptr(), from.as_ptr(), length, vectors) }
    }
}

/// Copies `length` bytes; the rest of the target's vectors becomes zeros.
///
/// # Safety
/// The target has `vectors` vectors, and the source `length` bytes.
#[target_feature(enable = "avx512f,avx512bw,bmi2")]
#[inline]
unsafe fn copy_masked(to: *mut u8, from: *const u8, length: usize, vectors: usize) {
    for i in 0..vectors {
        let done = i * VECTOR;
        let mask = _bzhi_u64(u64::MAX, length.saturating_sub(done).min(VECTOR) as u32);
        // SAFETY: the target has this vector; of the source, the mask selects only bytes below
        // `length`, whatever the address of the vector is.
        unsafe {
            let vector = _mm512_maskz_loadu_epi8(mask, from.wrapping_add(done).cast());
            _mm512_storeu_si512(to.add(done).cast(), vector);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_length_is_copied_without_reading_past_the_end() {
        let Some(avx512) = Avx512BwBmi2::detect() else {
            eprintln!("skipped: no AVX-512");
            return;
        };
        let masked = Masked::<3>(avx512);
        let by_length = MaskedByLength(avx512);
        let from: Vec<u8> = (1..=250).collect();
        for length in 0..=from.len() {
            let mut to = [255; 768];
            let exact: Box<[u8]> = from[..length].into();
            by_length.copy(&mut to, &exact, length);
            assert_eq!(to[..length], from[..length]);
            to.fill(255);
            if length <= 3 * VECTOR {
                masked.copy(&mut to, &exact, length);
            } else {
                // Longer pieces are copied by whole vectors, so a vector is needed after the end.
                masked.copy(&mut to, &[&exact[..], &[0; 32]].concat(), length);
            }
            assert_eq!(to[..length], from[..length]);
        }
    }
}
