//! A CUDA thread: its view by the kernel, and its state in the scheduler.

use std::ffi::{CStr, c_char, c_void};

use super::error::SourceLine;

/// A kernel's view of its block: `EmulatorBlock` in `build/include/runtime.h`.
#[repr(C)]
pub(super) struct DeviceBlock {
    pub(super) index: [u32; 3],
    pub(super) block_dim: [u32; 3],
    pub(super) grid_dim: [u32; 3],
    pub(super) dynamic_shared: *mut c_void,
}

/// A kernel's view of its thread: `EmulatorThread` in `build/include/runtime.h`.
#[repr(C)]
pub struct DeviceThread {
    pub(super) index: [u32; 3],
    pub(super) slice: i32,
    pub(super) block: *const DeviceBlock,
}

/// A CUDA thread.
pub(super) struct Thread {
    pub(super) device: DeviceThread,
    pub(super) state: State,
    /// Its operand of the collective where it waits.
    pub(super) operand: LaneOperand,
    /// The result of the barrier or collective where it waited.
    pub(super) result: u64,
}

/// State of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Not started.
    Fresh,
    /// Runs or is ready, on this fiber.
    Ready(u32),
    /// Waits at a barrier.
    AtBarrier(u32, Site),
    /// Waits at a warp collective.
    AtCollective(u32, Site),
    /// Has returned.
    Exited,
}

/// A lane's operand of a warp collective.
#[derive(Clone, Copy, Default)]
pub(super) struct LaneOperand {
    pub(super) value: u64,
    pub(super) parameter: u32,
}

/// A location in a kernel's source, from C++.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Site {
    file: *const c_char,
    line: u32,
}

impl Site {
    /// # Safety
    /// `file` must be a C string with static lifetime.
    pub(super) unsafe fn new(file: *const c_char, line: u32) -> Self {
        Site { file, line }
    }

    pub(super) fn source_line(self) -> SourceLine {
        // SAFETY: `file` is a C string with static lifetime, as the creator of the site promised.
        let file = unsafe { CStr::from_ptr(self.file) };
        SourceLine { file: file.to_string_lossy().into_owned(), line: self.line }
    }
}
