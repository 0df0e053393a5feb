//! The exit codes.

use std::process::ExitCode;

/// How a command ended: a contract with scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done; also if a variant refused the shape of its input.
    Success = 0,
    /// The tool failed: I/O, damaged input, internal.
    Failed = 1,
    /// The command line makes no sense, or asks for more than the machine has.
    Usage = 2,
    /// A variant's output was wrong, or it failed or crashed.
    WrongOutput = 3,
    /// A regression was found.
    Regression = 4,
    /// Nothing was measured.
    NothingMeasured = 5,
    /// Interrupted; what was measured before is kept.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}
