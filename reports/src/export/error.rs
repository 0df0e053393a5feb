//! What can go wrong with an export.

/// An export that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A run whose start is no time.
    #[error("run {run}: started \"{started}\" is no time; it should be as 2026-01-31T12:00:00Z")]
    NoTime {
        /// The run.
        run: String,
        /// What stands in its record.
        started: String,
    },
    /// Rows that do not become CSV.
    #[error("cannot write the rows as CSV: {0}")]
    Csv(String),
    /// Rows that do not become Parquet.
    #[error("cannot write the rows as Parquet: {0}; try --format csv")]
    Parquet(String),
}
