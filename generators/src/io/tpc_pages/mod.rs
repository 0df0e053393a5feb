//! Raw pages: a file of slots, and an index of their streams.
//!
//! `NAME.pages` has the slots of 8192 bytes, stream after stream. `NAME.index.csv` has a line for
//! each stream: `endpoint,n_pages` if all are of one sector, `sector,endpoint,n_pages` otherwise.
//! Either may be gzipped.

mod index;
mod read;
mod write;

pub use read::{PageSelection, read_raw_pages};
pub use write::{PageWriter, write_raw_pages};

use std::path::{Path, PathBuf};

use text::Untrusted;

use crate::DataError;

const PAGES: &str = ".pages";
const INDEX: &str = ".index.csv";

/// The index that belongs to a file of pages: its name with another ending.
///
/// # Errors
/// If the file's name ends neither with `.pages` nor with `.pages.gz`.
pub fn index_of(pages: &Path) -> Result<PathBuf, DataError> {
    Ok(PathBuf::from(format!("{}{INDEX}", stem_of(pages)?)))
}

/// The name of a file of pages without its endings.
pub(super) fn stem_of(pages: &Path) -> Result<String, DataError> {
    let name = pages.to_string_lossy();
    let stem = name.strip_suffix(".gz").unwrap_or(&name);
    match stem.strip_suffix(PAGES) {
        Some(stem) => Ok(stem.to_owned()),
        None => Err(DataError::shape(format!(
            "{}: files of pages are named .pages or .pages.gz",
            pages.escaped()
        ))),
    }
}
