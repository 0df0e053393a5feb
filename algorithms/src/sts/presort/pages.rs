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
    /// Used before, so its pages are resident.
    Faulted,
    /// The system has its pages: each is made again when it is first written to.
    Fresh,
}

/// Returns all pages that hold only these digis to the system. They keep their addresses, and their
/// contents are lost: digis there are zero, or unchanged where the system has not reclaimed the
/// pages yet.
pub(in crate::sts) fn give_pages_back(digis: &mut [Digi]) {
    let bytes = bytemuck::cast_slice_mut::<Digi, u8>(digis);
    let before = bytes.as_ptr().align_offset(PAGE).min(bytes.len());
    let pages = &mut bytes[before..];
    let length = pages.len() / PAGE * PAGE;
    if length == 0 {
        return;
    }
    let start = NonNull::from(&mut *pages).cast::<c_void>();
    // SAFETY: the pages are heap memory within a slice that this function borrows exclusively, and
    // any bytes are valid digis. If the call fails, they are unchanged, so digis stay valid.
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
