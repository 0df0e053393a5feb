//! Errors of a launch or of a kernel.

use super::report::{BadAccess, BlockAt, ThreadAt};

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
