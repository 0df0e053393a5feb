//! Rows for programs: named columns with types, written as CSV, JSON or Parquet.
//!
//! | module | holds |
//! |---|---|
//! | `rows` | rows of runs as records: a column for each axis, metric and counter |
//! | `formats` | CSV, JSON and Parquet |

mod formats;
mod rows;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

pub use formats::json_text;
pub use rows::{Document, of_run, point, summary, wide_sample};

use serde::Serialize;

use crate::record::{Params, YesNo};

/// Error of writing a frame.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the rows as {format}: {problem}; try another --format")]
pub struct FrameError {
    format: &'static str,
    problem: String,
}

impl FrameError {
    fn new(format: &'static str, problem: impl ToString) -> Self {
        FrameError { format, problem: problem.to_string() }
    }
}

/// One row: values with the names of their columns.
#[derive(Clone, Debug, Default)]
pub struct Record<'a> {
    fixed: Vec<(&'static str, Cell<'a>)>,
    /// Values that only some rows have, by the names of their columns.
    further: BTreeMap<String, Cell<'a>>,
}

impl<'a> Record<'a> {
    /// Adds a value to the row.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Cell<'a>>) -> Self {
        self.fixed.push((name, value.into()));
        self
    }

    /// Appends the values of another row.
    #[must_use]
    pub fn and(mut self, other: Record<'a>) -> Self {
        self.fixed.extend(other.fixed);
        self.further.extend(other.further);
        self
    }

    /// Adds a column for each of `values`: `axis_digis`, `metric_us_per_page`.
    #[must_use]
    pub fn spread(
        mut self,
        prefix: &str,
        values: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let values = values.into_iter();
        let named = values.map(|(name, value)| (spread_name(prefix, name), Cell::Free(value)));
        self.further.extend(named);
        self
    }
}

/// A [`Record`] of fields of a row; a column is named like its field, or `column = field`.
macro_rules! record {
    (@field $row:ident $name:ident) => { $row.$name };
    (@field $row:ident $name:ident $field:ident) => { $row.$field };
    ($row:ident; $($name:ident $(= $field:ident)?),* $(,)?) => {
        $crate::frame::Record::default()
            $(.with(stringify!($name), &$crate::frame::record!(@field $row $name $($field)?)))*
    };
}
pub(crate) use record;

/// Name of the column of a value that only some rows have: `axis_first_orbit`.
pub fn spread_name(prefix: &str, name: &str) -> String {
    format!("{prefix}_{}", name.replace('-', "_"))
}

/// A table of typed columns.
#[derive(Clone, Debug)]
pub struct Frame {
    columns: Vec<Column>,
    rows: usize,
}

impl Frame {
    /// The frame of `records`, which have the same fixed columns as `empty`: a frame without rows
    /// has these, too. Columns that only some records have come last, by name.
    pub fn new<'a>(empty: &Record<'_>, records: impl IntoIterator<Item = Record<'a>>) -> Self {
        let mut fixed: Vec<(&str, Vec<Cell<'a>>)> =
            empty.fixed.iter().map(|(name, _)| (*name, Vec::new())).collect();
        let mut further: BTreeMap<String, HashMap<usize, Cell<'a>>> = BTreeMap::new();
        let mut rows = 0;
        for record in records {
            for ((_, column), (_, cell)) in fixed.iter_mut().zip(record.fixed) {
                column.push(cell);
            }
            for (name, cell) in record.further {
                further.entry(name).or_default().insert(rows, cell);
            }
            rows += 1;
        }
        let types = empty.fixed.iter().map(|(_, cell)| cell.kind());
        let fixed = fixed.into_iter().zip(types);
        let fixed = fixed.map(|((name, cells), kind)| Column::new(name, kind, cells));
        let further = further.into_iter().map(|(name, mut cells)| {
            let cells = (0..rows).map(|row| cells.remove(&row).unwrap_or(Cell::Nothing));
            Column::free(&name, cells.collect())
        });
        Frame { columns: fixed.chain(further).collect(), rows }
    }

    /// The names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }
}

/// A column of a frame.
#[derive(Clone, Debug)]
struct Column {
    pub name: String,
    pub values: Values,
}

/// Values of one type; `None` where unknown.
#[derive(Clone, Debug, PartialEq)]
enum Values {
    Text(Vec<Option<String>>),
    Flag(Vec<Option<bool>>),
    /// Integers that do not fit in 63 bits are unknown rather than negative.
    Whole(Vec<Option<i64>>),
    Number(Vec<Option<f64>>),
    /// In RFC 3339.
    Time(Vec<Option<String>>),
}

impl Column {
    /// Values of a known type.
    pub fn new(name: &str, kind: Kind, cells: Vec<Cell<'_>>) -> Self {
        let cells = cells.into_iter();
        let values = match kind {
            Kind::Text => {
                Values::Text(cells.map(|cell| text(cell).or(Some(String::new()))).collect())
            }
            Kind::Time => Values::Time(cells.map(text).collect()),
            Kind::Flag => Values::Flag(cells.map(flag).collect()),
            Kind::Whole => Values::Whole(cells.map(whole).collect()),
            Kind::Number => Values::Number(cells.map(number).collect()),
        };
        Column { name: name.to_owned(), values }
    }

    /// Values of the narrowest type that fits all of them: integers, numbers, or texts.
    pub fn free(name: &str, cells: Vec<Cell<'_>>) -> Self {
        let texts: Vec<Option<&str>> = cells
            .iter()
            .map(|cell| match cell {
                Cell::Free(text) => Some(*text),
                _ => None,
            })
            .collect();
        let known = || texts.iter().flatten();
        let values = if known().all(|text| text.parse::<i64>().is_ok()) {
            Values::Whole(texts.iter().map(|text| text.and_then(|it| it.parse().ok())).collect())
        } else if known().all(|text| finite(text).is_some()) {
            Values::Number(texts.iter().map(|text| text.and_then(finite)).collect())
        } else {
            Values::Text(texts.iter().map(|text| text.map(str::to_owned)).collect())
        };
        Column { name: name.to_owned(), values }
    }
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

fn text(cell: Cell<'_>) -> Option<String> {
    let text = match cell {
        Cell::Text(text) => text.into_owned(),
        Cell::Time(text) | Cell::Free(text) => text.to_owned(),
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

fn flag(cell: Cell<'_>) -> Option<bool> {
    match cell {
        Cell::Flag(flag) => Some(flag),
        _ => None,
    }
}

fn whole(cell: Cell<'_>) -> Option<i64> {
    match cell {
        Cell::Whole(number) => number.and_then(|number| i64::try_from(number).ok()),
        _ => None,
    }
}

fn number(cell: Cell<'_>) -> Option<f64> {
    match cell {
        Cell::Number(number) => number.filter(|number| number.is_finite()),
        _ => None,
    }
}

/// A value, which may be unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// A text; empty if unknown.
    Text(Cow<'a, str>),
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Whole(Option<u64>),
    /// A number.
    Number(Option<f64>),
    /// A time in UTC, as RFC 3339 writes it.
    Time(&'a str),
    /// A text that may be a number: its column gets the type that fits all values.
    Free(&'a str),
    /// No value, in a column of any type.
    Nothing,
}

/// Type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Flag,
    Whole,
    Number,
    Time,
}

impl Cell<'_> {
    /// The name of a value of an enum, as serde writes it.
    pub fn named(value: impl Serialize) -> Self {
        match serde_json::to_value(value) {
            Ok(serde_json::Value::String(name)) => Cell::Text(name.into()),
            _ => Cell::Text("".into()),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Cell::Text(_) | Cell::Free(_) | Cell::Nothing => Kind::Text,
            Cell::Flag(_) => Kind::Flag,
            Cell::Whole(_) => Kind::Whole,
            Cell::Number(_) => Kind::Number,
            Cell::Time(_) => Kind::Time,
        }
    }
}

/// Implements conversions of types to cells.
macro_rules! cells {
    ($($value:ident: $from:ty => $cell:expr,)*) => {
        $(impl<'a> From<$from> for Cell<'a> {
            fn from($value: $from) -> Self {
                $cell
            }
        })*
    };
}

cells! {
    text: &'a str => Cell::Text(text.into()),
    text: &'a String => Cell::Text(text.into()),
    text: String => Cell::Text(text.into()),
    text: Option<&'a str> => Cell::Text(text.unwrap_or_default().into()),
    flag: bool => Cell::Flag(flag),
    flag: YesNo => Cell::Flag(flag == YesNo::Yes),
    number: usize => Cell::Whole(Some(number as u64)),
    number: Option<usize> => Cell::Whole(number.map(|number| number as u64)),
    number: u64 => Cell::Whole(Some(number)),
    number: Option<u64> => Cell::Whole(number),
    number: f64 => Cell::Number(Some(number)),
    number: Option<f64> => Cell::Number(number),
    flag: &YesNo => (*flag).into(),
    number: &usize => (*number).into(),
    number: &u64 => (*number).into(),
    number: &Option<u64> => (*number).into(),
    number: &f64 => (*number).into(),
    number: &Option<f64> => (*number).into(),
    params: &Params => params.to_string().into(),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record<'a>(name: &'a str, axes: &[(&'a str, &'a str)]) -> Record<'a> {
        let record = Record::default().with("name", name).with("median_s", Some(0.5));
        record.spread("axis", axes.iter().copied())
    }

    /// Two rows of which only the second has `max-size`, all of them with an order.
    pub fn frame() -> Frame {
        let rows = [
            record("a, b", &[("order", "random"), ("digis", "1000")]),
            record("c", &[("order", "1"), ("digis", "2000"), ("max-size", "0.5")]),
        ];
        Frame::new(&record("", &[]), rows)
    }

    #[test]
    fn each_axis_is_a_column() {
        let frame = frame();
        let names: Vec<&str> = frame.names().collect();
        assert_eq!(names, ["name", "median_s", "axis_digis", "axis_max_size", "axis_order"]);
        assert_eq!(frame.rows, 2);
    }

    #[test]
    fn a_frame_without_rows_has_columns() {
        let frame = Frame::new(&record("", &[]), []);
        assert_eq!(frame.csv().expect("a text"), "name,median_s\n");
        assert_eq!(frame.json().expect("a text"), "[]\n");
    }

    fn free(texts: &[&'static str]) -> Values {
        let cells = texts.iter().map(|text| match *text {
            "" => Cell::Nothing,
            text => Cell::Free(text),
        });
        Column::free("axis", cells.collect()).values
    }

    #[test]
    fn a_column_has_the_narrowest_type() {
        assert_eq!(free(&["1", "", "-2"]), Values::Whole(vec![Some(1), None, Some(-2)]));
        assert_eq!(free(&["1", "0.5"]), Values::Number(vec![Some(1.0), Some(0.5)]));
        let texts = Values::Text(vec![Some("1".into()), Some("random".into()), None]);
        assert_eq!(free(&["1", "random", ""]), texts);
        assert_eq!(free(&["nan"]), Values::Text(vec![Some("nan".into())]));
    }
}
