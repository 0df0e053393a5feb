//! Location and kind of a bug.

mod access;

use std::fmt;

pub use access::{BadAccess, Fault, MemoryLocation, OtherAccess};

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
