//! The allocator of the lab: large blocks on huge pages, and a meter.
//!
//! Scattered writes over hundreds of megabytes are as much a test of the TLB
//! as of the algorithm. Where the kernel offers huge pages on request
//! (`madvise`), every large block asks for them, whoever allocates it: our own
//! buffers and those that a library allocates within a run get the same.
//!
//! What a variant allocates while it runs is measured rather than declared.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering::Relaxed};

use nix::sys::mman::{MmapAdvise, madvise};

const HUGE_PAGE: usize = 2 << 20;

/// Smaller blocks gain too little for a system call each.
const LARGE: usize = 2 * HUGE_PAGE;

static METERING: AtomicBool = AtomicBool::new(false);
static IN_USE: AtomicIsize = AtomicIsize::new(0);
static PEAK: AtomicIsize = AtomicIsize::new(0);

/// The system's allocator with huge pages and a meter.
pub struct LabAllocator;

/// The most bytes that `work` had allocated at a time, beyond what was
/// allocated before. 0 unless [`LabAllocator`] is the global allocator.
pub fn peak_allocation<R>(work: impl FnOnce() -> R) -> (R, u64) {
    IN_USE.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    METERING.store(true, Relaxed);
    let _stop = StopMetering;
    let result = work();
    (result, PEAK.load(Relaxed).max(0) as u64)
}

/// Stops the meter even if the work panics.
struct StopMetering;

impl Drop for StopMetering {
    fn drop(&mut self) {
        METERING.store(false, Relaxed);
    }
}

fn meter(bytes: isize) {
    if METERING.load(Relaxed) {
        let in_use = IN_USE.fetch_add(bytes, Relaxed) + bytes;
        PEAK.fetch_max(in_use, Relaxed);
    }
}

/// Asks for huge pages for the part of a block that consists of whole ones.
fn advise(block: *mut u8, size: usize) {
    if block.is_null() || size < LARGE {
        return;
    }
    let lead = block.align_offset(HUGE_PAGE);
    let length = size.saturating_sub(lead) / HUGE_PAGE * HUGE_PAGE;
    if let Some(start) = NonNull::new(block.wrapping_add(lead).cast::<c_void>())
        && length > 0
    {
        // SAFETY: the range lies within a block that was just allocated, and
        // the advice changes nothing but the size of its pages. A refusal
        // means small pages, which are as right.
        let _ = unsafe { madvise(start, length, MmapAdvise::MADV_HUGEPAGE) };
    }
}

// SAFETY: all blocks come from and go back to the system's allocator, with the
// layouts that were asked for; the meter and the advice don't touch them.
unsafe impl GlobalAlloc for LabAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        meter(layout.size() as isize);
        // SAFETY: the caller's promises are those of `System`.
        let block = unsafe { System.alloc(layout) };
        advise(block, layout.size());
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        meter(layout.size() as isize);
        // SAFETY: the caller's promises are those of `System`.
        let block = unsafe { System.alloc_zeroed(layout) };
        advise(block, layout.size());
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        meter(-(layout.size() as isize));
        // SAFETY: the caller's promises are those of `System`.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        meter(size as isize - layout.size() as isize);
        // SAFETY: the caller's promises are those of `System`.
        let block = unsafe { System.realloc(block, layout, size) };
        advise(block, size);
        block
    }
}
