//! Rows of runs as records: a column for each axis, metric and counter.

use serde::Serialize;

use super::{Cell, Frame, FrameError, Record, formats, record};
use crate::record::{
    Machine, Point, RunRecord, SCHEMA_VERSION, SampleRow, Software, SuitePart, SummaryRow,
};

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

/// Columns that identify a point; its axes have columns of their own.
pub fn point(point: &Point) -> Record<'_> {
    Record::default()
        .with("point_id", point.id())
        .with("algorithm", &point.algorithm)
        .with("variant", &point.variant)
        .with("device", &point.device)
        .with("threads", point.threads)
        .with("places", &point.cpu_sets)
        .with("bind", &point.bind)
        .with("cache", &point.cache)
        .with("params", point.params.to_string())
        .spread("axis", point.params.iter())
}

/// A row of `summary.csv`: the documented columns, then `point_id`, `axis_…` and `metric_…`.
pub fn summary(row: &SummaryRow) -> Record<'_> {
    record!(row;
        algorithm, variant, stage, backend, device, threads, places = cpu_sets, bind, cache,
        params, items, item_unit, bytes_min, samples, stopped_by, median_s, mean_s, stddev_s,
        min_s, p95_s, p99_s, max_s, ci95_low_s, ci95_high_s, items_per_s, bytes_per_s,
        peak_fraction, memory_bytes, memory_ratio, stable, valid, fingerprint, given, metrics,
        note
    )
    .with("point_id", row.point().id())
    .spread("axis", row.params.iter())
    .spread("metric", row.metrics.iter())
}

/// A row of `samples.csv`.
pub fn sample(row: &SampleRow) -> Record<'_> {
    record!(row;
        point_id, algorithm, variant, stage, device, threads, params, round, sample, seconds,
        cpu, clock_mhz, flags, cpu_s, counters, run_delay_s
    )
}

/// A row of `samples.csv`, then `axis_…` and `counter_…`.
pub fn wide_sample(row: &SampleRow) -> Record<'_> {
    sample(row).spread("axis", row.params.iter()).spread("counter", row.counters.iter())
}

impl Frame {
    /// Rows of `summary.csv`.
    pub fn from_summary(rows: &[SummaryRow]) -> Frame {
        Frame::new(&summary(&SummaryRow::default()), rows.iter().map(summary))
    }

    /// Rows of `samples.csv`.
    pub fn from_samples(rows: &[SampleRow]) -> Frame {
        Frame::new(&sample(&SampleRow::default()), rows.iter().map(sample))
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
        assert_eq!(names(&sample(&SampleRow::default())).join(","), SampleRow::COLUMNS);
    }
}
