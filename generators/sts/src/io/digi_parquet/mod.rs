//! Digis as Parquet, with the columns and the rules of CSV.
//!
//! | module | content |
//! |---|---|
//! | `pages` | pages of a column, whose claims are checked |
//! | `thrift` | claims that are checked before the crate reads them |

mod pages;
mod thrift;

use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use bytes::Bytes;
use generators_common::DataError;
use parquet::basic::{ConvertedType, LogicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use super::digi_table::{Cell, Columns, DigiTable, ReadDigis};
use pages::{CheckedFile, CheckedPages};

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

/// 32-bit floats are exact up to here.
const EXACT: f32 = 16_777_216.0;

/// Numbers and names of sides are shorter.
const MAX_TEXT_BYTES: usize = 64;

/// A column of a row group.
struct Column {
    name: String,
    /// Definition level of values that are not null.
    max_level: i16,
    is_unsigned: bool,
    reader: ColumnReader,
    /// The batch that was read last.
    batch: Batch,
}

enum Batch {
    Whole(Vec<i128>),
    Float(Vec<f64>),
    Text(Vec<String>),
}

impl Column {
    /// Opens a column of a row group.
    fn open(file: &CheckedFile, group: &RowGroupMetaData, index: usize) -> Result<Self, Problem> {
        let descriptor = group.schema_descr().column(index);
        check_type(&descriptor)?;
        let pages = CheckedPages::open(file, group, index)?;
        Ok(Column {
            name: descriptor.name().to_owned(),
            max_level: descriptor.max_def_level(),
            is_unsigned: is_unsigned(&descriptor),
            reader: get_column_reader(descriptor, Box::new(pages)),
            batch: Batch::Whole(Vec::new()),
        })
    }

    /// Reads the next values, given the index of their first row.
    fn read(&mut self, row: u64, count: usize) -> Result<(), Problem> {
        let rows = Rows { name: &self.name, first: row, count, max_level: self.max_level };
        let is_unsigned = self.is_unsigned;
        let of_i32 = |value: i32| if is_unsigned { (value as u32).into() } else { value.into() };
        let of_i64 = |value: i64| if is_unsigned { (value as u64).into() } else { value.into() };
        self.batch = match &mut self.reader {
            ColumnReader::BoolColumnReader(it) => Batch::Whole(rows.read(it, i128::from)?),
            ColumnReader::Int32ColumnReader(it) => Batch::Whole(rows.read(it, of_i32)?),
            ColumnReader::Int64ColumnReader(it) => Batch::Whole(rows.read(it, of_i64)?),
            ColumnReader::FloatColumnReader(it) => {
                let values = rows.read(it, |value| value)?;
                rows.check_exact(&values)?;
                Batch::Float(values.into_iter().map(f64::from).collect())
            }
            ColumnReader::DoubleColumnReader(it) => Batch::Float(rows.read(it, |value| value)?),
            ColumnReader::ByteArrayColumnReader(it) => Batch::Text(rows.read(it, text)?),
            _ => return Err(unsupported(&self.name)),
        };
        Ok(())
    }

    /// A value of the batch.
    fn cell(&self, index: usize) -> Cell<'_> {
        match &self.batch {
            Batch::Whole(values) => Cell::Whole(values[index]),
            Batch::Float(values) => Cell::Float(values[index]),
            Batch::Text(values) => Cell::parse(&values[index]),
        }
    }
}

/// The beginning of a text: that of a dictionary may be long, and is copied for each row.
fn text(bytes: ByteArray) -> String {
    let bytes = bytes.data();
    String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_TEXT_BYTES)]).into_owned()
}

/// Rows of a batch.
struct Rows<'a> {
    name: &'a str,
    first: u64,
    count: usize,
    max_level: i16,
}

impl Rows<'_> {
    /// Reads and converts the values of all rows, none of which may be null.
    fn read<T: DataType, V>(
        &self,
        reader: &mut ColumnReaderImpl<T>,
        convert: impl Fn(T::T) -> V,
    ) -> Result<Vec<V>, Problem> {
        let mut values = Vec::new();
        let mut levels = Vec::new();
        let with_levels = (self.max_level > 0).then_some(&mut levels);
        let (rows, _, _) = reader.read_records(self.count, with_levels, None, &mut values)?;
        if let Some(index) = levels.iter().position(|&level| level < self.max_level) {
            return Err(self.problem(index, "is null"));
        }
        if rows < self.count || values.len() != self.count {
            return Err(self.problem(values.len(), "is missing: the file has fewer values"));
        }
        Ok(values.into_iter().map(convert).collect())
    }

    /// Refuses values that may have been rounded.
    fn check_exact(&self, values: &[f32]) -> Result<(), Problem> {
        let rounded = values.iter().position(|value| value.abs() > EXACT);
        rounded.map_or(Ok(()), |index| {
            let problem = format!("is above {EXACT}, where 32-bit floats are rounded");
            Err(self.problem(index, &format!("{problem}; write integers")))
        })
    }

    fn problem(&self, index: usize, problem: &str) -> Problem {
        let row = self.first + index as u64;
        Problem::Row { row, problem: format!("{} {problem}", self.name) }
    }
}

/// Refuses lists and types that are neither numbers nor text.
fn check_type(descriptor: &ColumnDescriptor) -> Result<(), Problem> {
    let is_plain = match descriptor.logical_type_ref() {
        None => !matches!(
            descriptor.converted_type(),
            ConvertedType::DECIMAL
                | ConvertedType::DATE
                | ConvertedType::TIME_MILLIS
                | ConvertedType::TIME_MICROS
                | ConvertedType::TIMESTAMP_MILLIS
                | ConvertedType::TIMESTAMP_MICROS
                | ConvertedType::INTERVAL
        ),
        Some(LogicalType::Integer(_) | LogicalType::String | LogicalType::Enum) => true,
        Some(_) => false,
    };
    if is_plain && descriptor.max_rep_level() == 0 {
        return Ok(());
    }
    Err(unsupported(descriptor.name()))
}

fn unsupported(name: &str) -> Problem {
    Problem::File(format!("the column {name} has values that are neither numbers nor text"))
}

fn is_unsigned(descriptor: &ColumnDescriptor) -> bool {
    match descriptor.logical_type_ref() {
        Some(LogicalType::Integer(integer)) => !integer.is_signed,
        _ => matches!(
            descriptor.converted_type(),
            ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64
        ),
    }
}
