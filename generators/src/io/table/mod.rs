//! Tables of what algorithms find: typed columns, as text, binary or Parquet.
//!
//! | module | format |
//! |---|---|
//! | `csv` | text: a header, and a line for each row |
//! | `bin` | columns behind the magic `RECOTAB1` |
//! | `parquet` | Parquet, in groups of a million rows |

mod bin;
mod csv;
mod parquet;

use std::borrow::Cow;
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
        Format::Csv => csv::write(sink, table),
        Format::Bin => bin::write(sink, table),
        Format::Parquet => parquet::write(sink, table),
    })
}

fn format_for(path: &Path) -> Result<Format, DataError> {
    let is_special = || path.metadata().is_ok_and(|file| !file.is_file() && !file.is_dir());
    format_of(path).or_else(|error| if is_special() { Ok(Format::Csv) } else { Err(error) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three rows of all types.
    pub(super) fn table() -> Table {
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
}
