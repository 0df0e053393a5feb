//! Errors of reports.

use std::io;

use crate::charts::ChartError;
use crate::frame::FrameError;

/// Reason why a report could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A chart can't be drawn.
    #[error("{0}; --format markdown makes a report without charts")]
    Chart(#[from] ChartError),
    /// The rows can't be serialised to CSV.
    #[error("the raw data: {0}")]
    Rows(#[from] FrameError),
    /// The record can't be serialised to JSON.
    #[error("run.json: {0}; --format markdown makes a report without raw data")]
    Record(#[from] serde_json::Error),
    /// The samples can't be packed.
    #[error("packing samples.csv: {0}; --format markdown makes a report without raw data")]
    Packing(#[from] io::Error),
}
