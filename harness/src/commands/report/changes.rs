//! The reported run against the one given by `--base`.

use std::path::Path;

use files::{LARGEST_RECORD, read_text};
use reports::compare::{CompareOptions, Comparison, Measured, compare};
use reports::store::StoreError;

use super::super::runs::{self, StoreContext};
use crate::failure::Failure;
use crate::request::ReportRequest;

/// Returns the requested comparison, if any: an earlier one, including its confirmation, or a
/// new one.
pub(super) fn comparison(
    request: &ReportRequest,
    reported: &Path,
    store: &Path,
) -> Result<Option<Comparison>, Failure> {
    if let Some(file) = &request.comparison {
        return read(file).map(Some);
    }
    let Some(base) = request.base.as_deref() else {
        return Ok(None);
    };
    let base = runs::folder(base, store, Some(&runs::series(reported)?))?;
    let base = Measured::read(&base)?;
    let new = Measured::read(reported)?;
    let mut background = StoreContext::read(store, &new);
    let options = CompareOptions {
        flags: store_flag(request),
        scatter: background.scatter.take(),
        ..CompareOptions::default()
    };
    let mut comparison = compare(&base, &new, &options)?;
    background.annotate(&mut comparison);
    Ok(Some(comparison))
}

/// Flags of compare that select the same store.
fn store_flag(request: &ReportRequest) -> Vec<String> {
    let store = request.store.iter();
    let words =
        store.flat_map(|store| ["--store".to_owned(), store.to_string_lossy().into_owned()]);
    words.collect()
}

/// Reads a file written by `bench compare --json`.
fn read(file: &Path) -> Result<Comparison, Failure> {
    let text = read_text(file, LARGEST_RECORD)
        .map_err(|source| StoreError::Io { path: file.to_owned(), source })?;
    let comparison = serde_json::from_str(&text).map_err(|error| StoreError::Format {
        path: file.to_owned(),
        problem: format!("{error}; a file of `bench compare --format json` is needed"),
    });
    Ok(comparison?)
}
