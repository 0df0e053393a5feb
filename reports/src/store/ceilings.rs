//! Measured ceilings in a folder of their own.

use std::fs;
use std::path::Path;

use super::StoreError;
use super::table_file::TableFile;
use super::write::json;
use crate::record::{CeilingsRecord, LinkPoint};

const RECORD: &str = "ceilings.json";
const LINKS: &str = "links.csv";
const COLUMNS: &str = "device,memory,direction,block_bytes,bytes_per_s";

/// Makes sure that ceilings can be written to a folder, before they are measured.
///
/// # Errors
/// If it can't be made, or has some already.
pub fn claim_ceilings(folder: &Path) -> Result<(), StoreError> {
    fs::create_dir_all(folder).map_err(|source| StoreError::io(folder, source))?;
    if folder.join(RECORD).exists() { Err(StoreError::Occupied(folder.to_owned())) } else { Ok(()) }
}

/// Writes `ceilings.json` and, if a link was measured, `links.csv`.
///
/// # Errors
/// If they can't be written, or are there already.
pub fn write_ceilings(folder: &Path, record: &CeilingsRecord) -> Result<(), StoreError> {
    claim_ceilings(folder)?;
    let path = folder.join(RECORD);
    if !record.links.is_empty() {
        TableFile::<LinkPoint>::create(&folder.join(LINKS), COLUMNS)?.append(&record.links)?;
    }
    files::write_own(&path, json(&path, record)?).map_err(|source| StoreError::io(&path, source))
}
