//! Tables as JSON, column by column with types and units, for programs that build data frames.
//!
//! Units of fixed columns are declared with the rows, those of axes and metrics in `run.json`.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::StoredSamples;
use crate::aliases::{axis_record, metric_record};
use crate::frame::{Frame, FrameError, Values};
use crate::record::{RunRecord, SCHEMA_VERSION, SampleRow, SummaryRow};
use crate::row::{Kind, spread_name};
use crate::store::RunSummary;

/// A table by columns.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct ColumnsDocument<'a> {
    /// The version of the layout.
    schema_version: u32,
    /// `summary` or `samples`.
    table: &'static str,
    /// The columns in the order of CSV, all with a value for each row.
    columns: Vec<TypedColumn<'a>>,
}

/// A column with its type and unit.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TypedColumn<'a> {
    /// The name, as in CSV.
    name: &'a str,
    /// The type of the values.
    r#type: Kind,
    /// The unit of the values: empty for texts, counts and ratios, null if it is unknown or tasks
    /// of the runs differ in it.
    unit: Option<&'a str>,
    /// A value for each row; null where it is unknown.
    values: &'a Values,
}

/// Points of runs.
pub(super) fn summary_json(frame: &Frame, runs: &[RunSummary]) -> Result<String, FrameError> {
    let mut units = Units::new(SummaryRow::UNITS);
    for run in runs {
        let rows = &run.rows;
        units.add_axes(&run.record, names(rows, |row| (&row.algorithm, row.params.iter())));
        units.add_metrics(&run.record, names(rows, |row| (&row.algorithm, row.metrics.iter())));
    }
    document("summary", frame, &units)
}

/// Samples of runs.
pub(super) fn samples_json(frame: &Frame, runs: &[StoredSamples]) -> Result<String, FrameError> {
    let mut units = Units::new(SampleRow::UNITS);
    for run in runs {
        units.add_axes(&run.record, names(&run.rows, |row| (&row.algorithm, row.params.iter())));
    }
    document("samples", frame, &units)
}

fn document(table: &'static str, frame: &Frame, units: &Units) -> Result<String, FrameError> {
    let columns = frame.columns.iter().map(|column| TypedColumn {
        name: &column.name,
        r#type: column.values.kind(),
        unit: units.get(&column.name),
        values: &column.values,
    });
    let columns = columns.collect();
    let document = ColumnsDocument { schema_version: SCHEMA_VERSION, table, columns };
    // Not indented: runs have hundreds of thousands of samples.
    let json = serde_json::to_string(&document);
    Ok(text::json(json.map_err(|error| FrameError::new("JSON", error))?) + "\n")
}

/// A task and the name of one of its axes or metrics.
type Named<'a> = (&'a str, &'a str);

/// All names in one column of rows, each once.
fn names<'a, Row, Pairs: Iterator<Item = (&'a str, &'a str)>>(
    rows: &'a [Row],
    column: impl Fn(&'a Row) -> (&'a String, Pairs),
) -> BTreeSet<Named<'a>> {
    let of_row = |row| {
        let (task, pairs) = column(row);
        pairs.map(|(name, _)| (task.as_str(), name))
    };
    rows.iter().flat_map(of_row).collect()
}

/// Units by columns; `None` where unknown.
struct Units(BTreeMap<String, Option<String>>);

impl Units {
    fn new(fixed: &[(&str, &str)]) -> Self {
        let unit = |(name, unit): &(&str, &str)| ((*name).to_owned(), Some((*unit).to_owned()));
        Units(fixed.iter().map(unit).collect())
    }

    fn add_axes(&mut self, run: &RunRecord, axes: BTreeSet<Named<'_>>) {
        let declared = run.quantities();
        for (task, name) in axes {
            let record = axis_record(Some(&declared), task, name);
            self.add(spread_name("axis", name), Some(&record.unit));
        }
    }

    fn add_metrics(&mut self, run: &RunRecord, metrics: BTreeSet<Named<'_>>) {
        let declared = run.quantities();
        for (task, name) in metrics {
            let record = metric_record(Some(&declared), task, name);
            self.add(spread_name("metric", name), record.map(|record| record.unit.as_str()));
        }
    }

    fn add(&mut self, column: String, unit: Option<&str>) {
        match self.0.entry(column) {
            Entry::Vacant(entry) => {
                entry.insert(unit.map(str::to_owned));
            }
            Entry::Occupied(mut entry) if entry.get().as_deref() != unit => {
                entry.insert(None);
            }
            Entry::Occupied(_) => {}
        }
    }

    /// Columns that no run declares are identities of runs and counters, which have no unit.
    fn get(&self, column: &str) -> Option<&str> {
        self.0.get(column).map_or(Some(""), |unit| unit.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::fixture::runs;
    use super::super::{ExportFormat, StoredSamples, export, export_samples};
    use crate::record::{AxisRecord, MetricRecord, SampleRow};
    use crate::store::RunSummary;

    fn column(document: &Value, name: &str) -> Value {
        let columns = document["columns"].as_array().expect("columns");
        columns.iter().find(|column| column["name"] == name).expect(name).clone()
    }

    fn exported(runs: &[RunSummary]) -> Value {
        let bytes = export(ExportFormat::Json, runs).expect("a table");
        serde_json::from_slice(&bytes).expect("JSON")
    }

    fn declaring(unit: &str) -> RunSummary {
        let mut run = runs().remove(0);
        let axis = AxisRecord { unit: unit.into(), ..AxisRecord::default() };
        run.record.axes.insert("digis".into(), axis);
        let metric = MetricRecord { unit: "µs".into(), ..MetricRecord::default() };
        run.record.metrics.insert("us_per_page".into(), metric);
        run
    }

    #[test]
    fn columns_have_types_units_and_exact_texts() {
        let document = exported(&[declaring("kB")]);
        assert_eq!(document["table"], "summary");
        let median = json!({
            "name": "median_s", "type": "number", "unit": "s", "values": [2e-3, 1e-3]
        });
        assert_eq!(column(&document, "median_s"), median);
        let variant = column(&document, "variant");
        assert_eq!(variant["values"][1], "std \"quoted\", a=b\\");
        assert_eq!((&variant["type"], &variant["unit"]), (&json!("text"), &json!("")));
        let digis = column(&document, "axis_digis");
        assert_eq!((&digis["type"], &digis["unit"]), (&json!("integer"), &json!("kB")));
        assert_eq!(column(&document, "metric_us_per_page")["unit"], "µs");
        assert_eq!(column(&document, "peak_fraction")["values"][1], json!(null));
        assert_eq!(column(&document, "valid")["type"], "boolean");
        assert_eq!(column(&document, "started")["type"], "time");
    }

    #[test]
    fn a_unit_in_which_runs_differ_is_unknown() {
        let document = exported(&[declaring("kB"), declaring("MB"), declaring("MB")]);
        assert_eq!(column(&document, "axis_digis")["unit"], json!(null));
    }

    #[test]
    fn samples_have_the_units_of_their_run() {
        let RunSummary { id, record, rows } = declaring("kB");
        let sample = SampleRow::new(&rows[0].point(), "total", 0, 0, 0.5);
        let samples = [StoredSamples { id, record, rows: vec![sample] }];
        let bytes = export_samples(ExportFormat::Json, &samples).expect("a table");
        let document: Value = serde_json::from_slice(&bytes).expect("JSON");
        let units = ["seconds", "clock_mhz", "axis_digis", "round"];
        let units = units.map(|name| column(&document, name)["unit"].clone());
        assert_eq!(units, ["s", "MHz", "kB", ""]);
        assert_eq!(column(&document, "seconds")["values"], json!([0.5]));
    }
}
