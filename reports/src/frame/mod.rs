//! Rows for programs: named columns with types, written as CSV, JSON or Parquet. Rows of runs have
//! a column for each axis, metric and counter.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use crate::record::{
    Machine, RunRecord, SCHEMA_VERSION, SampleRow, Software, SuitePart, SummaryRow,
};
use crate::row::{Cell, Kind, Record};

mod formats;

pub use formats::json_text;

/// Error of writing a frame.
#[derive(Debug, thiserror::Error)]
#[error("cannot write the rows as {format}: {problem}; try another --format")]
pub struct FrameError {
    format: &'static str,
    problem: String,
}

impl FrameError {
    pub(crate) fn new(format: &'static str, problem: impl ToString) -> Self {
        FrameError { format, problem: problem.to_string() }
    }
}

/// A table of typed columns.
#[derive(Clone, Debug)]
pub struct Frame {
    pub(crate) columns: Vec<Column>,
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

    /// The frame of records, which have the columns of the first one.
    pub fn like_first<'a>(records: impl IntoIterator<Item = Record<'a>>) -> Self {
        let records: Vec<Record<'_>> = records.into_iter().collect();
        Frame::new(&records.first().cloned().unwrap_or_default(), records)
    }

    /// The names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }
}

/// A column of a frame.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub name: String,
    pub values: Values,
}

/// Values of one type; `None` where unknown.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(crate) enum Values {
    Text(Vec<Option<String>>),
    Flag(Vec<Option<bool>>),
    /// Integers that do not fit in 63 bits are unknown rather than negative.
    Whole(Vec<Option<i64>>),
    Number(Vec<Option<f64>>),
    /// In RFC 3339.
    Time(Vec<Option<String>>),
}

impl Values {
    /// The type of the values.
    pub fn kind(&self) -> Kind {
        match self {
            Values::Text(_) => Kind::Text,
            Values::Flag(_) => Kind::Flag,
            Values::Whole(_) => Kind::Whole,
            Values::Number(_) => Kind::Number,
            Values::Time(_) => Kind::Time,
        }
    }
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

/// Columns that identify a run.
pub fn of_run<'a>(id: &'a str, run: &'a RunRecord) -> Record<'a> {
    let suite = run.suite.as_ref().map(|suite| suite.name.as_str());
    Record::default()
        .with("run", id)
        .with("started", Cell::Time(&run.started))
        .with("machine_key", &run.machine_key)
        .with("cpu_model", &run.machine.cpu_model)
        .with("host_name", run.host_name.as_deref())
        .with("suite", suite)
        .with("git_commit", run.software.git_commit.as_deref())
}

/// A row of `summary.csv`: the documented columns, then `point_id`, `axis_…` and `metric_…`.
pub fn summary(row: &SummaryRow) -> Record<'_> {
    row.record()
        .with("point_id", row.point().id())
        .spread("axis", row.params.iter())
        .spread("metric", row.metrics.iter())
}

/// A row of `samples.csv`, then `axis_…` and `counter_…`.
pub fn wide_sample(row: &SampleRow) -> Record<'_> {
    row.record().spread("axis", row.params.iter()).spread("counter", row.counters.iter())
}

impl Frame {
    /// Rows of `summary.csv`.
    pub fn from_summary(rows: &[SummaryRow]) -> Frame {
        Frame::new(&summary(&SummaryRow::default()), rows.iter().map(summary))
    }

    /// Rows of `samples.csv`.
    pub fn from_samples(rows: &[SampleRow]) -> Frame {
        Frame::new(&SampleRow::default().record(), rows.iter().map(SampleRow::record))
    }
}

/// Rows with the description of the run and its machine.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Document<'a, Rows = &'a Frame> {
    /// The version of the layout.
    schema_version: u32,
    /// UTC, RFC 3339.
    started: &'a str,
    /// UTC, RFC 3339; null if the run did not end normally.
    finished: Option<&'a str>,
    /// The command line, the program's name first.
    command: &'a [String],
    /// The suite that was measured.
    suite: Option<&'a SuitePart>,
    /// The program.
    software: &'a Software,
    /// Equal keys mean comparable numbers.
    machine_key: &'a str,
    /// The machine.
    machine: &'a Machine,
    /// Notes on the whole run.
    notes: &'a [String],
    /// Rows, all with the same columns.
    rows: Rows,
}

impl<'a> Document<'a> {
    /// The rows of a run as a self-contained document.
    pub fn new(run: &'a RunRecord, rows: &'a Frame) -> Self {
        Document {
            schema_version: SCHEMA_VERSION,
            started: &run.started,
            finished: run.finished.as_deref(),
            command: &run.command,
            suite: run.suite.as_ref(),
            software: &run.software,
            machine_key: &run.machine_key,
            machine: &run.machine,
            notes: &run.notes,
            rows,
        }
    }

    /// The document as JSON.
    pub fn json(&self) -> Result<String, FrameError> {
        formats::text(self)
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

    fn names(record: &Record<'_>) -> Vec<String> {
        Frame::new(record, []).names().map(str::to_owned).collect()
    }

    #[test]
    fn records_begin_with_the_columns_of_the_files() {
        let summary = names(&summary(&SummaryRow::default()));
        assert_eq!(summary.join(","), format!("{},point_id", SummaryRow::COLUMNS));
        assert_eq!(names(&SampleRow::default().record()).join(","), SampleRow::COLUMNS);
    }
}
