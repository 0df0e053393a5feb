//! Digis as text: `module,side,channel,time_ns,adc`, in any order and among other columns.
//!
//! `side` is 0 (front) or 1 (back); the words are understood too. Channels
//! count from 0 on their side, times are in ns, charges in ADC units.

use std::io::{self, Read, Write};
use std::path::Path;

use csv::{Position, ReaderBuilder, StringRecord, Trim};
use files::Lines;
use generators_common::DataError;
use generators_common::io::rows::csv_error;

use super::digi_table::{COLUMNS, Cell, Columns, DigiTable, ReadDigis};
use crate::{ModuleSide, SegmentedDigis};

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Writes all digis, segment after segment, in their order.
pub(super) fn write(sink: &mut impl Write, digis: &SegmentedDigis) -> io::Result<()> {
    writeln!(sink, "{}", COLUMNS.join(","))?;
    let segments = digis.partition().segments();
    for (segment, digis) in digis.segments().enumerate() {
        let ModuleSide { module, back } = ModuleSide::of_segment(segment, segments);
        let side = u8::from(back);
        for digi in digis {
            let channel = digi.channel();
            let time = digi.time_ns();
            let adc = digi.adc();
            writeln!(sink, "{module},{side},{channel},{time},{adc}")?;
        }
    }
    Ok(())
}

/// True if a text begins with a header that has a column of digis.
pub(super) fn is_header(first: &[u8]) -> bool {
    let text = String::from_utf8_lossy(first);
    let line = text.trim_start_matches(BYTE_ORDER_MARK).lines().next().unwrap_or_default();
    let names = line.split([',', ';', '\t']);
    Columns::are_named(names.map(|name| name.trim_matches([' ', '"', '#'])))
}

/// Appends all rows to a table, and returns the digis.
pub(super) fn read(
    path: &Path,
    source: &mut dyn Read,
    mut table: DigiTable,
) -> Result<ReadDigis, DataError> {
    let source = Lines::for_table(source);
    // Lengths of rows are checked here: comments have others. So are blanks, which the reader would
    // remove from copies of all fields.
    let mut reader = ReaderBuilder::new().trim(Trim::Headers).flexible(true).from_reader(source);
    let header = reader.headers().map_err(|error| csv_error(path, error))?;
    let names: Vec<_> = header.iter().collect();
    let width = names.len();
    let columns =
        Columns::find(&names).map_err(|problem| DataError::format(path, "line 1", problem))?;
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| csv_error(path, error))? {
        let line = record.position().map_or(0, Position::line);
        let cells = check_row(&record, width)
            .map(|()| columns.indices.map(|index| Cell::parse(record[index].trim())));
        cells
            .and_then(|cells| table.push(line, cells))
            .map_err(|problem| at_line(path, line, problem))?;
    }
    table.finish(&columns.ignored, "line").map_err(|found| at_line(path, found.row, found.problem))
}

fn at_line(path: &Path, line: u64, problem: String) -> DataError {
    DataError::format(path, format!("line {line}"), problem)
}

fn check_row(record: &StringRecord, width: usize) -> Result<(), String> {
    if record.get(0).is_some_and(|first| first.trim_start().starts_with('#')) {
        return Err("comments (#) are not read; remove such lines".to_owned());
    }
    let fields = record.len();
    if fields != width {
        return Err(format!("{fields} fields instead of {width}; is the file cut off?"));
    }
    Ok(())
}
