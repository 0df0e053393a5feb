//! A frame as Parquet: small files that any analysis reads, with types.

use std::sync::Arc;

use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use super::column::{Column, Values};
use super::{Frame, FrameError};

impl Frame {
    /// The rows, in one row group.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn parquet(&self) -> Result<Vec<u8>, FrameError> {
        write(self).map_err(|error| FrameError::new("Parquet", error))
    }
}

fn write(frame: &Frame) -> Result<Vec<u8>, ParquetError> {
    let properties = Arc::new(WriterProperties::builder().build());
    let mut file = SerializedFileWriter::new(Vec::new(), schema(frame)?, properties)?;
    let mut group = file.next_row_group()?;
    for column in &frame.columns {
        if let Some(mut writer) = group.next_column()? {
            fill(&mut writer, &column.values)?;
            writer.close()?;
        }
    }
    group.close()?;
    file.into_inner()
}

fn schema(frame: &Frame) -> Result<TypePtr, ParquetError> {
    let fields: Result<Vec<TypePtr>, _> = frame.columns.iter().map(field).collect();
    let schema = Type::group_type_builder("recobench");
    Ok(Arc::new(schema.with_fields(fields?).build()?))
}

fn field(column: &Column) -> Result<TypePtr, ParquetError> {
    let field = |physical| {
        Type::primitive_type_builder(&column.name, physical).with_repetition(Repetition::OPTIONAL)
    };
    let field = match column.values {
        Values::Text(_) => field(Physical::BYTE_ARRAY)
            .with_converted_type(ConvertedType::UTF8)
            .with_logical_type(Some(LogicalType::String)),
        Values::Flag(_) => field(Physical::BOOLEAN),
        Values::Whole(_) => field(Physical::INT64),
        Values::Number(_) => field(Physical::DOUBLE),
        Values::Time(_) => field(Physical::INT64)
            .with_logical_type(Some(LogicalType::timestamp(true, TimeUnit::MICROS))),
    };
    Ok(Arc::new(field.build()?))
}

fn fill(writer: &mut SerializedColumnWriter<'_>, values: &Values) -> Result<(), ParquetError> {
    match values {
        Values::Text(texts) => {
            let bytes = texts.iter().map(|text| text.as_deref().map(ByteArray::from));
            put::<ByteArrayType>(writer, bytes)
        }
        Values::Flag(flags) => put::<BoolType>(writer, flags.iter().copied()),
        Values::Whole(numbers) => put::<Int64Type>(writer, numbers.iter().copied()),
        Values::Number(numbers) => put::<DoubleType>(writer, numbers.iter().copied()),
        Values::Time(texts) => {
            let times = texts.iter().map(|text| microseconds(text.as_deref()?));
            put::<Int64Type>(writer, times)
        }
    }
}

/// Writes the known values, and for each row whether it has one.
fn put<T: DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    values: impl Iterator<Item = Option<T::T>>,
) -> Result<(), ParquetError> {
    let mut known = Vec::new();
    let mut levels = Vec::new();
    for value in values {
        levels.push(i16::from(value.is_some()));
        known.extend(value);
    }
    writer.typed::<T>().write_batch(&known, Some(&levels), None)?;
    Ok(())
}

/// A time in microseconds since 1970; `None` if it is not valid.
fn microseconds(time: &str) -> Option<i64> {
    let time = humantime::parse_rfc3339_weak(time).ok()?;
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_micros()).ok()
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::{Field, Row};

    use super::super::{Cell, Record};
    use super::*;

    fn read(frame: &Frame) -> Vec<Row> {
        let bytes = frame.parquet().expect("a table");
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a file");
        let rows: Result<Vec<Row>, _> = reader.get_row_iter(None).expect("rows").collect();
        rows.expect("whole")
    }

    #[test]
    fn values_have_their_types() {
        let row = Record::default()
            .with("name", "two\nlines, \"quoted\"")
            .with("started", Cell::Time("2026-01-01T00:00:00Z"))
            .with("valid", true)
            .with("items", 7_usize)
            .with("median_s", None::<f64>)
            .spread("axis", [("digis", "1000"), ("order", "random")]);
        let rows = read(&Frame::new(&row.clone(), [row]));
        let values: Vec<(&str, Field)> =
            rows[0].get_column_iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        let expected = [
            ("name", Field::Str("two\nlines, \"quoted\"".into())),
            ("started", Field::TimestampMicros(1_767_225_600_000_000)),
            ("valid", Field::Bool(true)),
            ("items", Field::Long(7)),
            ("median_s", Field::Null),
            ("axis_digis", Field::Long(1000)),
            ("axis_order", Field::Str("random".into())),
        ];
        assert_eq!(values, expected);
    }

    #[test]
    fn a_table_may_have_no_rows() {
        let frame = Frame::new(&Record::default().with("name", ""), []);
        assert!(read(&frame).is_empty());
    }
}
