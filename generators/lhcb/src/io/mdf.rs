//! MDF: events as the experiment stores them.

use std::path::Path;

use generators_common::DataError;

use crate::events::Events;

/// Reads the events of a file.
///
/// # Errors
/// If the file can't be read.
pub fn read(_path: &Path) -> Result<Events, DataError> {
    Err(DataError::shape("MDF files are not read yet"))
}
