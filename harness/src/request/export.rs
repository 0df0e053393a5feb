//! What `bench export` is asked for.

use std::path::PathBuf;

use reports::export::ExportFormat;

/// Runs to be written in another format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportRequest {
    /// Run folders, or names in the store.
    pub runs: Vec<PathBuf>,
    /// Whether to export all runs of the store.
    pub all: bool,
    /// The store.
    pub store: PathBuf,
    /// What to write.
    pub format: ExportFormat,
    /// The file; standard output if not given.
    pub out: Option<PathBuf>,
}
