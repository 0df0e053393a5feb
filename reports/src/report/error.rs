//! What can go wrong with a report.

use std::io;

use crate::charts::ChartError;
use crate::frame::FrameError;

/// Why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A chart can't be drawn.
    #[error("{0}; --format markdown makes a report without charts")]
    Chart(#[from] ChartError),
    /// The rows do not become CSV.
    #[error("the raw data: {0}")]
    Rows(#[from] FrameError),
    /// The record does not become JSON.
    #[error("run.json: {0}; --format markdown makes a report without raw data")]
    Record(#[from] serde_json::Error),
    /// The samples can't be packed.
    #[error("packing samples.csv: {0}; --format markdown makes a report without raw data")]
    Packing(#[from] io::Error),
}
