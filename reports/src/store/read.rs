//! Reading a run folder.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{RUN, SAMPLES, SUMMARY, StoreError};
use crate::record::{RunRecord, SCHEMA_VERSION, SampleRow, SummaryRow};

/// The part of `run.json` that every version has.
#[derive(Deserialize)]
struct Versioned {
    schema_version: u32,
}

/// Reads `run.json`.
///
/// # Errors
/// If it is missing, damaged or of another version.
pub fn read_run(folder: &Path) -> Result<RunRecord, StoreError> {
    let path = folder.join(RUN);
    let text = fs::read_to_string(&path).map_err(|source| StoreError::io(&path, source))?;
    let parse_error = |error| StoreError::format(&path, error);
    let Versioned { schema_version } = serde_json::from_str(&text).map_err(parse_error)?;
    if schema_version != SCHEMA_VERSION {
        return Err(StoreError::Version {
            path,
            found: schema_version,
            known: SCHEMA_VERSION,
        });
    }
    serde_json::from_str(&text).map_err(parse_error)
}

/// Reads `samples.csv`.
///
/// # Errors
/// If it is missing or damaged: the error names the line.
pub fn read_samples(folder: &Path) -> Result<Vec<SampleRow>, StoreError> {
    read_rows(&folder.join(SAMPLES))
}

/// Reads `summary.csv`.
///
/// # Errors
/// If it is missing or damaged: the error names the line.
pub fn read_summary(folder: &Path) -> Result<Vec<SummaryRow>, StoreError> {
    read_rows(&folder.join(SUMMARY))
}

fn read_rows<R: DeserializeOwned>(path: &Path) -> Result<Vec<R>, StoreError> {
    let file = fs::File::open(path).map_err(|source| StoreError::io(path, source))?;
    let mut reader = csv::Reader::from_reader(file);
    let rows: Result<Vec<R>, _> = reader.deserialize().collect();
    rows.map_err(|error| StoreError::csv(path, error))
}
