//! Tables of what algorithms find: typed columns, as text, binary or Parquet.
//!
//! As text: a header, then a line for each row. As Parquet: in groups of a million rows. As binary
//! columns, little endian: the magic `RECOTAB1`; the number of columns (32 bits) and of rows (64
//! bits); for each column its type (1 byte: `B`, `H`, `I`, `Q` for unsigned numbers of 1, 2, 4 and
//! 8 bytes, `i`, `q` for signed ones of 4 and 8, `f`, `d` for floats of 4 and 8, as in Python's
//! `struct`; `t` for text), the length of its name (1 byte) and its name; then the columns, one
//! after the other. A text is a length (32 bits) and its bytes in UTF-8.

mod parquet;

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use super::file::{Format, format_of, write_file};
use crate::DataError;

/// Rows of one kind, as columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    columns: Vec<Column>,
    rows: usize,
}

/// A named column; units are part of the name, as in `time_ns`.
#[derive(Clone, Debug, PartialEq)]
struct Column {
    name: &'static str,
    values: Values,
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Unsigned numbers of 8 bits.
    U8(Vec<u8>),
    /// Unsigned numbers of 16 bits.
    U16(Vec<u16>),
    /// Unsigned numbers of 32 bits.
    U32(Vec<u32>),
    /// Unsigned numbers of 64 bits.
    U64(Vec<u64>),
    /// Signed numbers of 32 bits.
    I32(Vec<i32>),
    /// Signed numbers of 64 bits.
    I64(Vec<i64>),
    /// Floating-point numbers of 32 bits.
    F32(Vec<f32>),
    /// Floating-point numbers of 64 bits.
    F64(Vec<f64>),
    /// Text without line breaks.
    Text(Vec<Cow<'static, str>>),
}

macro_rules! from_lists {
    ($($values:ident($value:ty)),*) => {
        $(impl From<Vec<$value>> for Values {
            fn from(values: Vec<$value>) -> Self {
                Values::$values(values)
            }
        })*

        impl Values {
            fn len(&self) -> usize {
                match self {
                    $(Values::$values(values) => values.len(),)*
                }
            }
        }
    };
}
from_lists!(
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    I32(i32),
    I64(i64),
    F32(f32),
    F64(f64),
    Text(Cow<'static, str>)
);

impl Table {
    /// A table without columns.
    pub fn new() -> Self {
        Table::default()
    }

    /// The table with a further column, the last.
    ///
    /// # Panics
    /// If it has another number of rows than the columns before.
    #[must_use]
    pub fn with<V>(mut self, name: &'static str, values: impl IntoIterator<Item = V>) -> Self
    where
        Vec<V>: Into<Values>,
    {
        let values: Values = values.into_iter().collect::<Vec<_>>().into();
        assert!(self.columns.is_empty() || values.len() == self.rows, "column {name}");
        self.rows = values.len();
        self.columns.push(Column { name, values });
        self
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
}

/// Checks that a table can be written to a file of this name; call it before its rows are found.
///
/// # Errors
/// If the ending is of no known format.
pub fn check_table_file(path: &Path) -> Result<(), DataError> {
    format_for(path).map(drop)
}

/// Writes a table in the format of the file's ending; to pipes and terminals, as text.
///
/// # Errors
/// If the file can't be written; it is then as it was.
pub fn write_table(path: &Path, table: &Table) -> Result<(), DataError> {
    let format = format_for(path)?;
    write_file(path, |sink| match format {
        Format::Csv => write_csv(sink, table),
        Format::Bin => write_bin(sink, table),
        Format::Parquet => parquet::write(sink, table),
    })
}

fn format_for(path: &Path) -> Result<Format, DataError> {
    let is_special = || path.metadata().is_ok_and(|file| !file.is_file() && !file.is_dir());
    format_of(path).or_else(|error| if is_special() { Ok(Format::Csv) } else { Err(error) })
}

const MAGIC: [u8; 8] = *b"RECOTAB1";

fn write_bin(sink: &mut impl Write, table: &Table) -> io::Result<()> {
    sink.write_all(&MAGIC)?;
    sink.write_all(&(table.columns.len() as u32).to_le_bytes())?;
    sink.write_all(&(table.rows as u64).to_le_bytes())?;
    for column in &table.columns {
        let length = u8::try_from(column.name.len()).map_err(io::Error::other)?;
        sink.write_all(&[type_of(&column.values), length])?;
        sink.write_all(column.name.as_bytes())?;
    }
    table.columns.iter().try_for_each(|column| write_values(sink, &column.values))
}

fn type_of(values: &Values) -> u8 {
    match values {
        Values::U8(_) => b'B',
        Values::U16(_) => b'H',
        Values::U32(_) => b'I',
        Values::U64(_) => b'Q',
        Values::I32(_) => b'i',
        Values::I64(_) => b'q',
        Values::F32(_) => b'f',
        Values::F64(_) => b'd',
        Values::Text(_) => b't',
    }
}

fn write_values(sink: &mut impl Write, values: &Values) -> io::Result<()> {
    macro_rules! numbers {
        ($values:ident) => {
            $values.iter().try_for_each(|value| sink.write_all(&value.to_le_bytes()))
        };
    }
    match values {
        Values::U8(values) => sink.write_all(values),
        Values::U16(values) => numbers!(values),
        Values::U32(values) => numbers!(values),
        Values::U64(values) => numbers!(values),
        Values::I32(values) => numbers!(values),
        Values::I64(values) => numbers!(values),
        Values::F32(values) => numbers!(values),
        Values::F64(values) => numbers!(values),
        Values::Text(values) => values.iter().try_for_each(|text| {
            let length = u32::try_from(text.len()).map_err(io::Error::other)?;
            sink.write_all(&length.to_le_bytes())?;
            sink.write_all(text.as_bytes())
        }),
    }
}

/// Significant digits that distinguish all single-precision numbers.
const SINGLE_DIGITS: i32 = 9;

/// Writes all rows. Numbers have all digits that distinguish them from others of
/// their type.
fn write_csv(sink: &mut impl Write, table: &Table) -> io::Result<()> {
    let mut file = csv::Writer::from_writer(sink);
    file.write_record(table.columns.iter().map(|column| column.name))?;
    let mut field = Vec::new();
    for row in 0..table.rows {
        for column in &table.columns {
            field.clear();
            write_value(&mut field, &column.values, row)?;
            file.write_field(&field)?;
        }
        file.write_record(None::<&[u8]>)?;
    }
    file.flush()
}

fn write_value(field: &mut Vec<u8>, values: &Values, row: usize) -> io::Result<()> {
    match values {
        Values::U8(values) => write!(field, "{}", values[row]),
        Values::U16(values) => write!(field, "{}", values[row]),
        Values::U32(values) => write!(field, "{}", values[row]),
        Values::U64(values) => write!(field, "{}", values[row]),
        Values::I32(values) => write!(field, "{}", values[row]),
        Values::I64(values) => write!(field, "{}", values[row]),
        Values::F32(values) => write_single(field, values[row]),
        Values::F64(values) => write!(field, "{}", values[row]),
        Values::Text(values) => field.write_all(values[row].as_bytes()),
    }
}

/// Writes all digits that distinguish a number, with trailing zeros.
fn write_single(field: &mut Vec<u8>, value: f32) -> io::Result<()> {
    if value == 0.0 {
        return write!(field, "0");
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = (SINGLE_DIGITS - 1).saturating_sub(magnitude).max(0) as usize;
    write!(field, "{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three rows of all types.
    pub fn table() -> Table {
        let sides = ["front", "back", "front"].map(Cow::Borrowed);
        Table::new()
            .with("module", [0_u32, 0, 4_000_000_000])
            .with("side", sides)
            .with("adc", [1_u8, 31, 255])
            .with("channel", [0_u16, 1023, 65535])
            .with("label", [0_u64, 1, u64::MAX])
            .with("size", [-1_i32, 0, 1])
            .with("track", [-1_i64, 0, 1 << 40])
            .with("x_cm", [0.1_f32, -1e-9, 1.5])
            .with("y_cm", [0.1_f64, 1.0 / 3.0, 0.0])
    }

    #[test]
    #[should_panic(expected = "column adc")]
    fn columns_have_equal_lengths() {
        let _ = Table::new().with("module", [1_u32, 2]).with("adc", [1_u8]);
    }

    #[test]
    fn names_decide_about_the_format() {
        for (name, is_known) in [
            ("a.csv", true),
            ("a.bin.gz", true),
            ("a.parquet", true),
            ("a", false),
            ("/dev/null", true),
        ] {
            assert_eq!(check_table_file(Path::new(name)).is_ok(), is_known, "{name}");
        }
    }

    #[test]
    fn columns_follow_their_names() {
        let table = Table::new().with("adc", [7_u8, 8]).with("x_cm", [1.5_f32, -2.0]);
        let mut bytes = Vec::new();
        write_bin(&mut bytes, &table).expect("memory takes all");
        let mut expected =
            b"RECOTAB1\x02\0\0\0\x02\0\0\0\0\0\0\0B\x03adcf\x04x_cm\x07\x08".to_vec();
        expected.extend([1.5_f32, -2.0].map(f32::to_le_bytes).as_flattened());
        assert_eq!(bytes, expected);
    }

    #[test]
    fn texts_have_a_length_each() {
        let mut bytes = Vec::new();
        let texts = Values::Text(vec!["ab".into(), "".into()]);
        write_values(&mut bytes, &texts).expect("memory takes all");
        assert_eq!(bytes, b"\x02\0\0\0ab\0\0\0\0");
    }

    #[test]
    fn numbers_can_be_read_back_exactly() {
        let mut text = Vec::new();
        write_csv(&mut text, &table()).expect("memory takes all");
        let text = String::from_utf8(text).expect("ASCII");
        let expected = "module,side,adc,channel,label,size,track,x_cm,y_cm\n\
            0,front,1,0,0,-1,-1,0.100000001,0.1\n\
            0,back,31,1023,1,0,0,-0.00000000099999997,0.3333333333333333\n\
            4000000000,front,255,65535,18446744073709551615,1,1099511627776,1.50000000,0\n";
        assert_eq!(text, expected);
    }
}
