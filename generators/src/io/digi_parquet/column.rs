//! Values of a column, batch by batch.

use parquet::basic::{ConvertedType, LogicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType};
use parquet::file::metadata::RowGroupMetaData;
use parquet::schema::types::ColumnDescriptor;

use super::Problem;
use super::pages::{CheckedFile, CheckedPages};
use crate::io::digi_table::Cell;

/// 32-bit floats are exact up to here.
const EXACT: f32 = 16_777_216.0;

/// Numbers and names of sides are shorter.
const MAX_TEXT_BYTES: usize = 64;

/// A column of a row group.
pub(super) struct Column {
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
    pub(super) fn open(
        file: &CheckedFile,
        group: &RowGroupMetaData,
        index: usize,
    ) -> Result<Self, Problem> {
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
    pub(super) fn read(&mut self, row: u64, count: usize) -> Result<(), Problem> {
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
    pub(super) fn cell(&self, index: usize) -> Cell<'_> {
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
