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

/// Format of a file of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventFormat {
    Mdf,
    Cases,
}

/// The format of a file by its ending.
fn format_of(path: &Path) -> Result<EventFormat, DataError> {
    let name = name_without_gz(path);
    if name.ends_with(b".mdf") {
        Ok(EventFormat::Mdf)
    } else if name.ends_with(b".cases") {
        Ok(EventFormat::Cases)
    } else {
        let problem = "files of events are named .mdf or .cases, or these with .gz";
        Err(DataError::shape(format!("{}: {problem}", FileName(path))))
    }
}

/// Checks that the name of a file is one of events.
///
/// # Errors
/// If its format is not known.
pub fn check_event_file(path: &Path) -> Result<(), DataError> {
    format_of(path).map(|_| ())
}

/// Reads the events of a file, in the format of its ending. Of an event that has banks of both kinds those of
/// the preferred one are read.
///
/// # Errors
/// If it can't be read, or its format is not known.
pub fn read_events(path: &Path, preferred: BankKind) -> Result<Events, DataError> {
    match format_of(path)? {
        EventFormat::Mdf => mdf::read(path, preferred),
        EventFormat::Cases => cases::read(path),
    }
}

/// Writes events to a file, in the format of its ending. Cases have no truth.
///
/// # Errors
/// If it can't be written, or its format is not known.
pub fn write_events(path: &Path, events: &Events) -> Result<(), DataError> {
    match format_of(path)? {
        EventFormat::Mdf => mdf::write(path, events),
        EventFormat::Cases => cases::write(path, events),
    }
}
