//! A table as columns: small files that any analysis reads.

use std::sync::Arc;

use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use super::ExportError;
use super::columns::{COLUMNS, Column, Values, rows};
use crate::history::StoredSummary;
use crate::record::SummaryRow;

/// A row with its run.
type Row<'a> = (&'a StoredSummary, &'a SummaryRow);

/// All rows of all runs, in one group of rows.
pub fn table(runs: &[StoredSummary]) -> Result<Vec<u8>, ExportError> {
    let rows: Vec<Row<'_>> = rows(runs).collect();
    write(&rows).map_err(|error| ExportError::Parquet(error.to_string()))
}

fn write(rows: &[Row<'_>]) -> Result<Vec<u8>, ParquetError> {
    let properties = Arc::new(WriterProperties::builder().build());
    let mut file = SerializedFileWriter::new(Vec::new(), schema()?, properties)?;
    let mut group = file.next_row_group()?;
    for column in &COLUMNS {
        if let Some(mut writer) = group.next_column()? {
            fill(&mut writer, column.values, rows)?;
            writer.close()?;
        }
    }
    group.close()?;
    file.into_inner()
}

fn schema() -> Result<TypePtr, ParquetError> {
    let fields: Result<Vec<TypePtr>, _> = COLUMNS.iter().map(field).collect();
    let schema = Type::group_type_builder("recobench");
    Ok(Arc::new(schema.with_fields(fields?).build()?))
}

/// Texts are there always, if need be empty; numbers are not.
fn field(column: &Column) -> Result<TypePtr, ParquetError> {
    let field = |physical| Type::primitive_type_builder(column.name, physical);
    let field = match column.values {
        Values::Text(_) => field(Physical::BYTE_ARRAY)
            .with_repetition(Repetition::REQUIRED)
            .with_converted_type(ConvertedType::UTF8)
            .with_logical_type(Some(LogicalType::String)),
        Values::Whole(_) => field(Physical::INT64).with_repetition(Repetition::OPTIONAL),
        Values::Number(_) => field(Physical::DOUBLE).with_repetition(Repetition::OPTIONAL),
    };
    Ok(Arc::new(field.build()?))
}

fn fill(
    writer: &mut SerializedColumnWriter<'_>,
    values: Values,
    rows: &[Row<'_>],
) -> Result<(), ParquetError> {
    match values {
        Values::Text(of) => {
            let text = |(run, row): &Row<'_>| ByteArray::from(of(run, row).into_bytes());
            let texts: Vec<ByteArray> = rows.iter().map(text).collect();
            writer.typed::<ByteArrayType>().write_batch(&texts, None, None)?;
        }
        Values::Whole(of) => {
            // More than a signed number can hold is not known rather than negative.
            let value = |(_, row): &Row<'_>| of(row).and_then(|value| i64::try_from(value).ok());
            let (known, levels) = optional(rows.iter().map(value));
            writer.typed::<Int64Type>().write_batch(&known, Some(&levels), None)?;
        }
        Values::Number(of) => {
            let (known, levels) = optional(rows.iter().map(|(_, row)| of(row)));
            writer.typed::<DoubleType>().write_batch(&known, Some(&levels), None)?;
        }
    }
    Ok(())
}

/// The values that are there, and for each row whether one is.
fn optional<T>(values: impl Iterator<Item = Option<T>>) -> (Vec<T>, Vec<i16>) {
    let (mut known, mut levels) = (Vec::new(), Vec::new());
    for value in values {
        levels.push(i16::from(value.is_some()));
        known.extend(value);
    }
    (known, levels)
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    use super::super::fixture::runs;
    use super::*;

    #[test]
    fn the_rows_read_back_as_they_were() {
        let bytes = table(&runs()).expect("a table");
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a file");
        let at = |name: &str| {
            let mut columns = COLUMNS.iter();
            columns.position(|column| column.name == name).expect(name)
        };
        let rows: Result<Vec<_>, _> = reader.get_row_iter(None).expect("rows").collect();
        let rows = rows.expect("whole");
        assert_eq!(rows.len(), 4);
        assert_eq!(rows[0].len(), COLUMNS.len());
        let text = |row: usize, name: &str| rows[row].get_string(at(name)).expect(name).clone();
        assert_eq!(text(0, "run"), "old");
        assert_eq!(text(3, "variant"), "std \"quoted\", a=b\\");
        assert_eq!(text(3, "note"), "two\nlines, \"quoted\"");
        assert_eq!(rows[2].get_double(at("median_s")).expect("a number"), 2e-3);
        assert_eq!(rows[2].get_long(at("items")).expect("a number"), 1_000_000);
        assert_eq!(rows[2].get_double(at("peak_fraction")).expect("known"), 0.5);
        assert!(rows[3].get_double(at("peak_fraction")).is_err(), "not known");
    }

    #[test]
    fn no_runs_are_a_table_without_rows() {
        let bytes = table(&[]).expect("a table");
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a file");
        assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
    }
}
