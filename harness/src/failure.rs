//! What can go wrong, and the exit codes for it.

use std::io;
use std::path::{Path, PathBuf};

use algorithms::device::TeamError;
use algorithms::tpc_decode::DamagedPage;
use generators::DataError;
use reports::charts::ChartError;
use reports::compare::CompareError;
use reports::compare::render::RenderError;
use reports::export::ExportError;
use reports::history::HistoryError;
use reports::report::ReportError;
use reports::store::StoreError;
use reports::table::TableError;
use text::Foreign;

use crate::duet::{DuetError, ServeError};
use crate::measure::MeasureError;
use crate::plan::PlanError;
use crate::platform::NoThreads;
use crate::plugins::PluginFailure;
use crate::stream::StreamError;
use crate::suite::SuiteError;

pub use crate::platform::Exit;

/// A command that could not do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A command line that makes no sense.
    #[error("{0}")]
    Usage(String),
    /// Nothing could be measured, and why.
    #[error("{0}")]
    NothingMeasured(String),
    /// Data that can't be made, read or written.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A damaged page, where there is to be none.
    #[error("{}, {damaged}; without --strict, damaged pages are left out", path.shown())]
    DamagedPage {
        /// The file.
        path: PathBuf,
        /// The page.
        damaged: DamagedPage,
    },
    /// A variant that finds other digits than the reference.
    #[error("wrong output: {0}")]
    WrongOutput(String),
    /// A plugin that can't be used.
    #[error(transparent)]
    Plugin(#[from] PluginFailure),
    /// A suite that can't be read or makes no sense.
    #[error(transparent)]
    Suite(#[from] SuiteError),
    /// A run folder that can't be written or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A request that nothing can be measured for.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A run that ended before its time, or did not begin.
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
    /// A report that can't be made.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// Runs that can't be exported.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Threads that can't be had.
    #[error(transparent)]
    Team(#[from] TeamError),
    /// The system gives no threads at all.
    #[error(transparent)]
    Threads(#[from] NoThreads),
    /// Runs that can't be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// A comparison that can't be written.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A stream that ended before its time, or did not begin.
    #[error(transparent)]
    Stream(#[from] StreamError),
    /// Two executables that can't be measured in turn.
    #[error(transparent)]
    Duet(#[from] DuetError),
    /// Somebody who asks a child of a coordinator for samples, but not as that does.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// A file that can't be written.
    #[error("{}: {source}", path.shown())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Standard output that can't be written.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    /// That a file can't be written.
    pub(crate) fn writing(path: &Path) -> impl FnOnce(io::Error) -> Failure {
        let path = path.to_owned();
        |source| Failure::Write { path, source }
    }

    /// The exit code that tells scripts: each error knows its own.
    pub fn exit(&self) -> Exit {
        match self {
            Failure::Usage(_) | Failure::Compare(CompareError::SameRun { .. }) => Exit::Usage,
            Failure::NothingMeasured(_) | Failure::Compare(_) => Exit::NothingMeasured,
            Failure::WrongOutput(_) => Exit::WrongOutput,
            Failure::Data(error) => error.into(),
            Failure::Store(error) => error.into(),
            Failure::History(error) => error.into(),
            Failure::Plugin(error) => error.exit(),
            Failure::Suite(error) => error.exit(),
            Failure::Plan(error) => error.exit(),
            Failure::Measure(error) => error.exit(),
            Failure::Stream(error) => error.exit(),
            Failure::Duet(error) => error.exit(),
            Failure::Serve(error) => error.exit(),
            _ => Exit::Failed,
        }
    }
}
