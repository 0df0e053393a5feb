//! Accesses to memory that must not be.

use std::fmt;

use super::SourceLine;

/// An access to memory that must not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadAccess {
    /// The fault.
    pub fault: Fault,
    /// Bytes accessed.
    pub bytes: usize,
    /// True if it writes.
    pub writes: bool,
    /// The location in memory.
    pub location: MemoryLocation,
}

/// Fault of an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing orders it after another thread's access.
    Race(OtherAccess),
    /// It reads bytes that were never written.
    Uninitialised,
    /// It is not, or not completely, in memory of the kernel.
    OutOfBounds,
    /// The address is not a multiple of the size.
    Misaligned,
}

/// The other access of a race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherAccess {
    /// The block's number in the grid, x first.
    pub block: u64,
    /// The thread's number in the block.
    pub thread: u32,
    /// True if it wrote.
    pub wrote: bool,
    /// The line.
    pub line: SourceLine,
}

/// A location in memory, in the terms of a kernel's author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLocation {
    /// In or near an allocation.
    Global {
        /// The allocation's number, from 0.
        allocation: usize,
        /// Bytes from its beginning.
        offset: i64,
        /// Its size in bytes.
        size: usize,
    },
    /// In or after dynamic shared memory.
    DynamicShared {
        /// Bytes from its beginning.
        offset: i64,
        /// Its size in bytes.
        size: usize,
    },
    /// In a `__shared__` variable.
    StaticShared {
        /// Bytes from the beginning of all of the file's.
        offset: i64,
    },
    /// Nowhere near.
    Unknown {
        /// The address.
        address: usize,
    },
}

impl fmt::Display for BadAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.writes { "write" } else { "read" };
        let access = format!("{verb} of {} bytes at {}", self.bytes, self.location);
        match &self.fault {
            Fault::Race(other) => write!(f, "race: {access}, {other}, and nothing orders the two"),
            Fault::Uninitialised => write!(f, "uninitialised: {access}, which was never written"),
            Fault::OutOfBounds => write!(f, "out of bounds: {access}"),
            Fault::Misaligned => write!(f, "misaligned: {access}"),
        }
    }
}

impl fmt::Display for OtherAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.wrote { "wrote" } else { "read" };
        let OtherAccess { block, thread, line, .. } = self;
        write!(f, "which thread {thread} of block {block} {verb} in {line}")
    }
}

impl fmt::Display for MemoryLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryLocation::Global { allocation, offset, size } => {
                write!(f, "byte {offset} of allocation {allocation} ({size} bytes)")
            }
            MemoryLocation::DynamicShared { offset, size } => {
                write!(f, "byte {offset} of dynamic shared memory ({size} bytes)")
            }
            MemoryLocation::StaticShared { offset } => {
                write!(f, "byte {offset} of static shared memory")
            }
            MemoryLocation::Unknown { address } => write!(f, "address {address:#x}"),
        }
    }
}
