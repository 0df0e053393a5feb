//! Errors of exports.

use text::Untrusted;

use crate::frame::FrameError;

/// Error of an export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A run whose start is not a valid time.
    #[error(
        "run {}: started {} is not a time such as 2026-01-31T12:00:00Z",
        run.escaped(), started.quoted()
    )]
    NoTime {
        /// The run.
        run: String,
        /// The start in its record.
        started: String,
    },
    /// Samples were requested in a format for monitoring.
    #[error("samples are tables: write them with --format csv or parquet")]
    NoSamples,
    /// Rows that can't be written.
    #[error(transparent)]
    Frame(#[from] FrameError),
}
