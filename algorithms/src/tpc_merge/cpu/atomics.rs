//! Words that several threads change.

use std::sync::atomic::AtomicU32;

/// Plain words as atomic ones, for as long as they are borrowed.
pub(super) fn atomic(words: &mut [u32]) -> &[AtomicU32] {
    let (first, length) = (words.as_mut_ptr(), words.len());
    // SAFETY: both have the same size and alignment, and the words are borrowed by
    // nobody else for as long as the result lives.
    unsafe { std::slice::from_raw_parts(first.cast(), length) }
}
