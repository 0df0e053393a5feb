//! What can be wrong with a launch or with a kernel.

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
    /// A copy that the host did not wait for.
    #[error("order: {0}; wait for the queue first")]
    Order(String),
    /// A recording that can't begin or end.
    #[error("recording: {0}")]
    Recording(&'static str),
    /// The device was lost, as a fault that was injected says.
    #[error("the device was lost")]
    Lost,
    /// The system gave no stack or no thread.
    #[error("the emulator got no {what} from the system: {problem}")]
    Resources {
        /// What it wanted.
        what: &'static str,
        /// What the system said.
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
