//! The allocator of the lab: large blocks on huge pages and at random places in
//! them, and a meter.
//!
//! Scattered writes over hundreds of megabytes are as much a test of the TLB
//! as of the algorithm. Where the kernel offers huge pages on request
//! (`madvise`), every large block asks for them, whoever allocates it: our own
//! buffers and those that a library allocates within a run get the same.
//! See [`large`] for where they begin.
//!
//! What a variant allocates while it runs is measured rather than declared.

mod large;

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering::Relaxed};

/// Smaller blocks go straight to the system's allocator: all but large ones, or none while the meter
/// runs.
static UNMETERED_BELOW: AtomicUsize = AtomicUsize::new(large::LARGE);
static IN_USE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// The system's allocator with huge pages and a meter.
pub struct LabAllocator;

/// The most bytes that `work` had allocated at a time, beyond what was
/// allocated before. 0 unless [`LabAllocator`] is the global allocator.
pub fn peak_allocation<R>(work: impl FnOnce() -> R) -> (R, u64) {
    IN_USE.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    UNMETERED_BELOW.store(0, Relaxed);
    let _stop = StopMetering;
    let result = work();
    (result, PEAK.load(Relaxed).max(0) as u64)
}

/// Stops the meter even if the work panics.
struct StopMetering;

impl Drop for StopMetering {
    fn drop(&mut self) {
        UNMETERED_BELOW.store(large::LARGE, Relaxed);
    }
}

fn meter(bytes: isize) {
    if UNMETERED_BELOW.load(Relaxed) == 0 {
        let in_use = IN_USE.fetch_add(bytes, Relaxed) + bytes;
        PEAK.fetch_max(in_use, Relaxed);
    }
}

/// Whether a block of this size goes straight to the system's allocator.
#[inline]
fn is_plain(size: usize) -> bool {
    size < UNMETERED_BELOW.load(Relaxed)
}

// Each allocation calls one of these functions: without link-time optimisation they are not inlined into
// the caller. So a small block takes one comparison, and the rest is in functions of its own.
//
// SAFETY: small blocks come from and go back to the system's allocator, with
// the layouts that were asked for; large ones likewise through `large`. Which
// they are depends on the layout alone, so that each goes back where it came from.
unsafe impl GlobalAlloc for LabAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those of both.
        unsafe { if is_plain(layout.size()) { System.alloc(layout) } else { alloc(layout) } }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_plain(layout.size()) {
            // SAFETY: the caller's promises are those of both.
            unsafe { System.alloc_zeroed(layout) }
        } else {
            // SAFETY: as above.
            unsafe { alloc_zeroed(layout) }
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if is_plain(layout.size()) {
            // SAFETY: the caller's promises are those of both.
            unsafe { System.dealloc(block, layout) }
        } else {
            // SAFETY: as above.
            unsafe { dealloc(block, layout) }
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if is_plain(layout.size().max(size)) {
            // SAFETY: the caller's promises are those of both.
            unsafe { System.realloc(block, layout, size) }
        } else {
            // SAFETY: as above.
            unsafe { realloc(block, layout, size) }
        }
    }
}

#[cold]
unsafe fn alloc(layout: Layout) -> *mut u8 {
    meter(layout.size() as isize);
    // SAFETY: the caller's promises are those of both.
    unsafe { if large::is_large(layout) { large::alloc(layout) } else { System.alloc(layout) } }
}

#[cold]
unsafe fn alloc_zeroed(layout: Layout) -> *mut u8 {
    meter(layout.size() as isize);
    // SAFETY: the caller's promises are those of both.
    unsafe {
        if large::is_large(layout) {
            large::alloc_zeroed(layout)
        } else {
            System.alloc_zeroed(layout)
        }
    }
}

#[cold]
unsafe fn dealloc(block: *mut u8, layout: Layout) {
    meter(-(layout.size() as isize));
    // SAFETY: the block came from where it goes, by its layout.
    unsafe {
        if large::is_large(layout) {
            large::dealloc(block, layout)
        } else {
            System.dealloc(block, layout)
        }
    }
}

#[cold]
unsafe fn realloc(block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
    // SAFETY: the caller promises that the new size makes a layout.
    let new_layout = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
    if !large::is_large(layout) && !large::is_large(new_layout) {
        meter(size as isize - layout.size() as isize);
        // SAFETY: the caller's promises are those of `System`.
        return unsafe { System.realloc(block, layout, size) };
    }
    // SAFETY: both blocks are valid for the smaller of their sizes, and
    // they are not the same.
    unsafe {
        let new = alloc(new_layout);
        if !new.is_null() {
            ptr::copy_nonoverlapping(block, new, layout.size().min(size));
            dealloc(block, layout);
        }
        new
    }
}
