//! An access, as the compiler announces it.

/// What an access does: bits of `EmulatorAccess` in `build/include/runtime.h`.
#[derive(Clone, Copy)]
pub(crate) struct How(pub(crate) u32);

impl How {
    pub(super) fn has(self, bit: u32) -> bool {
        self.0 & bit != 0
    }

    pub(super) fn writes(self) -> bool {
        self.has(1)
    }

    pub(super) fn reads(self) -> bool {
        self.has(2)
    }

    /// Whether no two of such race.
    pub(crate) fn atomic(self) -> bool {
        self.has(4)
    }

    pub(super) fn acquires(self) -> bool {
        self.has(8)
    }

    pub(super) fn releases(self) -> bool {
        self.has(16)
    }

    /// Whether it may be a poll that the kernel doesn't call one.
    pub(crate) fn volatile(self) -> bool {
        self.has(64)
    }

    /// Whether any address will do.
    pub(super) fn unaligned(self) -> bool {
        self.has(32)
    }
}

/// An access as the compiler announces it.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    pub(crate) how: How,
    /// Where the announcement returns to.
    pub(crate) pc: usize,
    /// The thread's number in its block.
    pub(crate) thread: u32,
}
