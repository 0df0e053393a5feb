//! Writing the folder of a run in progress.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::table_file::TableFile;
use super::{RUN, SAMPLES, SUMMARY, StoreError, is_run, read_summary};
use crate::frame::Frame;
use crate::record::{RunRecord, SampleRow, SummaryRow};

/// The locked folder of a run in progress.
pub struct RunFolder {
    pub(super) path: PathBuf,
    pub(super) samples: TableFile<SampleRow>,
    pub(super) summary: TableFile<SummaryRow>,
}

/// Writes `run.json` into a folder, atomically replacing an earlier one.
///
/// # Errors
/// If it can't be written.
pub fn describe(folder: &Path, record: &RunRecord) -> Result<(), StoreError> {
    let path = folder.join(RUN);
    replace(&path, json(&path, record)?.as_bytes())
}

/// Adds columns for axes and metrics to a summary, which are only known at the end.
fn tidy(folder: &Path) -> Result<(), StoreError> {
    let path = folder.join(SUMMARY);
    let rows = Frame::from_summary(&read_summary(folder)?);
    let text = rows.exact_csv().map_err(|error| StoreError::format(&path, error))?;
    replace(&path, text.as_bytes())
}

/// Removes leftovers of processes that were killed while they wrote the files of a run.
pub fn clean(folder: &Path) {
    [RUN, SAMPLES, SUMMARY].iter().for_each(|name| files::clean(&folder.join(name)));
}

/// Atomically replaces the content of a file.
pub(super) fn replace(path: &Path, text: &[u8]) -> Result<(), StoreError> {
    files::write_own(path, text).map_err(|source| StoreError::io(path, source))
}

/// Serialises the content of a JSON file.
pub(super) fn json(path: &Path, value: &impl Serialize) -> Result<String, StoreError> {
    let text = serde_json::to_string_pretty(value);
    Ok(text.map_err(|error| StoreError::format(path, error))? + "\n")
}

impl RunFolder {
    /// Creates the folder, if needed, and its files.
    ///
    /// # Errors
    /// If the folder can't be written, or contains a run already.
    pub fn create(path: &Path, record: &RunRecord) -> Result<Self, StoreError> {
        files::create_folder(path).map_err(|source| StoreError::io(path, source))?;
        if is_run(path) {
            return Err(StoreError::Occupied(path.to_owned()));
        }
        let folder = RunFolder {
            path: path.to_owned(),
            samples: TableFile::create(&path.join(SAMPLES), SampleRow::COLUMNS)?,
            summary: TableFile::create(&path.join(SUMMARY), SummaryRow::COLUMNS)?,
        };
        folder.samples.lock()?;
        describe(path, record)?;
        Ok(folder)
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes `run.json`, atomically replacing an earlier one. If the run is finished, the summary
    /// gets columns for axes and metrics: no row may follow.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn describe(&self, record: &RunRecord) -> Result<(), StoreError> {
        if record.finished.is_some() {
            tidy(&self.path)?;
        }
        describe(&self.path, record)
    }

    /// Appends the stages of one sample.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn append_samples(&mut self, rows: &[SampleRow]) -> Result<(), StoreError> {
        self.samples.append(rows)
    }

    /// Appends the stages of one point, which is complete then: it and its samples are on disk when
    /// this returns.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn append_summary(&mut self, rows: &[SummaryRow]) -> Result<(), StoreError> {
        self.samples.sync()?;
        self.summary.append_durably(rows)
    }
}
