//! A frame as CSV, JSON and Parquet.
//!
//! In CSV unknown values are empty, and flags are `yes` and `no`. Spreadsheets interpret some texts
//! as formulas, and terminals show tables unfiltered, so texts are made safe: see [`Frame::csv`].
//! JSON is an array of objects, all of which have all columns.

use std::borrow::Cow;
use std::sync::Arc;

use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{Type, TypePtr};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{Column, Frame, FrameError, Values};

impl Frame {
    /// The rows under a header, for people and spreadsheets: control characters in texts, except
    /// line breaks, are escaped, and an apostrophe is written before texts that a spreadsheet would
    /// interpret as formulas.
    pub fn csv(&self) -> Result<String, FrameError> {
        self.written(as_text)
    }

    /// The rows under a header, with unmodified texts: for the files of runs, which this program
    /// reads again.
    pub fn exact_csv(&self) -> Result<String, FrameError> {
        self.written(as_it_is)
    }

    fn written(&self, text: impl Fn(&str) -> Cow<'_, str>) -> Result<String, FrameError> {
        let failed = |error: &dyn std::fmt::Display| FrameError::new("CSV", error);
        let mut writer = csv::Writer::from_writer(Vec::new());
        let names: Vec<_> = self.names().map(&text).collect();
        writer
            .write_record(names.iter().map(|name| name.as_bytes()))
            .map_err(|error| failed(&error))?;
        for row in 0..self.rows {
            let cells = self.columns.iter().map(|column| cell(&column.values, row, &text));
            writer.write_record(cells).map_err(|error| failed(&error))?;
        }
        let bytes = writer.into_inner().map_err(|error| failed(&error))?;
        String::from_utf8(bytes).map_err(|error| failed(&error))
    }
}

fn cell<'a>(
    values: &'a Values,
    row: usize,
    text: impl Fn(&'a str) -> Cow<'a, str>,
) -> Cow<'a, [u8]> {
    let text: Option<Cow<'_, str>> = match values {
        Values::Text(texts) | Values::Time(texts) => texts[row].as_deref().map(text),
        Values::Flag(flags) => flags[row].map(|flag| if flag { "yes" } else { "no" }.into()),
        Values::Whole(numbers) => numbers[row].map(|number| number.to_string().into()),
        Values::Number(numbers) => numbers[row].map(|number| number.to_string().into()),
    };
    match text.unwrap_or_default() {
        Cow::Borrowed(text) => text.as_bytes().into(),
        Cow::Owned(text) => text.into_bytes().into(),
    }
}

fn as_it_is(text: &str) -> Cow<'_, str> {
    text.into()
}

/// First characters of formulas in spreadsheets, including wide forms.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Escapes a text that could be interpreted as a formula; numbers stay as they are.
fn as_text(text: &str) -> Cow<'_, str> {
    let is_formula = text.starts_with(FORMULA) && text.parse::<f64>().is_err();
    let mark = if is_formula { "'" } else { "" };
    if is_formula || text.chars().any(text::is_hidden) {
        return format!("{mark}{}", text::page(text.to_owned())).into();
    }
    text.into()
}

impl Frame {
    /// The rows as an array of objects.
    pub fn json(&self) -> Result<String, FrameError> {
        text(self)
    }
}

/// Any value as JSON that ends with a line break. Characters that a terminal would not show are
/// escaped, which does not change the meaning for programs.
pub fn json_text(value: &(impl Serialize + ?Sized)) -> serde_json::Result<String> {
    Ok(text::json(serde_json::to_string_pretty(value)?) + "\n")
}

/// JSON text, with errors of type [`FrameError`].
pub(super) fn text(value: &impl Serialize) -> Result<String, FrameError> {
    json_text(value).map_err(|error| FrameError::new("JSON", error))
}

impl Serialize for Frame {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.rows).map(|row| Row { frame: self, row }))
    }
}

/// A row of a frame, its columns in their order.
struct Row<'a> {
    frame: &'a Frame,
    row: usize,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = self.row;
        let mut map = serializer.serialize_map(Some(self.frame.columns.len()))?;
        for column in &self.frame.columns {
            map.serialize_key(&column.name)?;
            match &column.values {
                Values::Text(texts) | Values::Time(texts) => map.serialize_value(&texts[row])?,
                Values::Flag(flags) => map.serialize_value(&flags[row])?,
                Values::Whole(numbers) => map.serialize_value(&numbers[row])?,
                Values::Number(numbers) => map.serialize_value(&numbers[row])?,
            }
        }
        map.end()
    }
}

impl Frame {
    /// The rows, in one row group.
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
    use serde_json::json;

    use super::super::Frame;
    use super::super::tests::frame;
    use super::*;
    use crate::row::{Cell, Record};

    #[test]
    fn texts_are_no_formulas() {
        for formula in ["=cmd()", "+1+1", "-2+3", "@SUM(A1)", "＝1", "-"] {
            assert_eq!(as_text(formula), format!("'{formula}"));
        }
        for text in ["-1.5", "+2", "-1e9", "a=b", "b-c", "", "50 µs"] {
            assert_eq!(as_text(text), text);
        }
        // CSV can represent line breaks.
        assert_eq!(as_text("\t=1\r\n2"), "\\t=1\\r\n2");
        let long = "ä".repeat(2_000) + "\u{202e}";
        assert!(as_text(&long).ends_with("ä\\u{202e}"));
    }

    #[test]
    fn numbers_are_and_exact_tables_are_left_alone() {
        let record = |name, value| {
            Record::default().with("name", Cell::Text(name)).with("value", Some(value))
        };
        let rows = [record("=1\u{7}".into(), -1.5)];
        let frame = Frame::new(&record("".into(), 0.0), rows);
        assert_eq!(frame.csv().expect("a text"), "name,value\n'=1\\u{7},-1.5\n");
        assert_eq!(frame.exact_csv().expect("a text"), "name,value\n=1\u{7},-1.5\n");
    }

    #[test]
    fn unknown_values_are_empty() {
        let expected = "name,median_s,axis_digis,axis_max_size,axis_order\n\
            \"a, b\",0.5,1000,,random\n\
            c,0.5,2000,0.5,1\n";
        assert_eq!(frame().csv().expect("a text"), expected);
    }

    #[test]
    fn numbers_are_numbers() {
        let text = frame().json().expect("a text");
        assert!(text.find("\"name\"") < text.find("\"median_s\""), "{text}");
        let read: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let second = json!({
            "name": "c",
            "median_s": 0.5,
            "axis_digis": 2000,
            "axis_max_size": 0.5,
            "axis_order": "1",
        });
        assert_eq!(read[1], second);
        assert_eq!(read[0]["axis_max_size"], json!(null));
    }

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
