//! The columns of exported tables: those of `summary.csv`, and what the run was.

use crate::history::StoredSummary;
use crate::record::{SummaryRow, YesNo};

/// A column: its name, and its values.
pub struct Column {
    /// As in `summary.csv`, where it is there too.
    pub name: &'static str,
    /// The kind of its values.
    pub values: Values,
}

/// From a row to a value, by kind.
#[derive(Clone, Copy)]
pub enum Values {
    /// Texts.
    Text(fn(&StoredSummary, &SummaryRow) -> String),
    /// Whole numbers.
    Whole(fn(&SummaryRow) -> Option<u64>),
    /// Numbers.
    Number(fn(&SummaryRow) -> Option<f64>),
}

const fn text(name: &'static str, of: fn(&StoredSummary, &SummaryRow) -> String) -> Column {
    let values = Values::Text(of);
    Column { name, values }
}

const fn whole(name: &'static str, of: fn(&SummaryRow) -> Option<u64>) -> Column {
    let values = Values::Whole(of);
    Column { name, values }
}

const fn number(name: &'static str, of: fn(&SummaryRow) -> Option<f64>) -> Column {
    let values = Values::Number(of);
    Column { name, values }
}

fn yes_no(value: YesNo) -> String {
    match value {
        YesNo::Yes => "yes".to_owned(),
        YesNo::No => "no".to_owned(),
    }
}

fn suite(run: &StoredSummary) -> String {
    let suite = run.record.suite.as_ref();
    suite.map_or_else(String::new, |suite| suite.name.clone())
}

/// All columns.
pub const COLUMNS: [Column; 41] = [
    text("run", |run, _| run.id.clone()),
    text("started", |run, _| run.record.started.clone()),
    text("machine_key", |run, _| run.record.machine_key.clone()),
    text("cpu_model", |run, _| run.record.machine.cpu_model.clone()),
    text("suite", |run, _| suite(run)),
    text("git_commit", |run, _| run.record.software.git_commit.clone().unwrap_or_default()),
    text("point_id", |_, row| row.point().id()),
    text("algorithm", |_, row| row.algorithm.clone()),
    text("variant", |_, row| row.variant.clone()),
    text("stage", |_, row| row.stage.clone()),
    text("backend", |_, row| row.backend.clone()),
    text("device", |_, row| row.device.clone()),
    whole("threads", |row| Some(row.threads as u64)),
    text("places", |_, row| row.places.clone()),
    text("bind", |_, row| row.bind.clone()),
    text("cache", |_, row| row.cache.clone()),
    text("params", |_, row| row.params.to_string()),
    whole("items", |row| Some(row.items)),
    text("item_unit", |_, row| row.item_unit.clone()),
    whole("bytes_min", |row| Some(row.bytes_min)),
    whole("samples", |row| Some(row.samples as u64)),
    text("stopped_by", |_, row| row.stopped_by.clone()),
    number("median_s", |row| row.median_s),
    number("mean_s", |row| row.mean_s),
    number("stddev_s", |row| row.stddev_s),
    number("min_s", |row| row.min_s),
    number("p95_s", |row| row.p95_s),
    number("p99_s", |row| row.p99_s),
    number("max_s", |row| row.max_s),
    number("ci95_low_s", |row| row.ci95_low_s),
    number("ci95_high_s", |row| row.ci95_high_s),
    number("items_per_s", |row| row.items_per_s),
    number("bytes_per_s", |row| row.bytes_per_s),
    number("peak_fraction", |row| row.peak_fraction),
    whole("memory_bytes", |row| row.memory_bytes),
    number("memory_ratio", |row| row.memory_ratio),
    text("stable", |_, row| yes_no(row.stable)),
    text("valid", |_, row| yes_no(row.valid)),
    text("fingerprint", |_, row| row.fingerprint.clone()),
    text("metrics", |_, row| row.metrics.to_string()),
    text("note", |_, row| row.note.clone()),
];

/// All rows with their runs.
pub fn rows(runs: &[StoredSummary]) -> impl Iterator<Item = (&StoredSummary, &SummaryRow)> {
    runs.iter().flat_map(|run| run.rows.iter().map(move |row| (run, row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_column_of_a_summary_is_missing() {
        let names: Vec<&str> = COLUMNS.iter().map(|column| column.name).collect();
        for column in SummaryRow::COLUMNS.split(',') {
            assert!(names.contains(&column), "{column}");
        }
    }
}
