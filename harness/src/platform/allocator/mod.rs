//! Global allocator: large blocks on huge pages at random offsets, and a meter of peak allocation.
//!
//! Scattered writes over hundreds of megabytes stress the TLB as much as the algorithm. Where the
//! kernel offers huge pages on request (`madvise`), every large block requests them, regardless of
//! the caller, so that buffers of recobench and those that a library allocates within a run are
//! treated equally. See [`large`] for their offsets.
//!
//! Allocations of a variant during a run are measured rather than declared.

mod large;

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering::Relaxed};

/// Threshold below which blocks go directly to the system's allocator: the size of large blocks, or
/// 0 while the meter runs.
static UNMETERED_BELOW: AtomicUsize = AtomicUsize::new(large::LARGE);
static IN_USE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// System allocator with huge pages and a meter.
pub struct LabAllocator;

/// Runs `work` and returns the peak number of bytes allocated during it, beyond earlier
/// allocations. 0 unless [`LabAllocator`] is the global allocator.
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

/// True if a block of this size goes directly to the system's allocator.
#[inline]
fn is_plain(size: usize) -> bool {
    size < UNMETERED_BELOW.load(Relaxed)
}

// Each allocation calls one of these functions, which are inlined into the caller only with
// link-time optimisation. So a small block takes one comparison, and the rest is in separate
// functions.
//
// SAFETY: small blocks are allocated and freed by the system's allocator with the requested
// layouts; large ones likewise through `large`. The choice depends only on the layout, so that each
// block is freed by its allocator.
unsafe impl GlobalAlloc for LabAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: both callees have the same contract, which the caller keeps.
        unsafe { if is_plain(layout.size()) { System.alloc(layout) } else { alloc(layout) } }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_plain(layout.size()) {
            // SAFETY: `System` has the same contract, which the caller keeps.
            unsafe { System.alloc_zeroed(layout) }
        } else {
            // SAFETY: the callee has the same contract, which the caller keeps.
            unsafe { alloc_zeroed(layout) }
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if is_plain(layout.size()) {
            // SAFETY: `System` has the same contract, which the caller keeps; plain sizes come from
            // it.
            unsafe { System.dealloc(block, layout) }
        } else {
            // SAFETY: the callee has the same contract, which the caller keeps.
            unsafe { dealloc(block, layout) }
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if is_plain(layout.size().max(size)) {
            // SAFETY: `System` has the same contract, which the caller keeps.
            unsafe { System.realloc(block, layout, size) }
        } else {
            // SAFETY: the callee has the same contract, which the caller keeps.
            unsafe { realloc(block, layout, size) }
        }
    }
}

#[cold]
unsafe fn alloc(layout: Layout) -> *mut u8 {
    meter(layout.size() as isize);
    // SAFETY: both callees have the same contract, which the caller keeps.
    unsafe { if large::is_large(layout) { large::alloc(layout) } else { System.alloc(layout) } }
}

#[cold]
unsafe fn alloc_zeroed(layout: Layout) -> *mut u8 {
    meter(layout.size() as isize);
    // SAFETY: both callees have the same contract, which the caller keeps.
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
    // SAFETY: the layout selects the allocator that the block came from.
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
    // SAFETY: the caller guarantees that the new size makes a valid layout.
    let new_layout = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
    if !large::is_large(layout) && !large::is_large(new_layout) {
        meter(size as isize - layout.size() as isize);
        // SAFETY: `System` has the same contract, which the caller keeps.
        return unsafe { System.realloc(block, layout, size) };
    }
    // SAFETY: both blocks are valid for the smaller of their sizes, and they are distinct.
    unsafe {
        let new = alloc(new_layout);
        if !new.is_null() {
            ptr::copy_nonoverlapping(block, new, layout.size().min(size));
            dealloc(block, layout);
        }
        new
    }
}
