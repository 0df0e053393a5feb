//! Text with a header that is known, line by line, and the fields of a line, checked against their
//! ranges.

use std::io::Read;
use std::path::Path;

use csv::{Reader, ReaderBuilder, StringRecord, Trim};
use files::Lines;
use text::Untrusted;

use crate::DataError;

/// Checks that the value of a field is not too large.
///
/// # Errors
/// A message with the name of the field.
pub fn in_range(name: &str, value: u32, largest: u32) -> Result<(), String> {
    if value <= largest {
        return Ok(());
    }
    Err(format!("{name} {value} is above {largest}"))
}

/// Error for a line of text.
pub fn csv_error(path: &Path, error: csv::Error) -> DataError {
    let location = error
        .position()
        .map_or_else(|| "while reading".to_owned(), |location| format!("line {}", location.line()));
    let message = error.to_string();
    let problem = match error.into_kind() {
        // The message for too long or cut-off lines is complete already.
        csv::ErrorKind::Io(source) => return DataError::io(path, source),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} fields instead of {expected_len}; is the file cut off?")
        }
        _ => message,
    };
    DataError::format(path, location, problem)
}

/// A reader of text that refuses overlong lines and cut-off last lines.
pub fn reader<R: Read>(source: R) -> Reader<Lines<R>> {
    ReaderBuilder::new().trim(Trim::All).from_reader(Lines::for_table(source))
}

/// Calls `take` for each line after the header; its error is reported with the line number.
pub fn for_each_row(
    path: &Path,
    source: impl Read,
    columns: &[&str],
    mut take: impl FnMut(&StringRecord) -> Result<(), String>,
) -> Result<(), DataError> {
    let mut reader = reader(source);
    let header = reader.headers().map_err(|error| csv_error(path, error))?;
    if header != columns {
        let found = header.iter().collect::<Vec<_>>().join(",");
        let problem =
            format!("the header is {}, not {}", found.quoted(), columns.join(",").quoted());
        return Err(DataError::format(path, "line 1", problem));
    }
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| csv_error(path, error))? {
        let line = record.position().map_or(0, csv::Position::line);
        take(&record)
            .map_err(|problem| DataError::format(path, format!("line {line}"), problem))?;
    }
    Ok(())
}
