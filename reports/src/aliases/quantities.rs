//! Axes and metrics of runs that are older than their declarations in `run.json`.
//!
//! The tables are `assets/old_axes.csv` and `assets/old_metrics.csv`. They are used only for names
//! that a run does not declare itself.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::record::{About, AxisKind, AxisRecord, Better, MetricRecord};

/// Meaning of axis names in old runs, by task and name.
static AXES: LazyLock<BTreeMap<(String, String), Arc<AxisRecord>>> = LazyLock::new(|| {
    let of_row = |row: AxisRow| {
        let AxisRow { task, axis, kind, unit, label } = row;
        let record = AxisRecord { kind, unit, label, with_input: false };
        ((task, axis), Arc::new(record))
    };
    rows(include_str!("../../assets/old_axes.csv")).map(of_row).collect()
});

/// Meaning of metric names in old runs.
static METRICS: LazyLock<BTreeMap<String, Arc<MetricRecord>>> = LazyLock::new(|| {
    let of_row = |row: MetricRow| {
        let MetricRow { metric, unit, label, meaning, better, ideal } = row;
        let about = About::Quality;
        (metric, Arc::new(MetricRecord { unit, label, meaning, better, ideal, about }))
    };
    rows(include_str!("../../assets/old_metrics.csv")).map(of_row).collect()
});

#[derive(Deserialize)]
struct AxisRow {
    task: String,
    axis: String,
    kind: AxisKind,
    unit: String,
    label: String,
}

#[derive(Deserialize)]
struct MetricRow {
    metric: String,
    unit: String,
    label: String,
    meaning: String,
    better: Better,
    ideal: Option<f64>,
}

/// Rows of a table that is part of the program; a test reads all of them.
fn rows<R: DeserializeOwned + 'static>(text: &'static str) -> impl Iterator<Item = R> {
    let mut builder = csv::ReaderBuilder::new();
    let reader = builder.comment(Some(b'#')).from_reader(text.as_bytes());
    reader.into_deserialize().filter_map(Result::ok)
}

/// Axis of a task in old runs; of type text if it is unknown.
pub fn old_axis(task: &str, name: &str) -> Arc<AxisRecord> {
    let of = |task: &str| AXES.get(&(task.to_owned(), name.to_owned()));
    let unknown = || AxisRecord { label: name.to_owned(), ..AxisRecord::default() };
    of(task).or_else(|| of("")).map_or_else(|| Arc::new(unknown()), Arc::clone)
}

/// Metric of old runs, if it is one of quality.
pub fn old_metric(name: &str) -> Option<&'static Arc<MetricRecord>> {
    METRICS.get(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_read() {
        let lines = |text: &str| text.lines().filter(|line| !line.starts_with('#')).count() - 1;
        assert_eq!(AXES.len(), lines(include_str!("../../assets/old_axes.csv")));
        assert_eq!(METRICS.len(), lines(include_str!("../../assets/old_metrics.csv")));
    }

    #[test]
    fn noise_depends_on_the_task() {
        assert_eq!(old_axis("sts", "noise").kind, AxisKind::Frequency);
        assert_eq!(old_axis("decode", "noise").kind, AxisKind::Share);
        assert_eq!(old_axis("decode", "zs").kind, AxisKind::Text);
    }
}
