//! A run that was read back.

use std::path::{Path, PathBuf};

use super::{StoreError, read_run, read_samples, read_summary};
use crate::record::{RunRecord, SampleRow, SummaryRow};

/// Everything that a run left behind.
#[derive(Clone, Debug)]
pub struct Run {
    /// Where it was read from.
    pub folder: PathBuf,
    /// `run.json`.
    pub record: RunRecord,
    /// The rows of `summary.csv`.
    pub summary: Vec<SummaryRow>,
    /// The rows of `samples.csv`.
    pub samples: Vec<SampleRow>,
}

impl Run {
    /// Reads a run folder.
    ///
    /// # Errors
    /// If a file is missing, damaged or of another version.
    pub fn read(folder: &Path) -> Result<Self, StoreError> {
        Ok(Run {
            folder: folder.to_owned(),
            record: read_run(folder)?,
            summary: read_summary(folder)?,
            samples: read_samples(folder)?,
        })
    }
}
