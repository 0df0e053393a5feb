//! Host memory for engines whose devices need no page-locked memory.

use std::alloc::{Layout, alloc_zeroed, dealloc};

use super::DeviceError;
use super::engine::ALIGNMENT;

/// Allocates zeros, aligned to [`ALIGNMENT`].
pub(super) fn allocate(bytes: usize) -> Result<*mut u8, DeviceError> {
    let needed = bytes as u64;
    let layout = layout(bytes).ok_or(DeviceError::OutOfPinnedMemory { needed })?;
    // SAFETY: the layout has at least a byte.
    let start = unsafe { alloc_zeroed(layout) };
    if start.is_null() {
        return Err(DeviceError::OutOfPinnedMemory { needed });
    }
    Ok(start)
}

/// Frees memory from [`allocate`] of that many bytes.
///
/// # Safety
/// It is freed once, and not in use.
pub(super) unsafe fn free(start: *mut u8, bytes: usize) {
    if let Some(layout) = layout(bytes) {
        // SAFETY: it was allocated with this layout, as the caller promises.
        unsafe { dealloc(start, layout) }
    }
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_and_too_much_is_an_error() {
        for bytes in [0, 1, 100, 4097] {
            let start = allocate(bytes).expect("memory");
            assert_eq!(start.addr() % ALIGNMENT, 0);
            // SAFETY: it was just allocated.
            unsafe { free(start, bytes) };
        }
        assert_eq!(
            allocate(usize::MAX),
            Err(DeviceError::OutOfPinnedMemory { needed: usize::MAX as u64 })
        );
    }
}
