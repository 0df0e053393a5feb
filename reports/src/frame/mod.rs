//! Rows for programs: named columns with types, written as CSV, JSON or Parquet.
//!
//! | module | holds |
//! |---|---|
//! | `cell` | a value of a row |
//! | `column` | the values of all rows, with their type |
//! | `rows` | rows of runs as records: a column for each axis, metric and counter |
//! | `csv`, `json`, `parquet` | the formats |

mod cell;
mod column;
mod csv;
mod json;
mod parquet;
mod rows;

use std::collections::{BTreeMap, HashMap};

pub use cell::Cell;
pub use json::json_text;
pub use rows::{Document, of_run, point, summary, wide_sample};

use column::Column;

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
}
