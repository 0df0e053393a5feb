//! Writing digis as Parquet.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{
    SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter,
};
use parquet::schema::types::{Type, TypePtr};

use crate::io::digi_table::COLUMNS;
use crate::sts::{Digi, ModuleSide, SegmentedDigis};

/// Rows of a row group, whose columns are in memory.
const GROUP_ROWS: usize = 1 << 20;

/// Writes all digis, segment after segment, in their order.
pub(in crate::io) fn write(
    sink: &mut (impl Write + Send),
    digis: &SegmentedDigis,
) -> io::Result<()> {
    write_groups(sink, digis).map_err(|error| match error {
        ParquetError::External(error) => io::Error::other(error),
        error => io::Error::other(error.to_string()),
    })
}

fn write_groups(
    sink: &mut (impl Write + Send),
    digis: &SegmentedDigis,
) -> Result<(), ParquetError> {
    let compression = Compression::ZSTD(ZstdLevel::try_new(1)?);
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut file = SerializedFileWriter::new(sink, schema()?, Arc::new(properties))?;
    let segments = digis.partition().segments();
    let rows = digis.segments().enumerate().flat_map(|(segment, digis)| {
        let side = ModuleSide::of_segment(segment, segments);
        digis.iter().map(move |&digi| Row { side, digi })
    });
    let mut rows = rows.peekable();
    while rows.peek().is_some() {
        let group: Vec<_> = rows.by_ref().take(GROUP_ROWS).collect();
        let mut writer = file.next_row_group()?;
        write_group(&mut writer, &group)?;
        writer.close()?;
    }
    file.close().map(|_| ())
}

struct Row {
    side: ModuleSide,
    digi: Digi,
}

fn schema() -> Result<TypePtr, ParquetError> {
    let field = |(index, name): (usize, &str)| {
        let is_time = index == 3;
        let physical = if is_time { Physical::INT64 } else { Physical::INT32 };
        let logical = LogicalType::integer(if is_time { 64 } else { 32 }, true);
        let field = Type::primitive_type_builder(name, physical);
        let field = field.with_repetition(Repetition::REQUIRED).with_logical_type(Some(logical));
        Ok(Arc::new(field.build()?))
    };
    let fields: Result<Vec<_>, ParquetError> = COLUMNS.into_iter().enumerate().map(field).collect();
    Ok(Arc::new(Type::group_type_builder("digis").with_fields(fields?).build()?))
}

fn write_group<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    rows: &[Row],
) -> Result<(), ParquetError> {
    let ints = |value: fn(&Row) -> i32| rows.iter().map(value).collect::<Vec<_>>();
    let mut column =
        |write: &dyn Fn(&mut SerializedColumnWriter<'_>) -> Result<usize, ParquetError>| {
            let mut writer = group.next_column()?.expect("five columns");
            write(&mut writer)?;
            writer.close()
        };
    let int = |value: fn(&Row) -> i32| {
        let values = ints(value);
        move |writer: &mut SerializedColumnWriter<'_>| {
            writer.typed::<Int32Type>().write_batch(&values, None, None)
        }
    };
    let times: Vec<i64> = rows.iter().map(|row| row.digi.time_ns().into()).collect();
    column(&int(|row| row.side.module as i32))?;
    column(&int(|row| row.side.back.into()))?;
    column(&int(|row| row.digi.channel().into()))?;
    column(&|writer| writer.typed::<Int64Type>().write_batch(&times, None, None))?;
    column(&int(|row| row.digi.adc().into()))
}
