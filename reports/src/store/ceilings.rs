//! Measured ceilings in a folder of their own.

use std::path::Path;

use super::StoreError;
use super::table_file::table;
use super::write::{json, replace};
use crate::record::CeilingsRecord;

const RECORD: &str = "ceilings.json";
const LINKS: &str = "links.csv";
const COLUMNS: &str = "device,memory,direction,block_bytes,bytes_per_s";

/// Checks that ceilings can be written to a folder, before they are measured.
///
/// # Errors
/// If it can't be created, or contains some already.
pub fn claim_ceilings(folder: &Path) -> Result<(), StoreError> {
    files::create_folder(folder).map_err(|source| StoreError::io(folder, source))?;
    if folder.join(RECORD).exists() { Err(StoreError::Occupied(folder.to_owned())) } else { Ok(()) }
}

/// Writes `ceilings.json` and, if a link was measured, `links.csv`.
///
/// # Errors
/// If they can't be written, or exist already.
pub fn write_ceilings(folder: &Path, record: &CeilingsRecord) -> Result<(), StoreError> {
    claim_ceilings(folder)?;
    // The record is written last: if it is missing, the folder counts as empty and may be written
    // again.
    if !record.links.is_empty() {
        let path = folder.join(LINKS);
        replace(&path, &table(&path, COLUMNS, &record.links)?)?;
    }
    let path = folder.join(RECORD);
    replace(&path, json(&path, record)?.as_bytes())
}
