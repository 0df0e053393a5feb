//! An access, as announced by code that the compiler inserts.

/// Properties of an access: bits of `EmulatorAccess` in `build/include/runtime.h`.
#[derive(Clone, Copy)]
pub(crate) struct AccessFlags(pub(crate) u32);

impl AccessFlags {
    pub(super) fn has(self, bit: u32) -> bool {
        self.0 & bit != 0
    }

    pub(super) fn writes(self) -> bool {
        self.has(1)
    }

    pub(super) fn reads(self) -> bool {
        self.has(2)
    }

    /// True if two such accesses don't race.
    pub(crate) fn atomic(self) -> bool {
        self.has(4)
    }

    pub(super) fn acquires(self) -> bool {
        self.has(8)
    }

    pub(super) fn releases(self) -> bool {
        self.has(16)
    }

    /// True if it may be a poll that the kernel doesn't mark as one.
    pub(crate) fn volatile(self) -> bool {
        self.has(64)
    }

    /// True if any address is allowed.
    pub(super) fn unaligned(self) -> bool {
        self.has(32)
    }
}

/// An access, as announced by code that the compiler inserts.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    pub(crate) flags: AccessFlags,
    /// Return address of the announcement.
    pub(crate) pc: usize,
    /// The thread's number in its block.
    pub(crate) thread: u32,
}
