//! Exit codes, and those of errors of other crates.

use std::process::ExitCode;

use generators_common::DataError;
use reports::history::HistoryError;
use reports::store::StoreError;

/// Result of a command: a contract with scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done; also if a variant refused the shape of its input.
    Success = 0,
    /// The tool failed: I/O, damaged input, internal.
    Failed = 1,
    /// The command line is invalid, or asks for more than the machine has.
    Usage = 2,
    /// A variant's output was wrong, or it failed or crashed.
    WrongOutput = 3,
    /// A regression was found.
    Regression = 4,
    /// Nothing was measured, or not everything that was requested could be measured or judged.
    NothingMeasured = 5,
    /// Interrupted; results so far are kept.
    Interrupted = 130,
}

impl Exit {
    /// Combines the exit codes of two results: a wrong output takes precedence over a regression,
    /// and that over missing measurements.
    #[must_use]
    pub(crate) fn and(self, other: Exit) -> Exit {
        let precedence = [Exit::WrongOutput, Exit::Regression, Exit::NothingMeasured];
        let found = precedence.into_iter().find(|exit| [self, other].contains(exit));
        found.unwrap_or(if self == Exit::Success { other } else { self })
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

impl From<&DataError> for Exit {
    fn from(error: &DataError) -> Self {
        match error {
            DataError::Shape(_) | DataError::UnknownFileType(_) | DataError::TooLarge { .. } => {
                Exit::Usage
            }
            _ => Exit::Failed,
        }
    }
}

impl From<&StoreError> for Exit {
    fn from(error: &StoreError) -> Self {
        match error {
            StoreError::Occupied(_) => Exit::Usage,
            _ => Exit::Failed,
        }
    }
}

impl From<&HistoryError> for Exit {
    /// Asking for something that does not exist is a usage error; all others are failures.
    fn from(error: &HistoryError) -> Self {
        match error {
            HistoryError::Missing(_)
            | HistoryError::NotAStore(_)
            | HistoryError::Unfinished(_)
            | HistoryError::Unknown { .. }
            | HistoryError::Ambiguous { .. }
            | HistoryError::NoneAccepted(_)
            | HistoryError::WhichSeries(_)
            | HistoryError::NotFinished(_)
            | HistoryError::NotAcceptable { .. }
            | HistoryError::NotAccepted(_) => Exit::Usage,
            HistoryError::BaselineElsewhere(_) => Exit::NothingMeasured,
            _ => Exit::Failed,
        }
    }
}
