//! Digis as Parquet, with the columns and the rules of CSV.
//!
//! | module | content |
//! |---|---|
//! | `pages` | pages of a column, whose claims are checked |
//! | `column` | values of a column |
//! | `thrift` | claims that are checked before the crate reads them |

mod column;
mod pages;
mod thrift;

use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use bytes::Bytes;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::schema::types::SchemaDescriptor;

use super::digi_table::{Columns, DigiTable, ReadDigis};
use crate::DataError;
use column::Column;
use pages::CheckedFile;

/// First bytes of a file.
pub(super) const MAGIC: [u8; 4] = *b"PAR1";
/// Rows that are read at once.
const BATCH: usize = 8192;
/// Digis take more than a byte: more than this many rows for each byte of a file are refused.
const MAX_ROWS_PER_BYTE: u64 = 64;
/// Rows that are allowed whatever the size of a file.
const ALLOWED_ROWS: u64 = 1 << 20;

/// A problem with a file.
pub(super) enum Problem {
    File(String),
    Row { row: u64, problem: String },
}

impl From<ParquetError> for Problem {
    fn from(error: ParquetError) -> Self {
        Problem::File(format!("damaged Parquet data: {error}"))
    }
}

/// Appends all rows to a table, and returns the digis.
pub(super) fn read(
    path: &Path,
    source: &mut dyn Read,
    table: DigiTable,
) -> Result<ReadDigis, DataError> {
    let mut bytes = Vec::new();
    source.read_to_end(&mut bytes).map_err(|error| DataError::io(path, error))?;
    // Some damage makes the crate panic.
    let read = catch_unwind(AssertUnwindSafe(|| read_table(bytes.into(), table)));
    let read = read.unwrap_or_else(|_| Err(Problem::File("damaged Parquet data".to_owned())));
    read.map_err(|problem| match problem {
        Problem::File(problem) => DataError::format(path, "in its tables", problem),
        Problem::Row { row, problem } => DataError::format(path, format!("row {row}"), problem),
    })
}

fn read_table(bytes: Bytes, mut table: DigiTable) -> Result<ReadDigis, Problem> {
    thrift::check_schema(&bytes)?;
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&bytes)?;
    check_rows(&metadata, bytes.len() as u64)?;
    let columns = find(metadata.file_metadata().schema_descr())?;
    let file = CheckedFile::new(bytes);
    let mut first_row = 0;
    for group in metadata.row_groups() {
        let columns = columns.indices.map(|index| Column::open(&file, group, index));
        let [a, b, c, d, e] = columns;
        read_group([a?, b?, c?, d?, e?], group, first_row, &mut table)?;
        first_row += group.num_rows() as u64;
    }
    let digis = table.finish(&columns.ignored, "row");
    digis.map_err(|found| Problem::Row { row: found.row, problem: found.problem })
}

/// Refuses numbers of rows that the file can't have.
fn check_rows(metadata: &ParquetMetaData, bytes: u64) -> Result<(), Problem> {
    let groups = metadata.row_groups().iter();
    let rows = groups.map(|group| u64::try_from(group.num_rows()).unwrap_or(u64::MAX));
    let rows = rows.fold(0, u64::saturating_add);
    if rows <= bytes.saturating_mul(MAX_ROWS_PER_BYTE).saturating_add(ALLOWED_ROWS) {
        return Ok(());
    }
    Err(Problem::File(format!("damaged Parquet data: {rows} rows in {bytes} bytes")))
}

fn find(schema: &SchemaDescriptor) -> Result<Columns, Problem> {
    let names: Vec<_> = schema.columns().iter().map(|column| column.path().string()).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    Columns::find(&names).map_err(Problem::File)
}

fn read_group(
    mut columns: [Column; 5],
    group: &RowGroupMetaData,
    first_row: u64,
    table: &mut DigiTable,
) -> Result<(), Problem> {
    let rows = group.num_rows() as usize;
    let mut row = 0;
    while row < rows {
        let count = BATCH.min(rows - row);
        for column in &mut columns {
            column.read(first_row + row as u64, count)?;
        }
        for index in 0..count {
            let row = first_row + (row + index) as u64;
            let [module, side, channel, time, adc] = &columns;
            let cells = [module, side, channel, time, adc].map(|column| column.cell(index));
            table.push(row, cells).map_err(|problem| Problem::Row { row, problem })?;
        }
        row += count;
    }
    Ok(())
}
