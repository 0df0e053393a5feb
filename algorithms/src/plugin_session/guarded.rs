//! Host memory that shows who writes beyond it.
//!
//! Behind the last page lies one that nobody may touch, and before the first one
//! too. What is left of the first and the last page has a pattern that is looked at
//! after a run. Large buffers are on huge pages where the system gives them, and begin
//! at a random place in them, as all large blocks of `bench` do.

use std::ffi::c_void;
use std::num::NonZeroUsize;
use std::ptr::NonNull;

use generators::random::hash;
use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap_anonymous, mprotect, munmap};

/// Bytes that a buffer's start is aligned to.
pub(super) const ALIGNMENT: usize = 64;

const PAGE: usize = 4 << 10;
const HUGE_PAGE: usize = 2 << 20;
/// Smaller ones gain nothing from huge pages.
const LARGE: usize = 1 << 20;
/// What no plugin is likely to write.
const PATTERN: u8 = 0xc9;

/// So many bytes between guards.
pub(super) struct Guarded {
    /// All that was mapped.
    mapping: NonNull<c_void>,
    mapped: usize,
    /// The pages that can be written, from the mapping's start.
    pages: std::ops::Range<usize>,
    start: usize,
    bytes: usize,
}

// SAFETY: a buffer owns its pages.
unsafe impl Send for Guarded {}
// SAFETY: as above.
unsafe impl Sync for Guarded {}

/// Bytes near a buffer that were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overrun {
    Before,
    Behind,
}

impl Guarded {
    /// Zeroed bytes.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn new(bytes: usize) -> Result<Self, String> {
        let pages = bytes.next_multiple_of(ALIGNMENT).next_multiple_of(PAGE).max(PAGE);
        let (slack, offset) =
            if pages >= LARGE { (2 * HUGE_PAGE, PAGE * random_page()) } else { (0, 0) };
        let mapped = slack + pages + 2 * PAGE;
        let mapping = map(mapped)?;
        // The pages begin where the guard before them ends.
        let huge = match slack {
            0 => 0,
            _ => mapping.as_ptr().align_offset(HUGE_PAGE),
        };
        let first = huge + offset + PAGE;
        let range = first..first + pages;
        let mut buffer = Guarded {
            start: range.end - bytes.next_multiple_of(ALIGNMENT),
            pages: range,
            mapping,
            mapped,
            bytes,
        };
        buffer.protect()?;
        buffer.renew();
        Ok(buffer)
    }

    /// Where it begins.
    pub(super) fn as_ptr(&self) -> *mut u8 {
        // SAFETY: the start lies in the mapping.
        unsafe { self.at(self.start) }
    }

    /// All bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: so many bytes are mapped.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.bytes) }
    }

    /// All bytes.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and nobody else has the buffer.
        unsafe { std::slice::from_raw_parts_mut(self.as_ptr(), self.bytes) }
    }

    /// Whether something beside the buffer was written since it was made, or since
    /// [`Guarded::renew`].
    pub(super) fn overrun(&self) -> Option<Overrun> {
        let spoilt = |range: std::ops::Range<usize>| {
            // SAFETY: the range lies in the pages that can be read.
            let bytes = unsafe { std::slice::from_raw_parts(self.at(range.start), range.len()) };
            bytes.iter().any(|&byte| byte != PATTERN)
        };
        if spoilt(self.behind()) {
            return Some(Overrun::Behind);
        }
        spoilt(self.before()).then_some(Overrun::Before)
    }

    /// Writes the pattern on both sides.
    pub(super) fn renew(&mut self) {
        for range in [self.before(), self.behind()] {
            // SAFETY: the range lies in the pages that can be written.
            unsafe { self.at(range.start).write_bytes(PATTERN, range.len()) };
        }
    }

    /// Unused bytes in the first page, at most a page.
    fn before(&self) -> std::ops::Range<usize> {
        self.pages.start..self.start
    }

    fn behind(&self) -> std::ops::Range<usize> {
        self.start + self.bytes..self.pages.end
    }

    /// # Safety
    /// The offset lies in the mapping.
    unsafe fn at(&self, offset: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { self.mapping.as_ptr().cast::<u8>().add(offset) }
    }

    /// Lets the pages be written, and nothing else.
    fn protect(&self) -> Result<(), String> {
        // SAFETY: the pages are part of the mapping, which nobody else knows yet.
        unsafe {
            let pages = NonNull::new_unchecked(self.at(self.pages.start).cast());
            let flags = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
            mprotect(pages, self.pages.len(), flags).map_err(no_memory)?;
            if self.pages.len() >= LARGE {
                // A refusal means small pages, which are as right.
                let _ = madvise(pages, self.pages.len(), MmapAdvise::MADV_HUGEPAGE);
            }
        }
        Ok(())
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping is this buffer's own. A failure would leak it.
        let _ = unsafe { munmap(self.mapping, self.mapped) };
    }
}

/// Addresses that nobody may touch.
fn map(bytes: usize) -> Result<NonNull<c_void>, String> {
    let bytes = NonZeroUsize::new(bytes).ok_or("no bytes")?;
    let flags = MapFlags::MAP_PRIVATE | MapFlags::MAP_NORESERVE;
    // SAFETY: a new mapping, where the system likes.
    unsafe { mmap_anonymous(None, bytes, ProtFlags::PROT_NONE, flags) }.map_err(no_memory)
}

fn no_memory(error: nix::Error) -> String {
    format!("no memory for its buffers: {error}; use less data")
}

/// A page of a huge one, another each time.
fn random_page() -> usize {
    use std::hash::{BuildHasher, RandomState};
    let pages = (HUGE_PAGE / PAGE - 1) as u64;
    (hash(RandomState::new().hash_one(0), [0]) % pages) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_of_all_sizes_are_whole_and_aligned() {
        for bytes in [0, 8, 56, 64, 72, 4096, 4104, 1 << 20, (5 << 20) + 8] {
            let mut buffer = Guarded::new(bytes).expect("memory");
            assert_eq!(buffer.as_ptr().align_offset(ALIGNMENT), 0, "{bytes}");
            buffer.bytes_mut().fill(7);
            assert_eq!(buffer.overrun(), None, "{bytes}");
            assert_eq!(buffer.bytes(), vec![7; bytes]);
        }
    }

    #[test]
    fn a_byte_beyond_either_end_is_noticed() {
        let buffer = Guarded::new(72).expect("memory");
        // SAFETY: within the page, which the buffer does not fill.
        unsafe { buffer.as_ptr().add(72).write(0) };
        assert_eq!(buffer.overrun(), Some(Overrun::Behind));
        let mut buffer = Guarded::new(72).expect("memory");
        // SAFETY: as above.
        unsafe { buffer.as_ptr().sub(1).write(0) };
        assert_eq!(buffer.overrun(), Some(Overrun::Before));
        buffer.renew();
        assert_eq!(buffer.overrun(), None);
    }

    #[test]
    fn the_next_line_is_a_guard_page() {
        for bytes in [64, 4096, 3 << 20] {
            let buffer = Guarded::new(bytes).expect("memory");
            assert_eq!(buffer.behind().len(), 0);
            assert!(buffer.pages.end + PAGE <= buffer.mapped);
            assert!(buffer.pages.start >= PAGE);
        }
    }
}
