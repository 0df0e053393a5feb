//! The index: which stream has how many pages.

use std::io::{self, Read, Write};
use std::path::Path;

use generators_common::DataError;
use generators_common::io::rows::{self, csv_error, in_range};
use text::Untrusted;

use crate::Endpoint;
use crate::geometry::{ENDPOINTS, SECTORS};
use crate::pages::StreamId;

const SECTOR: &str = "sector";
const COLUMNS: [&str; 2] = ["endpoint", "n_pages"];
/// More pages than any file has: the counts of an index can be added.
const MAX_PAGES: u32 = 1 << 30;

/// A stream and the number of its pages.
pub(super) type Entry = (StreamId, usize);

/// Writes the index; with a column for the sector if there is more than one.
pub(super) fn write(sink: &mut impl Write, entries: &[Entry]) -> io::Result<()> {
    let several = entries.windows(2).any(|pair| pair[0].0.sector != pair[1].0.sector);
    let columns = COLUMNS.join(",");
    if several {
        writeln!(sink, "{SECTOR},{columns}")?;
    } else {
        writeln!(sink, "{columns}")?;
    }
    for (StreamId { sector, endpoint }, pages) in entries {
        if several {
            write!(sink, "{sector},")?;
        }
        writeln!(sink, "{},{pages}", endpoint.number())?;
    }
    Ok(())
}

/// Reads an index; `sector` is used if it has no column for the sector.
pub(super) fn read(
    path: &Path,
    source: impl Read,
    sector: Option<u8>,
) -> Result<Vec<Entry>, DataError> {
    let mut reader = rows::reader(source);
    let header = reader.headers().map_err(|error| csv_error(path, error))?;
    let form = Form::from_header(path, header, sector)?;
    let mut entries: Vec<Entry> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| csv_error(path, error))?;
        let line = record.position().map_or(0, csv::Position::line);
        let at_line = |problem| DataError::format(path, format!("line {line}"), problem);
        let entry = form.parse(&record).map_err(at_line)?;
        if let Some((last, _)) = entries.last().filter(|(last, _)| *last >= entry.0) {
            return Err(at_line(format!(
                "{} is not after {}; list each stream once, by sector and endpoint",
                describe(entry.0),
                describe(*last)
            )));
        }
        entries.push(entry);
    }
    Ok(entries)
}

fn describe(StreamId { sector, endpoint }: StreamId) -> String {
    format!("sector {sector} endpoint {}", endpoint.number())
}

/// Source of the sector of an index's entries.
enum Form {
    Column,
    OfAll(u8),
}

impl Form {
    fn from_header(
        path: &Path,
        header: &csv::StringRecord,
        sector: Option<u8>,
    ) -> Result<Self, DataError> {
        let at_header = |problem| DataError::format(path, "line 1", problem);
        let columns: Vec<_> = header.iter().collect();
        if columns == [SECTOR, COLUMNS[0], COLUMNS[1]] {
            return Ok(Form::Column);
        }
        if columns != COLUMNS {
            return Err(at_header(format!(
                "the header is {}, neither \"endpoint,n_pages\" nor \"sector,endpoint,n_pages\"",
                columns.join(",").quoted()
            )));
        }
        let missing =
            || at_header("it has no column for the sector; select one with --sector".to_owned());
        sector.map(Form::OfAll).ok_or_else(missing)
    }

    fn parse(&self, record: &csv::StringRecord) -> Result<Entry, String> {
        let (sector, first) = match self {
            Form::Column => (number(record, 0, SECTOR, SECTORS as u32 - 1)? as u8, 1),
            Form::OfAll(sector) => (*sector, 0),
        };
        let endpoint = number(record, first, COLUMNS[0], ENDPOINTS as u32 - 1)?;
        let pages = number(record, first + 1, COLUMNS[1], MAX_PAGES)?;
        let endpoint = Endpoint::new(endpoint as usize).ok_or("no such endpoint")?;
        Ok((StreamId { sector, endpoint }, pages as usize))
    }
}

fn number(
    record: &csv::StringRecord,
    column: usize,
    name: &str,
    largest: u32,
) -> Result<u32, String> {
    let text = &record[column];
    let problem = |_| format!("{name} {} is not a whole number of 0 or more", text.quoted());
    let value = text.parse().map_err(problem)?;
    in_range(name, value, largest)?;
    Ok(value)
}
