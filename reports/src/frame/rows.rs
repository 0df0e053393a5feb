//! Rows of runs as records: a column for each axis, metric and counter.

use serde::Serialize;

use super::{Frame, FrameError, formats};
use crate::record::{
    Machine, RunRecord, SCHEMA_VERSION, SampleRow, Software, SuitePart, SummaryRow,
};
use crate::row::{Cell, Record};

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
    ///
    /// # Errors
    /// If it can't be serialised.
    pub fn json(&self) -> Result<String, FrameError> {
        formats::text(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
