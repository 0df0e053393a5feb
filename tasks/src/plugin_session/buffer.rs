//! A buffer of a plugin, on the host or on a GPU, that detects writes out of bounds.

use std::borrow::Cow;
use std::ffi::c_void;
use std::num::NonZeroUsize;
use std::ptr::{NonNull, with_exposed_provenance_mut};
use std::sync::Arc;

use generators_common::random::hash;
use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap_anonymous, mprotect, munmap};
use parallel::for_each;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, POISON};

use crate::device::Arena;

/// Guard bytes after each buffer on a GPU, which no code may write.
pub(super) const GUARD: usize = 256;

/// Bytes per piece when all threads of the team write.
const PIECE: usize = 1 << 19;

pub(super) struct Buffer {
    /// Name in messages about writes out of bounds.
    name: Cow<'static, str>,
    memory: Memory,
}

enum Memory {
    Host(Guarded),
    /// With a guard after it.
    Gpu(DeviceBuffer<u8>, Arc<Gpu>),
}

impl Buffer {
    /// Allocates `bytes` bytes with arbitrary values on the host.
    pub(super) fn on_host(
        arena: &Arena,
        name: Cow<'static, str>,
        bytes: usize,
    ) -> Result<Self, String> {
        let fits = |buffer: &Guarded| buffer.bytes().len() == bytes;
        let memory = arena.take_other(fits, || touched(Guarded::new(bytes)?))?;
        let memory = Memory::Host(memory);
        Ok(Buffer { name, memory })
    }

    /// Allocates `bytes` bytes with arbitrary values on a GPU.
    pub(super) fn on_gpu(
        gpu: &Arc<Gpu>,
        name: Cow<'static, str>,
        bytes: usize,
    ) -> Result<Self, DeviceError> {
        let memory = Memory::Gpu(gpu.buffer(bytes + GUARD)?, Arc::clone(gpu));
        Ok(Buffer { name, memory })
    }

    /// Releases it, for the next buffer of that length.
    pub(super) fn release(self, arena: &Arena) {
        if let Memory::Host(buffer) = self.memory {
            arena.give_other(buffer);
        }
    }

    /// Address for plugins.
    pub(super) fn as_ptr(&self) -> *mut c_void {
        match &self.memory {
            Memory::Host(buffer) => buffer.as_ptr().cast(),
            Memory::Gpu(buffer, _) => with_exposed_provenance_mut(buffer.address() as usize),
        }
    }

    /// Contents on the host; `None` on a GPU.
    pub(super) fn bytes(&self) -> Option<&[u8]> {
        match &self.memory {
            Memory::Host(buffer) => Some(buffer.bytes()),
            Memory::Gpu(..) => None,
        }
    }

    /// Buffer with the guard, for copies to and from a GPU.
    pub(super) fn device(&self) -> Option<&DeviceBuffer<u8>> {
        match &self.memory {
            Memory::Host(_) => None,
            Memory::Gpu(buffer, _) => Some(buffer),
        }
    }

    /// Fills it, and renews the guards.
    pub(super) fn load(&mut self, content: &[u8]) -> Result<(), DeviceError> {
        match &mut self.memory {
            Memory::Host(buffer) => {
                buffer.renew();
                copy(buffer.bytes_mut(), content);
                Ok(())
            }
            Memory::Gpu(buffer, gpu) => {
                gpu.fill(buffer, POISON)?;
                gpu.upload(buffer, content)?;
                gpu.finish()
            }
        }
    }

    /// Overwrites the buffer and its guards. On a GPU this is started and not waited for.
    pub(super) fn poison(&mut self) -> Result<(), DeviceError> {
        match &mut self.memory {
            Memory::Host(buffer) => {
                buffer.renew();
                buffer.bytes_mut().fill(POISON);
                Ok(())
            }
            Memory::Gpu(buffer, gpu) => gpu.fill(buffer, POISON),
        }
    }

    /// Describes writes out of bounds since the guards were renewed.
    pub(super) fn overrun(&self) -> Result<Option<String>, DeviceError> {
        let found = match &self.memory {
            Memory::Host(buffer) => buffer.overrun(),
            Memory::Gpu(buffer, gpu) => {
                let mut guard = [0; GUARD];
                gpu.download_part(&mut guard[..], buffer, buffer.len() - GUARD)?;
                gpu.finish()?;
                (guard != [POISON; GUARD]).then_some(Overrun::Behind)
            }
        };
        Ok(found.map(|found| {
            let location = match found {
                Overrun::Before => "before the beginning",
                Overrun::Behind => "beyond the end",
            };
            format!("it wrote {location} of {}", self.name)
        }))
    }

    /// Returns the first byte that differs from `content`.
    pub(super) fn first_change(&self, content: &[u8]) -> Result<Option<usize>, DeviceError> {
        match &self.memory {
            Memory::Host(buffer) => Ok(first_difference(content, buffer.bytes())),
            Memory::Gpu(buffer, gpu) => {
                let mut after = vec![0; content.len()];
                gpu.download(&mut after, buffer)?;
                gpu.finish()?;
                Ok(first_difference(content, &after))
            }
        }
    }
}

/// Initialises a buffer with all threads of the team, so that pages lie near them all.
fn touched(mut buffer: Guarded) -> Result<Guarded, String> {
    for_each(buffer.bytes_mut().chunks_mut(PIECE), |piece| piece.fill(0));
    Ok(buffer)
}

/// Copies bytes with all threads of the team.
pub(super) fn copy(to: &mut [u8], from: &[u8]) {
    let pieces = to.chunks_mut(PIECE).zip(from.chunks(PIECE));
    for_each(pieces, |(to, from)| to.copy_from_slice(from));
}

/// Compares as a whole first, because that is much faster than byte by byte for gigabytes.
fn first_difference(before: &[u8], after: &[u8]) -> Option<usize> {
    if before == after {
        return None;
    }
    let mut pairs = before.iter().zip(after);
    pairs.position(|(before, after)| before != after)
}

// On the host there is an inaccessible page after the last page, and one before the first one. The
// rest of the first and of the last page has a pattern that is checked after a run. Large buffers
// are on huge pages if the system provides them, and start at a random offset in them, as all large
// blocks of the program do.

/// Alignment of a buffer's start in bytes.
pub(super) const ALIGNMENT: usize = 64;

const PAGE: usize = 4 << 10;
const HUGE_PAGE: usize = 2 << 20;
/// Minimum size for huge pages.
const LARGE: usize = 1 << 20;
/// Pattern that plugins are unlikely to write.
const PATTERN: u8 = 0xc9;

/// Bytes between guards.
pub(super) struct Guarded {
    /// Start of the mapping.
    mapping: NonNull<c_void>,
    mapped: usize,
    /// Writable pages, as offsets from the mapping's start.
    pages: std::ops::Range<usize>,
    start: usize,
    bytes: usize,
}

// SAFETY: a buffer owns its pages.
unsafe impl Send for Guarded {}
// SAFETY: a buffer owns its pages.
unsafe impl Sync for Guarded {}

/// Bytes out of bounds that were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overrun {
    Before,
    Behind,
}

impl Guarded {
    /// Allocates zeroed bytes.
    pub(super) fn new(bytes: usize) -> Result<Self, String> {
        let pages = bytes.next_multiple_of(ALIGNMENT).next_multiple_of(PAGE).max(PAGE);
        let (slack, offset) =
            if pages >= LARGE { (2 * HUGE_PAGE, PAGE * random_page()) } else { (0, 0) };
        let mapped = slack + pages + 2 * PAGE;
        let mapping = map(mapped)?;
        // The pages start where the guard before them ends.
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

    /// Address of the first byte.
    pub(super) fn as_ptr(&self) -> *mut u8 {
        // SAFETY: the start lies in the mapping.
        unsafe { self.at(self.start) }
    }

    /// All bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: that many bytes are mapped.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.bytes) }
    }

    /// All bytes.
    pub(super) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: that many bytes are mapped, and the buffer is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.as_ptr(), self.bytes) }
    }

    /// Returns bytes out of bounds that were written since the allocation, or since
    /// [`Guarded::renew`].
    pub(super) fn overrun(&self) -> Option<Overrun> {
        let spoilt = |range: std::ops::Range<usize>| {
            // SAFETY: the range lies in the pages that can be read.
            let bytes = unsafe { std::slice::from_raw_parts(self.at(range.start), range.len()) };
            bytes.iter().any(|&byte| byte != PATTERN)
        };
        if spoilt(self.after()) {
            return Some(Overrun::Behind);
        }
        spoilt(self.before()).then_some(Overrun::Before)
    }

    /// Writes the pattern on both sides.
    pub(super) fn renew(&mut self) {
        for range in [self.before(), self.after()] {
            // SAFETY: the range lies in the pages that can be written.
            unsafe { self.at(range.start).write_bytes(PATTERN, range.len()) };
        }
    }

    /// Unused bytes in the first page, at most a page.
    fn before(&self) -> std::ops::Range<usize> {
        self.pages.start..self.start
    }

    fn after(&self) -> std::ops::Range<usize> {
        self.start + self.bytes..self.pages.end
    }

    /// # Safety
    /// The offset lies in the mapping.
    unsafe fn at(&self, offset: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { self.mapping.as_ptr().cast::<u8>().add(offset) }
    }

    /// Makes the pages writable, and nothing else.
    fn protect(&self) -> Result<(), String> {
        // SAFETY: the pages are part of the mapping, which no other code knows yet.
        unsafe {
            let pages = NonNull::new_unchecked(self.at(self.pages.start).cast());
            let flags = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
            mprotect(pages, self.pages.len(), flags).map_err(no_memory)?;
            if self.pages.len() >= LARGE {
                // A refusal means small pages, which are correct too.
                let _ = madvise(pages, self.pages.len(), MmapAdvise::MADV_HUGEPAGE);
            }
        }
        Ok(())
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the buffer owns the mapping. A failure would leak it.
        let _ = unsafe { munmap(self.mapping, self.mapped) };
    }
}

/// Maps inaccessible addresses.
fn map(bytes: usize) -> Result<NonNull<c_void>, String> {
    let bytes = NonZeroUsize::new(bytes).ok_or("no bytes")?;
    let flags = MapFlags::MAP_PRIVATE | MapFlags::MAP_NORESERVE;
    // SAFETY: a new mapping, at an address of the system's choice.
    unsafe { mmap_anonymous(None, bytes, ProtFlags::PROT_NONE, flags) }.map_err(no_memory)
}

fn no_memory(error: nix::Error) -> String {
    format!("no memory for its buffers: {error}; use less data")
}

/// A random page of a huge page.
fn random_page() -> usize {
    use std::hash::{BuildHasher, RandomState};
    let pages = (HUGE_PAGE / PAGE - 1) as u64;
    (hash(RandomState::new().hash_one(0), [0]) % pages) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_of_all_sizes_are_complete_and_aligned() {
        for bytes in [0, 8, 56, 64, 72, 4096, 4104, 1 << 20, (5 << 20) + 8] {
            let mut buffer = Guarded::new(bytes).expect("memory");
            assert_eq!(buffer.as_ptr().align_offset(ALIGNMENT), 0, "{bytes}");
            buffer.bytes_mut().fill(7);
            assert_eq!(buffer.overrun(), None, "{bytes}");
            assert_eq!(buffer.bytes(), vec![7; bytes]);
        }
    }

    #[test]
    fn a_write_past_either_end_is_detected() {
        let buffer = Guarded::new(72).expect("memory");
        // SAFETY: within the page, which the buffer does not fill.
        unsafe { buffer.as_ptr().add(72).write(0) };
        assert_eq!(buffer.overrun(), Some(Overrun::Behind));
        let mut buffer = Guarded::new(72).expect("memory");
        // SAFETY: within the page, before the start of the buffer.
        unsafe { buffer.as_ptr().sub(1).write(0) };
        assert_eq!(buffer.overrun(), Some(Overrun::Before));
        buffer.renew();
        assert_eq!(buffer.overrun(), None);
    }

    #[test]
    fn the_next_line_is_a_guard_page() {
        for bytes in [64, 4096, 3 << 20] {
            let buffer = Guarded::new(bytes).expect("memory");
            assert_eq!(buffer.after().len(), 0);
            assert!(buffer.pages.end + PAGE <= buffer.mapped);
            assert!(buffer.pages.start >= PAGE);
        }
    }
}
