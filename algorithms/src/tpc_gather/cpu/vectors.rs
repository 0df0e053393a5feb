//! Copies of few bytes by whole vectors, and by masked ones with AVX-512.

use std::arch::x86_64::{_bzhi_u64, _mm512_maskz_loadu_epi8, _mm512_storeu_si512};

use crate::device::cpu_features::Avx512BwBmi2;

/// Bytes that are copied at once.
pub(super) const VECTOR: usize = 32;
/// Bytes after the target of a [`Copier`] that it may overwrite.
pub(super) const SLACK: usize = 768;

/// Bytes of a cache line.
pub(super) const LINE: usize = 64;
/// Maximum number of lines of a piece that are prefetched: the hardware prefetcher fetches the rest
/// of a long one.
const MAX_FETCHED: usize = 12;

/// Copies pieces to a page.
pub(super) trait Copier: Copy {
    /// Number of lines of a piece that are prefetched.
    fn fetched(piece: &[u8]) -> usize;

    /// Copies bytes that are followed by at least a vector of readable bytes; up to [`SLACK`] bytes
    /// after the end of the target may be overwritten.
    fn copy(self, to: &mut [u8], from: &[u8], length: usize);
}

/// Number of lines of a piece, as far as they are prefetched.
#[inline(always)]
pub(super) fn lines_of(piece: &[u8]) -> usize {
    let in_line = piece.as_ptr().addr() % LINE;
    (in_line + piece.len()).div_ceil(LINE).min(MAX_FETCHED)
}

/// Copies at least `length` bytes, in whole vectors: both slices are long enough for these.
#[inline(always)]
pub(super) fn copy_vectors(to: &mut [u8], from: &[u8], length: usize) {
    let whole = length.next_multiple_of(VECTOR);
    let (to, _) = to[..whole].as_chunks_mut();
    let (from, _) = from[..whole].as_chunks();
    for (to, from) in to.iter_mut().zip(from) {
        copy_vector(to, from);
    }
}

/// Copies a vector in two halves: a loop of single loads and stores would be compiled to a call of
/// memcpy, which is too slow for few bytes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn copy_vector(to: &mut [u8; VECTOR], from: &[u8; VECTOR]) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_storeu_si128};
    let to = to.as_mut_ptr();
    let from = from.as_ptr();
    // SAFETY: both sides have 32 bytes, and these loads and stores need no alignment; all x86-64
    // CPUs have SSE2.
    unsafe {
        let low = _mm_loadu_si128(from.cast::<__m128i>());
        let high = _mm_loadu_si128(from.add(16).cast::<__m128i>());
        _mm_storeu_si128(to.cast::<__m128i>(), low);
        _mm_storeu_si128(to.add(16).cast::<__m128i>(), high);
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn copy_vector(to: &mut [u8; VECTOR], from: &[u8; VECTOR]) {
    *to = *from;
}

/// Bytes of a vector.
const MASKED_VECTOR: usize = 64;

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
        if length > VECTORS * MASKED_VECTOR {
            return copy_vectors(to, from, length);
        }
        let to = &mut to[..VECTORS * MASKED_VECTOR];
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
        let vectors = length.div_ceil(MASKED_VECTOR);
        let to = &mut to[..vectors * MASKED_VECTOR];
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
        let done = i * MASKED_VECTOR;
        let mask = _bzhi_u64(u64::MAX, length.saturating_sub(done).min(MASKED_VECTOR) as u32);
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
    fn at_least_length_bytes_are_copied() {
        let from: Vec<u8> = (0..200).collect();
        for length in 0..100 {
            for start in 0..40 {
                let mut to = [255; 140];
                copy_vectors(&mut to, &from[start..], length);
                assert_eq!(to[..length], from[start..start + length]);
                assert_eq!(to[length.next_multiple_of(VECTOR)..][..1], [255]);
            }
        }
    }

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
            if length <= 3 * MASKED_VECTOR {
                masked.copy(&mut to, &exact, length);
            } else {
                // Longer pieces are copied by whole vectors, so a vector is needed after the end.
                masked.copy(&mut to, &[&exact[..], &[0; 32]].concat(), length);
            }
            assert_eq!(to[..length], from[..length]);
        }
    }
}
