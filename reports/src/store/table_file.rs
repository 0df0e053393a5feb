//! A CSV file that grows row by row.

use std::fs::File;
use std::io::Write;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::StoreError;

/// Rows of one kind in a file.
pub(super) struct TableFile<R> {
    path: PathBuf,
    file: File,
    rows: PhantomData<fn(R)>,
}

impl<R: Serialize> TableFile<R> {
    /// Creates the file with its header: it can be read before the first row.
    pub(super) fn create(path: &Path, columns: &str) -> Result<Self, StoreError> {
        let io_error = |source| StoreError::io(path, source);
        let mut file = File::create(path).map_err(io_error)?;
        writeln!(file, "{columns}").map_err(io_error)?;
        Ok(TableFile {
            path: path.to_owned(),
            file,
            rows: PhantomData,
        })
    }

    /// Appends rows in a single write: nobody ever sees half of them but after
    /// a crash of the system itself.
    pub(super) fn append(&mut self, rows: &[R]) -> Result<(), StoreError> {
        let mut writer = csv::WriterBuilder::new()
            .has_headers(false)
            .from_writer(Vec::new());
        for row in rows {
            writer
                .serialize(row)
                .map_err(|error| StoreError::csv(&self.path, error))?;
        }
        let text = writer
            .into_inner()
            .map_err(|error| StoreError::format(&self.path, error))?;
        self.file
            .write_all(&text)
            .map_err(|source| StoreError::io(&self.path, source))
    }
}
