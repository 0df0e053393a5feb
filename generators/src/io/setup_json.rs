//! Setups as JSON.

use std::io::Write;
use std::path::Path;

use files::{LARGEST_RECORD, text_of};

use super::file::{create, finish, open};
use crate::DataError;
use crate::sts::setup::Setup;

/// Reads the setup of a detector: a JSON object with the keys `asic`, `cuts`,
/// `landau` and `modules`. Other keys at the top don't matter.
///
/// # Errors
/// If the file can't be read, or a key is missing or makes no sense: the error
/// names the line and the key.
pub fn read_setup(path: &Path) -> Result<Setup, DataError> {
    let text = text_of(open(path)?, LARGEST_RECORD);
    let text = text.map_err(|source| DataError::io(path, source))?;
    let mut reader = serde_json::Deserializer::from_str(&text);
    let setup = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let key = error.path().to_string();
        format_error(path, &key, error.inner())
    })?;
    reader.end().map_err(|error| format_error(path, ".", &error))?;
    Ok(setup)
}

/// The key is a dot for the whole file.
fn format_error(path: &Path, key: &str, error: &serde_json::Error) -> DataError {
    let place = match key {
        "." => format!("line {}", error.line()),
        key => format!("line {}, {key}", error.line()),
    };
    // The place is said already.
    let text = error.to_string();
    let at = text.rfind(" at line ").unwrap_or(text.len());
    DataError::format(path, place, &text[..at])
}

/// Writes a setup for [`read_setup`].
///
/// # Errors
/// If the file can't be written.
pub fn write_setup(path: &Path, setup: &Setup) -> Result<(), DataError> {
    let mut sink = create(path)?;
    let written = serde_json::to_writer_pretty(&mut sink, setup).map_err(Into::into);
    written
        .and_then(|()| writeln!(sink))
        .and_then(|()| finish(sink))
        .map_err(|source| DataError::io(path, source))
}
