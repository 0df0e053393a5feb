//! What can go wrong, and the exit codes for it.

use std::io;
use std::path::PathBuf;

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

use crate::duet::{DuetError, ServeError};
use crate::measure::MeasureError;
use crate::plan::PlanError;
use crate::plugins::PluginFailure;
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
    #[error("{}, {damaged}; without --strict, damaged pages are left out", path.display())]
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
    /// Runs that can't be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// A comparison that can't be written.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// Two executables that can't be measured in turn.
    #[error(transparent)]
    Duet(#[from] DuetError),
    /// Somebody who asks a child of a coordinator for samples, but not as that does.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// A file that can't be written.
    #[error("{}: {source}", path.display())]
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
    /// The exit code that tells scripts.
    pub fn exit(&self) -> Exit {
        match self {
            Failure::Usage(_)
            | Failure::Suite(SuiteError::Unknown { .. } | SuiteError::Invalid { .. })
            | Failure::Compare(CompareError::SameRun { .. })
            | Failure::Serve(ServeError::Foreign(_)) => Exit::Usage,
            Failure::Data(error) => data_exit(error),
            Failure::Store(error) => store_exit(error),
            Failure::History(error) => history_exit(error),
            Failure::Plugin(failure) => failure.exit(),
            Failure::Plan(error) => match error {
                PlanError::Usage(_) => Exit::Usage,
                PlanError::NothingToMeasure(_) => Exit::NothingMeasured,
                PlanError::Data(error) => data_exit(error),
            },
            Failure::Measure(MeasureError::Data(error)) => data_exit(error),
            Failure::Measure(MeasureError::Store(error)) => store_exit(error),
            Failure::Duet(error) => duet_exit(error),
            Failure::NothingMeasured(_) | Failure::Compare(_) => Exit::NothingMeasured,
            Failure::WrongOutput(_) => Exit::WrongOutput,
            _ => Exit::Failed,
        }
    }
}

fn data_exit(error: &DataError) -> Exit {
    match error {
        DataError::Shape(_) | DataError::UnknownFileType(_) => Exit::Usage,
        _ => Exit::Failed,
    }
}

fn store_exit(error: &StoreError) -> Exit {
    match error {
        StoreError::Occupied(_) => Exit::Usage,
        _ => Exit::Failed,
    }
}

fn duet_exit(error: &DuetError) -> Exit {
    match error {
        DuetError::NoBase { .. }
        | DuetError::NotKept { .. }
        | DuetError::Foreign { .. }
        | DuetError::Start { .. }
        | DuetError::OtherData { .. }
        | DuetError::OtherBuild { .. } => Exit::Usage,
        DuetError::History(error) => history_exit(error),
        DuetError::Store(error) => store_exit(error),
        _ => Exit::Failed,
    }
}

/// Asking for what is not there is a mistake of the command line; all else is
/// a failure.
fn history_exit(error: &HistoryError) -> Exit {
    match error {
        HistoryError::Missing(_)
        | HistoryError::NotAStore(_)
        | HistoryError::Unfinished(_)
        | HistoryError::Unknown { .. }
        | HistoryError::Ambiguous { .. }
        | HistoryError::NoneAccepted(_)
        | HistoryError::WhichSeries(_)
        | HistoryError::NotFinished(_)
        | HistoryError::NotAccepted(_) => Exit::Usage,
        _ => Exit::Failed,
    }
}
