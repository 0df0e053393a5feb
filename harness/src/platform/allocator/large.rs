//! Large blocks, at random offsets in huge pages.
//!
//! The offset of a buffer within its pages decides which cache lines it shares with another buffer.
//! The system's allocator reuses freed memory: offsets are random, but constant throughout a run,
//! so that two runs of the same code differ by several per cent. Here every block starts at a
//! random page of its first huge page: the layout differs between blocks of samples, and their
//! scatter shows the effect (Curtsinger and Berger 2013 randomise the layout for the same reason).
//!
//! A block is in a region of the system's allocator, which is aligned to a huge page; the region's
//! address is stored immediately before the block.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::hash::{BuildHasher, RandomState};
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use generators_common::random::hash;
use nix::sys::mman::{MmapAdvise, madvise};

const HUGE_PAGE: usize = 2 << 20;
const PAGE: usize = 4 << 10;
/// Smaller blocks gain too little to justify a system call each.
pub(super) const LARGE: usize = 1 << 20;

/// True if a layout is handled by this module.
pub(super) fn is_large(layout: Layout) -> bool {
    layout.size() >= LARGE && layout.align() <= PAGE
}

/// # Safety
/// The contract of [`GlobalAlloc::alloc`], for a large layout.
pub(super) unsafe fn alloc(layout: Layout) -> *mut u8 {
    let Some(region) = region(layout) else {
        return std::ptr::null_mut();
    };
    // SAFETY: the region's size is not zero, and `block_in` gets the region with its layout.
    unsafe { block_in(System.alloc(region), region) }
}

/// Zeroes the block itself: with the alignment of a region, the system's allocator would write to
/// all pages before huge ones can be requested.
///
/// # Safety
/// The contract of [`GlobalAlloc::alloc_zeroed`], for a large layout.
pub(super) unsafe fn alloc_zeroed(layout: Layout) -> *mut u8 {
    // SAFETY: the caller keeps the contract of `alloc`; the block has `layout.size()` bytes.
    unsafe {
        let block = alloc(layout);
        if !block.is_null() {
            block.write_bytes(0, layout.size());
        }
        block
    }
}

/// # Safety
/// The contract of [`GlobalAlloc::dealloc`], for a block of this module.
pub(super) unsafe fn dealloc(block: *mut u8, layout: Layout) {
    if let Some(region) = region(layout) {
        // SAFETY: `block_in` stored the region's address just before the block. A block starts at a
        // page boundary, so that address is aligned for a pointer.
        unsafe { System.dealloc(block.cast::<*mut u8>().sub(1).read(), region) };
    }
}

/// Block in a region: after at least one page, in the first huge page.
///
/// # Safety
/// `start` is null or a region of this layout.
unsafe fn block_in(start: *mut u8, region: Layout) -> *mut u8 {
    if start.is_null() {
        return start;
    }
    advise(start, region.size());
    let pages = (HUGE_PAGE / PAGE - 1) as u64;
    let offset = PAGE * (1 + (random() % pages) as usize);
    // SAFETY: the region is a huge page longer than the block, and the offset is less than that;
    // the address just before a page boundary is aligned for a pointer.
    unsafe {
        let block = start.add(offset);
        block.cast::<*mut u8>().sub(1).write(start);
        block
    }
}

/// Layout of the region for a block; `None` if there is none.
fn region(layout: Layout) -> Option<Layout> {
    let size = layout.size().checked_add(HUGE_PAGE)?;
    Layout::from_size_align(size.checked_next_multiple_of(HUGE_PAGE)?, HUGE_PAGE).ok()
}

/// Requests huge pages for a region.
fn advise(start: *mut u8, size: usize) {
    if let Some(start) = NonNull::new(start.cast::<c_void>()) {
        // SAFETY: the range was just allocated, and the advice affects only the page size. If it is
        // refused, small pages work equally.
        let _ = unsafe { madvise(start, size, MmapAdvise::MADV_HUGEPAGE) };
    }
}

/// Random number, different for each call and process.
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
    fn blocks_are_complete_and_start_at_different_pages() {
        let layout = layout(5 << 20, 64);
        assert!(is_large(layout));
        let mut offsets = HashSet::new();
        for _ in 0..50 {
            // SAFETY: the block is written and read within its size, and freed with its layout.
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
    fn zeroed_blocks_are_zero_at_any_offset() {
        let layout = layout(LARGE, 8);
        for _ in 0..20 {
            // SAFETY: the block is accessed within its size, and freed with its layout.
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
            _ => eprintln!("skipped: this system has no huge pages, or does not report them"),
        }
    }

    /// Bytes on huge pages in the mapping of an address, as reported by the system.
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
    fn impossible_layouts_are_refused() {
        let layout = layout(isize::MAX as usize - PAGE, 1);
        // SAFETY: the layout has a nonzero size, and the block is not used.
        assert!(unsafe { alloc(layout) }.is_null());
    }

    #[test]
    fn small_blocks_and_odd_alignments_use_the_system_allocator() {
        assert!(!is_large(layout(LARGE - 1, 8)));
        assert!(!is_large(layout(LARGE, 2 * PAGE)));
    }
}
