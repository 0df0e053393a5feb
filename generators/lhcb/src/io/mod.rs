//! Files of the VELO.
//!
//! | module | content |
//! |---|---|
//! | [`mdf`] | events as the experiment stores them |
//! | [`cases`] | events as text, with what is expected of them |

pub mod cases;
pub mod mdf;

use std::path::Path;

use generators_common::DataError;
use generators_common::io::FileName;
use generators_common::io::file::name_without_gz;

use crate::events::Events;
use crate::format::BankKind;

/// Endings of the files that [`read_events`] reads, without that of compressed files.
pub const ENDINGS: &[&str] = &["mdf", "cases"];

/// Reads the events of a file, in the format of its ending. Of an event that has banks of both kinds those of
/// the preferred one are read.
///
/// # Errors
/// If it can't be read, or its format is not known.
pub fn read_events(path: &Path, preferred: BankKind) -> Result<Events, DataError> {
    let name = name_without_gz(path);
    if name.ends_with(b".mdf") {
        mdf::read(path, preferred)
    } else if name.ends_with(b".cases") {
        cases::read(path)
    } else {
        let problem = "events are in files named .mdf or .cases, or these with .gz";
        Err(DataError::shape(format!("{}: {problem}", FileName(path))))
    }
}

/// Writes events to a file, in the format of its ending. Cases have no truth.
///
/// # Errors
/// If it can't be written, or its format is not known.
pub fn write_events(path: &Path, events: &Events) -> Result<(), DataError> {
    let name = name_without_gz(path);
    if name.ends_with(b".mdf") {
        mdf::write(path, events)
    } else if name.ends_with(b".cases") {
        cases::write(path, events)
    } else {
        let problem = "events are written to files named .mdf or .cases, or these with .gz";
        Err(DataError::shape(format!("{}: {problem}", FileName(path))))
    }
}
