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
use crate::io::names::{next_to, without_gz};

const PAGES: &str = ".pages";
const INDEX: &str = ".index.csv";

/// The index that belongs to a file of pages: its name with another ending.
///
/// # Errors
/// If the file's name ends neither with `.pages` nor with `.pages.gz`.
pub fn index_of(pages: &Path) -> Result<PathBuf, DataError> {
    Ok(next_to(pages, &[stem_of(pages)?, INDEX.as_bytes()]))
}

/// The name of a file of pages without folder and endings.
pub(super) fn stem_of(pages: &Path) -> Result<&[u8], DataError> {
    without_gz(pages).strip_suffix(PAGES.as_bytes()).ok_or_else(|| {
        DataError::shape(format!(
            "{}: files of pages are named .pages or .pages.gz",
            pages.escaped()
        ))
    })
}
