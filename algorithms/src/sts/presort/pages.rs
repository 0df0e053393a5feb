//! Memory with and without its pages.

use std::ffi::c_void;
use std::ptr::NonNull;

use generators::sts::Digi;
use nix::sys::mman::{MmapAdvise, madvise};

/// Pages of this size or larger ones.
const PAGE: usize = 4 << 10;

/// The memory that digis are distributed into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) enum Pages {
    /// It was used before, so its pages are there.
    Faulted,
    /// The system has its pages: each is made again when it is first written to.
    Fresh,
}

/// Gives all pages that have nothing but these digis back to the system. They keep their
/// addresses; what they were is lost: digis there are zero, or as before where the system has
/// not taken the pages yet.
pub(in crate::sts) fn give_pages_back(digis: &mut [Digi]) {
    let bytes = bytemuck::cast_slice_mut::<Digi, u8>(digis);
    let before = bytes.as_ptr().align_offset(PAGE).min(bytes.len());
    let pages = &mut bytes[before..];
    let length = pages.len() / PAGE * PAGE;
    if length == 0 {
        return;
    }
    let start = NonNull::from(&mut *pages).cast::<c_void>();
    // SAFETY: the pages are memory of the heap, which nobody else has, and any bytes make digis.
    // A refusal leaves them as they are, so that digis are as right.
    let _ = unsafe { madvise(start, length, MmapAdvise::MADV_DONTNEED) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn only_whole_pages_go() {
        const DIGIS: usize = PAGE / size_of::<Digi>();
        let digi = Digi::from_bits(u64::MAX);
        let nothing = 0..0;
        let parts = [
            (0..DIGIS, 0..DIGIS),
            (0..DIGIS - 1, nothing.clone()),
            (1..DIGIS, nothing.clone()),
            (1..2 * DIGIS, DIGIS..2 * DIGIS),
            (3..3 * DIGIS + 7, DIGIS..3 * DIGIS),
            (5..5, nothing),
        ];
        for (part, gone) in parts {
            let mut digis = vec![digi; 5 * DIGIS];
            let first = digis.as_ptr().align_offset(PAGE);
            let pages = &mut digis[first..][..4 * DIGIS];
            give_pages_back(&mut pages[part.clone()]);
            let kept = |at: usize| pages[at] == digi;
            assert!((0..pages.len()).all(|at| kept(at) != gone.contains(&at)), "{part:?}");
        }
    }
}
