//! Writing pages, sector after sector: a time frame need not fit into memory.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::index::{self, Entry};
use super::index_of;
use crate::DataError;
use crate::io::file::{Sink, create, finish, write_file};
use crate::tpc::pages::{RawPages, SectorPages};

/// Writes pages and their index; returns the index's path.
///
/// # Errors
/// If the name does not end with `.pages` or `.pages.gz`, or a file can't be written.
pub fn write_raw_pages(path: &Path, pages: &RawPages) -> Result<PathBuf, DataError> {
    let mut writer = PageWriter::create(path)?;
    for stream in pages.streams() {
        writer.entries.push((stream.id, stream.pages.len()));
    }
    writer.write_bytes(pages.bytes())?;
    writer.finish()
}

/// A file of pages being written. The index is written at the end: without one,
/// the file is incomplete.
pub struct PageWriter {
    path: PathBuf,
    index: PathBuf,
    sink: Sink,
    entries: Vec<Entry>,
}

impl PageWriter {
    /// Creates the file.
    ///
    /// # Errors
    /// If its name does not end with `.pages` or `.pages.gz`, or it can't be
    /// created.
    pub fn create(path: &Path) -> Result<Self, DataError> {
        Ok(PageWriter {
            path: path.to_owned(),
            index: index_of(path)?,
            sink: create(path)?,
            entries: Vec::new(),
        })
    }

    /// Appends the pages of a sector; sectors must be in ascending order.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn write(&mut self, sector: &SectorPages) -> Result<(), DataError> {
        self.entries.extend(sector.stream_lengths());
        self.write_bytes(sector.pages().as_flattened())
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), DataError> {
        self.sink.write_all(bytes).map_err(|source| DataError::io(&self.path, source))
    }

    /// Flushes the pages and writes the index.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn finish(self) -> Result<PathBuf, DataError> {
        finish(self.sink).map_err(|source| DataError::io(&self.path, source))?;
        write_file(&self.index, |sink| index::write(sink, &self.entries))?;
        Ok(self.index)
    }
}
