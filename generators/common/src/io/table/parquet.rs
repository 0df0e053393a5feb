//! A table as Parquet, with the types of its columns.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{
    ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};

use super::{Column, Table, Values};

/// Rows that are written at once.
const ROWS_OF_GROUP: usize = 1 << 20;

pub fn write(sink: &mut (impl Write + Send), table: &Table) -> io::Result<()> {
    write_groups(sink, table).map_err(io::Error::other)
}

fn write_groups(sink: &mut (impl Write + Send), table: &Table) -> Result<(), ParquetError> {
    let properties = Arc::new(WriterProperties::builder().build());
    let mut file = SerializedFileWriter::new(sink, schema(table)?, properties)?;
    for first in (0..table.rows.max(1)).step_by(ROWS_OF_GROUP) {
        let rows = first..table.rows.min(first + ROWS_OF_GROUP);
        let mut group = file.next_row_group()?;
        for column in &table.columns {
            let Some(mut writer) = group.next_column()? else { break };
            fill(&mut writer, &column.values, rows.clone())?;
            writer.close()?;
        }
        group.close()?;
    }
    file.close().map(drop)
}

fn schema(table: &Table) -> Result<TypePtr, ParquetError> {
    let fields: Result<Vec<TypePtr>, _> = table.columns.iter().map(field).collect();
    let schema = Type::group_type_builder("recobench");
    Ok(Arc::new(schema.with_fields(fields?).build()?))
}

fn field(column: &Column) -> Result<TypePtr, ParquetError> {
    let unsigned = |bits| Some(LogicalType::integer(bits, false));
    let (physical, logical) = match column.values {
        Values::U8(_) => (Physical::INT32, unsigned(8)),
        Values::U16(_) => (Physical::INT32, unsigned(16)),
        Values::U32(_) => (Physical::INT32, unsigned(32)),
        Values::U64(_) => (Physical::INT64, unsigned(64)),
        Values::I32(_) => (Physical::INT32, None),
        Values::I64(_) => (Physical::INT64, None),
        Values::F32(_) => (Physical::FLOAT, None),
        Values::F64(_) => (Physical::DOUBLE, None),
        Values::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    let field = Type::primitive_type_builder(column.name, physical);
    let field = field.with_repetition(Repetition::REQUIRED).with_logical_type(logical);
    Ok(Arc::new(field.build()?))
}

fn fill(
    writer: &mut SerializedColumnWriter<'_>,
    values: &Values,
    rows: std::ops::Range<usize>,
) -> Result<(), ParquetError> {
    match values {
        Values::U8(values) => put::<Int32Type, _>(writer, &values[rows], |it| i32::from(*it)),
        Values::U16(values) => put::<Int32Type, _>(writer, &values[rows], |it| i32::from(*it)),
        // Unsigned numbers are stored by their bits.
        Values::U32(values) => put::<Int32Type, _>(writer, &values[rows], |it| *it as i32),
        Values::U64(values) => put::<Int64Type, _>(writer, &values[rows], |it| *it as i64),
        Values::I32(values) => put::<Int32Type, _>(writer, &values[rows], |it| *it),
        Values::I64(values) => put::<Int64Type, _>(writer, &values[rows], |it| *it),
        Values::F32(values) => put::<FloatType, _>(writer, &values[rows], |it| *it),
        Values::F64(values) => put::<DoubleType, _>(writer, &values[rows], |it| *it),
        Values::Text(values) => {
            put::<ByteArrayType, _>(writer, &values[rows], |it| ByteArray::from(&**it))
        }
    }
}

fn put<T: DataType, V>(
    writer: &mut SerializedColumnWriter<'_>,
    values: &[V],
    convert: impl Fn(&V) -> T::T,
) -> Result<(), ParquetError> {
    let values: Vec<T::T> = values.iter().map(convert).collect();
    writer.typed::<T>().write_batch(&values, None, None).map(drop)
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};

    use super::super::tests::table;
    use super::*;

    #[test]
    fn rows_are_those_of_the_table() {
        let mut bytes = Vec::new();
        write(&mut bytes, &table()).expect("memory takes all");
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a file");
        let rows: Vec<_> = reader.get_row_iter(None).expect("rows").map(Result::unwrap).collect();
        assert_eq!(rows.len(), 3);
        let first = rows[0].to_string();
        assert!(first.contains(r#"side: "front""#) && first.contains("x_cm: 0.1"), "{first}");
        let last = rows[2].to_string();
        assert!(last.contains("module: 4000000000"), "{last}");
        assert!(last.contains("label: 18446744073709551615"), "{last}");
    }
}
