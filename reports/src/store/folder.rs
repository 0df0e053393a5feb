//! The folder of a run in progress, of any kind of rows.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::table_file::TableFile;
use super::{RUN, StoreError};
use crate::record::{Params, RunRecord};

/// Rows of a kind of run, and of their details.
pub trait RunRows: Serialize + DeserializeOwned + Default {
    /// A row of the details.
    type Detail: Serialize + Default;
    /// File of the rows.
    const ROWS: &str;
    /// File of the details.
    const DETAILS: &str;

    /// Axes and metrics that the run declares.
    fn declarable(&mut self) -> Vec<&mut Params>;

    /// Completes the file of the rows of a finished run.
    ///
    /// # Errors
    /// If it can't be read or written.
    fn tidy(_folder: &Path) -> Result<(), StoreError> {
        Ok(())
    }
}

/// The locked folder of a run in progress: `run.json`, and the files of its rows and their details.
pub struct Folder<R: RunRows> {
    pub(super) path: PathBuf,
    pub(super) rows: TableFile<R>,
    pub(super) details: TableFile<R::Detail>,
}

impl<R: RunRows> Folder<R> {
    /// Creates the folder, if needed, and its files.
    ///
    /// # Errors
    /// If the folder can't be written, or contains a run already.
    pub fn create(path: &Path, record: &RunRecord) -> Result<Self, StoreError> {
        files::create_folder(path).map_err(|source| StoreError::io(path, source))?;
        if is_run(path) {
            return Err(StoreError::Occupied(path.to_owned()));
        }
        let details = TableFile::create(&path.join(R::DETAILS))?;
        let rows = TableFile::create(&path.join(R::ROWS))?;
        details.lock()?;
        describe(path, record)?;
        Ok(Folder { path: path.to_owned(), rows, details })
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes `run.json`, atomically replacing an earlier one. If the run is finished, the file of
    /// the rows is completed: no row may follow.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn describe(&self, record: &RunRecord) -> Result<(), StoreError> {
        if record.finished.is_some() {
            R::tidy(&self.path)?;
        }
        describe(&self.path, record)
    }

    /// Appends details; they are on disk when this returns.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn append_details(&mut self, details: &[R::Detail]) -> Result<(), StoreError> {
        self.details.append_durably(details)
    }

    /// Appends a row with its details; both are on disk when this returns.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn append(&mut self, row: &R, details: &[R::Detail]) -> Result<(), StoreError> {
        self.append_details(details)?;
        self.rows.append_durably(std::slice::from_ref(row))
    }
}

/// True if a folder contains a run, even an interrupted one.
pub fn is_run(folder: &Path) -> bool {
    folder.join(RUN).exists()
}

/// Writes `run.json` into a folder, atomically replacing an earlier one.
///
/// # Errors
/// If it can't be written.
pub fn describe(folder: &Path, record: &RunRecord) -> Result<(), StoreError> {
    let path = folder.join(RUN);
    replace(&path, json(&path, record)?.as_bytes())
}

/// Atomically replaces the content of a file.
pub(super) fn replace(path: &Path, text: &[u8]) -> Result<(), StoreError> {
    files::write_own(path, text).map_err(|source| StoreError::io(path, source))
}

/// Writes a JSON file, atomically replacing an earlier one.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), StoreError> {
    replace(path, json(path, value)?.as_bytes())
}

/// Serialises the content of a JSON file.
pub(super) fn json(path: &Path, value: &impl Serialize) -> Result<String, StoreError> {
    let text = serde_json::to_string_pretty(value);
    Ok(text.map_err(|error| StoreError::format(path, error))? + "\n")
}
