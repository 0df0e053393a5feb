//! Errors of a launch or of a kernel: location and kind of a bug.

use std::fmt;

/// A launch that could not be, or a bug in a kernel.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum EmulatorError {
    /// This build can't emulate.
    #[error("no emulator: {0}")]
    Unavailable(&'static str),
    /// No kernel has that name.
    #[error("no kernel is called {kernel}; there are {known}")]
    UnknownKernel {
        /// The name.
        kernel: String,
        /// The names there are.
        known: String,
    },
    /// A number of arguments that differs from the kernel's.
    #[error("kernel {kernel} takes {expected} arguments, got {actual}")]
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// Number of the kernel's parameters.
        expected: usize,
        /// Number of the arguments.
        actual: usize,
    },
    /// An argument of another size.
    #[error("argument {index} of kernel {kernel} has {expected} bytes, got {actual}")]
    ArgumentSize {
        /// The kernel.
        kernel: String,
        /// The argument, from 0.
        index: usize,
        /// Its size.
        expected: usize,
        /// Size of the argument.
        actual: usize,
    },
    /// A shape that no GPU supports.
    #[error("kernel {kernel} can't be launched: {problem}")]
    Shape {
        /// The kernel.
        kernel: String,
        /// The fix.
        problem: String,
    },
    /// Threads wait for each other.
    #[error("{at}: deadlock: {waiting}")]
    Deadlock {
        /// The kernel and block.
        at: BlockAt,
        /// Waiting threads with their locations, and the number of returned ones.
        waiting: String,
    },
    /// Undefined use of a barrier or warp collective.
    #[error("{at}: {problem}")]
    Misuse {
        /// The thread and line.
        at: ThreadAt,
        /// The problem.
        problem: String,
    },
    /// An access to memory that must not be.
    #[error("{at}: {access}")]
    Access {
        /// The thread and line.
        at: ThreadAt,
        /// The access and its fault.
        access: Box<BadAccess>,
    },
    /// A thread polls without end.
    #[error(
        "{at}: still polling after {polls} polls while nothing else goes on; a block may wait only for blocks with lower numbers or earlier tickets"
    )]
    EndlessSpin {
        /// The kernel and block.
        at: BlockAt,
        /// Polls since anything happened.
        polls: u64,
    },
    /// The kernel called `__trap()`.
    #[error("{at}: __trap()")]
    Trap {
        /// The thread and line.
        at: ThreadAt,
    },
    /// A failed assertion of the kernel.
    #[error("{at}: assertion failed: {condition}")]
    Assertion {
        /// The thread and line.
        at: ThreadAt,
        /// The condition.
        condition: String,
    },
    /// Device memory that can't be allocated or is not allocated.
    #[error("device memory: {0}")]
    Memory(String),
    /// A copy that the host did not wait for.
    #[error("order: {0}; wait for the queue first")]
    Order(String),
    /// A recording that can't start or end.
    #[error("recording: {0}")]
    Recording(&'static str),
    /// A lost device, by an injected fault.
    #[error("the device was lost")]
    Lost,
    /// The system gave no stack or no thread.
    #[error("the emulator got no {what} from the system: {problem}")]
    Resources {
        /// The requested resource.
        what: &'static str,
        /// The system's error.
        problem: String,
    },
}

impl EmulatorError {
    /// The kernel that has the bug, if it is one of a kernel.
    pub fn kernel(&self) -> Option<&str> {
        match self {
            EmulatorError::Deadlock { at, .. } | EmulatorError::EndlessSpin { at, .. } => {
                Some(&at.kernel)
            }
            EmulatorError::Misuse { at, .. }
            | EmulatorError::Access { at, .. }
            | EmulatorError::Trap { at }
            | EmulatorError::Assertion { at, .. } => Some(&at.block.kernel),
            _ => None,
        }
    }
}

/// A block of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockAt {
    /// The kernel's name.
    pub kernel: String,
    /// The block's number along x, y and z.
    pub block: [u32; 3],
}

/// A thread of a launch, in a line of its kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadAt {
    /// Kernel and block.
    pub block: BlockAt,
    /// The thread's number in the block.
    pub thread: u32,
    /// The line.
    pub line: SourceLine,
}

/// A line of a kernel file, if it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLine {
    /// The file, from the top of the repository; empty if unknown.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

impl fmt::Display for BlockAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.block;
        write!(f, "kernel {}, block ({x},{y},{z})", self.kernel)
    }
}

impl fmt::Display for ThreadAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, thread {}", self.block, self.thread)?;
        match self.line.file.as_str() {
            "" => Ok(()),
            _ => write!(f, ", {}", self.line),
        }
    }
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.file.as_str() {
            "" => f.write_str("an unknown line"),
            file => write!(f, "{file}:{}", self.line),
        }
    }
}

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
