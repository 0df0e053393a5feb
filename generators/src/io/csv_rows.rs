//! Text with a header that is known, line by line.

use std::io::Read;
use std::path::Path;

use csv::{Reader, ReaderBuilder, StringRecord, Trim};
use files::Lines;
use text::Untrusted;

use super::fields::csv_error;
use crate::DataError;

/// A reader of text that refuses overlong lines and cut-off last lines.
pub(super) fn reader<R: Read>(source: R) -> Reader<Lines<R>> {
    ReaderBuilder::new().trim(Trim::All).from_reader(Lines::for_table(source))
}

/// Calls `take` for each line after the header; its error is reported with the line number.
pub(super) fn for_each_row(
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
