//! What can be wrong with a launch or with a kernel.

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
    /// Not as many arguments as the kernel has.
    #[error("kernel {kernel} takes {expected} arguments, got {given}")]
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// As many as it has.
        expected: usize,
        /// As many as there were.
        given: usize,
    },
    /// An argument of another size.
    #[error("argument {index} of kernel {kernel} has {expected} bytes, got {given}")]
    ArgumentSize {
        /// The kernel.
        kernel: String,
        /// The argument, from 0.
        index: usize,
        /// Its size.
        expected: usize,
        /// The size of what was given.
        given: usize,
    },
    /// No GPU would take such a launch.
    #[error("kernel {kernel} can't be launched: {problem}")]
    Shape {
        /// The kernel.
        kernel: String,
        /// What to change.
        problem: String,
    },
    /// Threads wait for each other for ever.
    #[error("{at}: deadlock: {waiting}")]
    Deadlock {
        /// The kernel and block.
        at: BlockAt,
        /// Which threads wait where, and which have returned.
        waiting: String,
    },
    /// A barrier or warp collective used in a way that has no meaning.
    #[error("{at}: {problem}")]
    Misuse {
        /// The thread and line.
        at: ThreadAt,
        /// What is wrong.
        problem: String,
    },
    /// An access to memory that must not be.
    #[error("{at}: {access}")]
    Access {
        /// The thread and line.
        at: ThreadAt,
        /// Which access, and why not.
        access: Box<BadAccess>,
    },
    /// A thread polls for ever.
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
    /// A condition that the kernel asserts does not hold.
    #[error("{at}: assertion failed: {condition}")]
    Assertion {
        /// The thread and line.
        at: ThreadAt,
        /// The condition.
        condition: String,
    },
    /// Device memory that can't be had or isn't there.
    #[error("device memory: {0}")]
    Memory(String),
    /// The system gave no stack or no thread.
    #[error("the emulator got no {what} from the system: {problem}")]
    Resources {
        /// What it wanted.
        what: &'static str,
        /// What the system said.
        problem: String,
    },
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

/// An access to memory that must not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadAccess {
    /// What is wrong.
    pub fault: Fault,
    /// Bytes accessed.
    pub bytes: usize,
    /// Whether it writes.
    pub writes: bool,
    /// Where.
    pub place: MemoryPlace,
}

/// What is wrong with an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing orders it after another thread's access.
    Race(OtherAccess),
    /// Nobody has written what it reads.
    Uninitialised,
    /// It is not, or not all, in memory of the kernel.
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
    /// Whether it wrote.
    pub wrote: bool,
    /// The line.
    pub line: SourceLine,
}

/// A place in memory, as a kernel's author knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryPlace {
    /// In or near an allocation.
    Global {
        /// The allocation's number, from 0.
        allocation: usize,
        /// Bytes from its beginning.
        offset: i64,
        /// Its size in bytes.
        size: usize,
    },
    /// In or behind dynamic shared memory.
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

impl fmt::Display for BadAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.writes { "write" } else { "read" };
        let access = format!("{verb} of {} bytes at {}", self.bytes, self.place);
        match &self.fault {
            Fault::Race(other) => write!(f, "race: {access}, {other}, and nothing orders the two"),
            Fault::Uninitialised => write!(f, "uninitialised: {access}, which nobody has written"),
            Fault::OutOfBounds => write!(f, "out of bounds: {access}"),
            Fault::Misaligned => write!(f, "misaligned: {access}"),
        }
    }
}

impl fmt::Display for OtherAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.wrote { "wrote" } else { "read" };
        let OtherAccess {
            block,
            thread,
            line,
            ..
        } = self;
        write!(f, "which thread {thread} of block {block} {verb} in {line}")
    }
}

impl fmt::Display for MemoryPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryPlace::Global {
                allocation,
                offset,
                size,
            } => {
                write!(f, "byte {offset} of allocation {allocation} ({size} bytes)")
            }
            MemoryPlace::DynamicShared { offset, size } => {
                write!(f, "byte {offset} of dynamic shared memory ({size} bytes)")
            }
            MemoryPlace::StaticShared { offset } => {
                write!(f, "byte {offset} of static shared memory")
            }
            MemoryPlace::Unknown { address } => write!(f, "address {address:#x}"),
        }
    }
}
