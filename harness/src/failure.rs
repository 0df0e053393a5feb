//! Errors of commands, and their exit codes.

use std::io;
use std::path::{Path, PathBuf};

use generators_common::DataError;
use reports::charts::ChartError;
use reports::compare::CompareError;
use reports::compare::render::RenderError;
use reports::export::ExportError;
use reports::history::HistoryError;
use reports::machines::NotComparable;
use reports::report::ReportError;
use reports::store::StoreError;
use reports::table::TableError;
use tasks::device::TeamError;
use text::Untrusted;

use crate::document::InvalidDocument;
use crate::measure::MeasureError;
use crate::paired::{PairedError, ServeError};
use crate::plan::PlanError;
use crate::platform::NoThreads;
use crate::plugins::PluginFailure;
use crate::stream::StreamError;
use crate::suite::SuiteError;

pub use crate::platform::Exit;

/// Error of a command.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A command line that is not valid.
    #[error("{0}")]
    Usage(String),
    /// Nothing could be measured, for this reason.
    #[error("{0}")]
    NothingMeasured(String),
    /// Data that can't be generated, read or written.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A variant whose output is wrong.
    #[error("wrong output: {0}")]
    WrongOutput(String),
    /// A plugin that can't be used.
    #[error(transparent)]
    Plugin(#[from] PluginFailure),
    /// A file in TOML that is not valid.
    #[error(transparent)]
    Document(#[from] InvalidDocument),
    /// A suite that can't be read or is not valid.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// A run folder that can't be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A request without anything to measure.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A run that ended early, or did not start.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// A store of runs that can't be used, or has no such run.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// A chart that can't be drawn or written.
    #[error(transparent)]
    Chart(#[from] ChartError),
    /// A table that can't be formatted.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A report that can't be generated.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// Machines that can't be compared.
    #[error(transparent)]
    Machines(#[from] NotComparable),
    /// Runs that can't be exported.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Threads that are not available.
    #[error(transparent)]
    Team(#[from] TeamError),
    /// No threads are available.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// Runs that can't be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// A comparison that can't be written.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A stream that ended early, or did not start.
    #[error(transparent)]
    Stream(#[from] StreamError),
    /// Two executables that can't be measured interleaved.
    #[error(transparent)]
    Paired(#[from] PairedError),
    /// A request to the child of a coordinator that is not valid.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// A file that can't be read.
    #[error("{}: {source}", path.escaped())]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A file that can't be written.
    #[error("{}: {source}", path.escaped())]
    Write {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// Standard output that can't be written.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// Creates the error of a file that can't be written.
    pub(crate) fn writing(path: &Path) -> impl FnOnce(io::Error) -> Failure {
        let path = path.to_owned();
        |source| Failure::Write { path, source }
    }

    /// Returns the fix as the end of the message; empty if the message has it.
    pub(crate) fn advice(&self) -> &'static str {
        match self {
            Failure::Data(error) | Failure::Plan(PlanError::Data(error)) => match error {
                DataError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                    "; check the path, or make the file with bench generate"
                }
                DataError::Format { .. } => {
                    "; the file is damaged or of another kind: correct it, or generate it again"
                }
                _ => "",
            },
            Failure::Store(StoreError::NoRun(_)) => "; give a folder that bench wrote with --out",
            Failure::Read { .. } => "; check the path, and that it is a text",
            Failure::Write { .. } => "; check the folder, its permissions and the free space",
            _ => "",
        }
    }

    /// Returns the exit code.
    pub fn exit(&self) -> Exit {
        match self {
            Failure::Usage(_)
            | Failure::Document(_)
            | Failure::Compare(CompareError::SameRun { .. }) => Exit::Usage,
            Failure::NothingMeasured(_)
            | Failure::Compare(_)
            | Failure::Machines(NotComparable::Nothing(_)) => Exit::NothingMeasured,
            Failure::Machines(_) => Exit::Usage,
            Failure::WrongOutput(_) => Exit::WrongOutput,
            Failure::Data(error) => error.into(),
            Failure::Store(error) => error.into(),
            Failure::History(error) => error.into(),
            Failure::Plugin(error) => error.exit(),
            Failure::Suite(error) => error.exit(),
            Failure::Plan(error) => error.exit(),
            Failure::Measure(error) => error.exit(),
            Failure::Stream(error) => error.exit(),
            Failure::Paired(error) => error.exit(),
            Failure::Serve(error) => error.exit(),
            _ => Exit::Failed,
        }
    }
}
