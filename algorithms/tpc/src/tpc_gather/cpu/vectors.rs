//! Copies of few bytes by whole vectors.

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
}
