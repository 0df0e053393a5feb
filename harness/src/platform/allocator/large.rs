//! Large blocks, at random places in huge pages.
//!
//! Where a buffer begins within its pages decides which lines of a cache it
//! shares with another buffer. The system's allocator gives freed memory out
//! again: the places are a matter of luck, and the same all through a run, so
//! that two runs of the same code differ by several per cent. Here every block
//! begins at a random page of its first huge page: luck differs from visit to
//! visit, and the scatter of the visits shows it (Curtsinger and Berger 2013
//! randomise the layout for the same reason).
//!
//! A block lies in a region of the system's allocator, which is aligned to a
//! huge page; the region's address stands just before the block.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::hash::{BuildHasher, RandomState};
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use generators::random::hash;
use nix::sys::mman::{MmapAdvise, madvise};

const HUGE_PAGE: usize = 2 << 20;
const PAGE: usize = 4 << 10;
/// Smaller blocks gain too little for a system call each.
pub(super) const LARGE: usize = 1 << 20;

/// Whether a layout is one for this module.
pub(super) fn is_large(layout: Layout) -> bool {
    layout.size() >= LARGE && layout.align() <= PAGE
}

/// # Safety
/// As [`GlobalAlloc::alloc`], for a large layout.
pub(super) unsafe fn alloc(layout: Layout) -> *mut u8 {
    let Some(region) = region(layout) else {
        return std::ptr::null_mut();
    };
    // SAFETY: the region's size is not zero.
    unsafe { place(System.alloc(region), region) }
}

/// Zeroed here: the system's allocator would write to all pages of so aligned a region before
/// huge ones can be asked for.
///
/// # Safety
/// As [`GlobalAlloc::alloc_zeroed`], for a large layout.
pub(super) unsafe fn alloc_zeroed(layout: Layout) -> *mut u8 {
    // SAFETY: as the caller promises; the block has so many bytes.
    unsafe {
        let block = alloc(layout);
        if !block.is_null() {
            block.write_bytes(0, layout.size());
        }
        block
    }
}

/// # Safety
/// As [`GlobalAlloc::dealloc`], for a block of this module.
pub(super) unsafe fn dealloc(block: *mut u8, layout: Layout) {
    if let Some(region) = region(layout) {
        // SAFETY: `place` wrote the region's address there; see below why it
        // is aligned.
        unsafe { System.dealloc(block.cast::<*mut u8>().sub(1).read(), region) };
    }
}

/// The block in a region: after one page or more, in the first huge page.
///
/// # Safety
/// `start` is null or a region of this layout.
unsafe fn place(start: *mut u8, region: Layout) -> *mut u8 {
    if start.is_null() {
        return start;
    }
    advise(start, region.size());
    let pages = (HUGE_PAGE / PAGE - 1) as u64;
    let offset = PAGE * (1 + (random() % pages) as usize);
    // SAFETY: the region is a huge page longer than the block, and the offset
    // is less than that; a page's start is aligned for an address before it.
    unsafe {
        let block = start.add(offset);
        block.cast::<*mut u8>().sub(1).write(start);
        block
    }
}

/// The layout of the region for a block; `None` if there can't be one.
fn region(layout: Layout) -> Option<Layout> {
    let size = layout.size().checked_add(HUGE_PAGE)?;
    Layout::from_size_align(size.checked_next_multiple_of(HUGE_PAGE)?, HUGE_PAGE).ok()
}

/// Asks for huge pages for a region.
fn advise(start: *mut u8, size: usize) {
    if let Some(start) = NonNull::new(start.cast::<c_void>()) {
        // SAFETY: the range was just allocated, and the advice changes nothing
        // but the size of its pages. A refusal means small pages, which are as
        // right.
        let _ = unsafe { madvise(start, size, MmapAdvise::MADV_HUGEPAGE) };
    }
}

/// Another number each time, and in each process.
fn random() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let seed = SEED.get_or_init(|| RandomState::new().hash_one(0));
    hash(*seed, [COUNT.fetch_add(1, Relaxed)])
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn layout(size: usize, align: usize) -> Layout {
        Layout::from_size_align(size, align).expect("a layout")
    }

    #[test]
    fn blocks_are_whole_and_begin_at_different_pages() {
        let layout = layout(5 << 20, 64);
        assert!(is_large(layout));
        let mut offsets = HashSet::new();
        for _ in 0..50 {
            // SAFETY: the block is written and read within its size, and freed
            // with its layout.
            unsafe {
                let block = alloc(layout);
                assert!(!block.is_null() && block.align_offset(PAGE) == 0);
                block.write_bytes(7, layout.size());
                assert_eq!(block.add(layout.size() - 1).read(), 7);
                offsets.insert(block.addr() % HUGE_PAGE);
                dealloc(block, layout);
            }
        }
        assert!(offsets.len() > 25, "{}", offsets.len());
    }

    #[test]
    fn zeroed_blocks_are_zero_wherever_they_begin() {
        let layout = layout(LARGE, 8);
        for _ in 0..20 {
            // SAFETY: as above.
            unsafe {
                let block = alloc_zeroed(layout);
                let bytes = std::slice::from_raw_parts_mut(block, layout.size());
                assert!(bytes.iter().all(|&byte| byte == 0));
                bytes.fill(1);
                dealloc(block, layout);
            }
        }
    }

    #[test]
    fn zeroed_blocks_are_on_huge_pages_too() {
        let layout = layout(64 << 20, 64);
        // SAFETY: both blocks are written within their size, and freed with their layout.
        let huge = unsafe {
            let blocks = [alloc(layout), alloc_zeroed(layout)];
            blocks.iter().for_each(|block| block.write_bytes(1, layout.size()));
            let huge = blocks.map(|block| bytes_on_huge_pages(block.addr()));
            blocks.iter().for_each(|&block| dealloc(block, layout));
            huge
        };
        match huge {
            [Some(written), Some(zeroed)] if written > 0 => {
                assert!(zeroed >= written / 2, "{zeroed} of {written}");
            }
            _ => eprintln!("skipped: this system has no huge pages to give, or does not tell"),
        }
    }

    /// In the mapping that an address lies in, as the system tells.
    fn bytes_on_huge_pages(address: usize) -> Option<usize> {
        let maps = std::fs::read_to_string("/proc/self/smaps").ok()?;
        let is_there = |line: &str| {
            let ends = line.split(' ').next()?.split_once('-')?;
            let start = usize::from_str_radix(ends.0, 16).ok()?;
            let end = usize::from_str_radix(ends.1, 16).ok()?;
            Some((start..end).contains(&address))
        };
        let mut lines = maps.lines();
        lines.find(|line| is_there(line) == Some(true))?;
        let line = lines.find_map(|line| line.strip_prefix("AnonHugePages:"))?;
        let kilobytes: usize = line.split_whitespace().next()?.parse().ok()?;
        Some(kilobytes << 10)
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let layout = layout(isize::MAX as usize - PAGE, 1);
        // SAFETY: nothing is done with the block.
        assert!(unsafe { alloc(layout) }.is_null());
    }

    #[test]
    fn small_blocks_and_odd_alignments_are_left_to_the_system() {
        assert!(!is_large(layout(LARGE - 1, 8)));
        assert!(!is_large(layout(LARGE, 2 * PAGE)));
    }
}
