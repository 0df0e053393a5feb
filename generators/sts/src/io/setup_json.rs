//! Setups as JSON.

use std::io::Write;
use std::path::Path;

use files::{LARGEST_RECORD, text_of};
use generators_common::DataError;
use generators_common::io::file::{Sink, open, write_file};
use serde::de::DeserializeOwned;

use crate::raw::Readout;
use crate::setup::Setup;

/// Reads the setup of a detector: a JSON object with the keys `asic`, `cuts`,
/// `landau` and `modules`. Other keys at the top don't matter.
///
/// # Errors
/// If the file can't be read, or a key is missing or makes no sense: the error
/// names the line and the key.
pub fn read_setup(path: &Path) -> Result<Setup, DataError> {
    read(path)
}

/// Reads the tables that unpackers need: a JSON object with the keys `walk_tables`, `elinks` and,
/// for the code of 2023, `elinks2023`. Other top-level keys are ignored.
///
/// # Errors
/// If the file can't be read, or is not what it has to be: the error names the line and column.
pub fn read_readout(path: &Path) -> Result<Readout, DataError> {
    read(path)
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, DataError> {
    let text = text_of(open(path)?, LARGEST_RECORD);
    let text = text.map_err(|source| DataError::io(path, source))?;
    let mut reader = serde_json::Deserializer::from_str(&text);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let key = error.path().to_string();
        format_error(path, &key, error.inner())
    })?;
    reader.end().map_err(|error| format_error(path, ".", &error))?;
    Ok(read)
}

/// The key is a dot for the whole file.
fn format_error(path: &Path, key: &str, error: &serde_json::Error) -> DataError {
    let location = match key {
        "." => format!("line {}", error.line()),
        key => format!("line {}, {key}", error.line()),
    };
    // The location is in `location` already; the message repeats it at its end.
    let text = error.to_string();
    let at = text.rfind(" at line ").unwrap_or(text.len());
    DataError::format(path, location, &text[..at])
}

/// Writes a setup for [`read_setup`].
///
/// # Errors
/// If the file can't be written, or holds the tables of the boards of other data.
pub fn write_setup(path: &Path, setup: &Setup) -> Result<(), DataError> {
    keep_other::<Setup, Readout>(path, "the tables of boards")?;
    write_by(path, |sink| serde_json::to_writer_pretty(sink, setup))
}

/// Writes the tables that unpackers need for [`read_readout`].
///
/// # Errors
/// If the file can't be written, or holds the setup of the detector of other data.
pub fn write_readout(path: &Path, readout: &Readout) -> Result<(), DataError> {
    keep_other::<Readout, Setup>(path, "the setup of the detector")?;
    // A line is enough: there are tens of thousands of e-links.
    write_by(path, |sink| serde_json::to_writer(sink, readout))
}

/// Refuses to replace a file that holds the other kind of setup: `NAME.setup.json` is the setup of
/// the detector next to digis, and the tables of boards next to raw data.
fn keep_other<Own: DeserializeOwned, Other: DeserializeOwned>(
    path: &Path,
    holds: &'static str,
) -> Result<(), DataError> {
    let is_taken = read::<Other>(path).is_ok() && read::<Own>(path).is_err();
    if is_taken { Err(DataError::Taken { path: path.to_owned(), holds }) } else { Ok(()) }
}

fn write_by(
    path: &Path,
    write: impl FnOnce(&mut Sink) -> serde_json::Result<()>,
) -> Result<(), DataError> {
    write_file(path, |sink| {
        write(sink)?;
        writeln!(sink)
    })
}
