//! Export of runs for monitoring, spreadsheets and analyses.
//!
//! | module | writes |
//! |---|---|
//! | `columns` | tables with units as JSON, column by column |
//! | `formats` | the text format of Prometheus and the line protocol of InfluxDB, of stored runs |
//! | [`live`] | both, of a running stream |

mod columns;
mod formats;
pub mod live;

#[cfg(test)]
pub(crate) use columns::ColumnsDocument;

use std::time::{Duration, SystemTime};

use text::Untrusted;

use crate::frame::{Frame, FrameError, of_run, summary, wide_sample};
use crate::record::{RunRecord, SampleRow, SummaryRow, YesNo};
use crate::row::spread_name;
use crate::store::RunSummary;

/// Formats of exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// Prometheus' text format: the latest numbers of each point.
    Prometheus,
    /// InfluxDB's line protocol: all numbers with the times of their runs.
    Influx,
    /// CSV.
    Csv,
    /// Parquet.
    Parquet,
    /// Columns with types and units as JSON.
    Json,
}

impl ExportFormat {
    /// All formats with their names.
    pub const ALL: [(&str, ExportFormat); 5] = [
        ("prometheus", ExportFormat::Prometheus),
        ("influx", ExportFormat::Influx),
        ("csv", ExportFormat::Csv),
        ("parquet", ExportFormat::Parquet),
        ("json", ExportFormat::Json),
    ];

    /// True for formats with rows and columns.
    pub fn is_table(self) -> bool {
        !matches!(self, ExportFormat::Prometheus | ExportFormat::Influx)
    }

    /// The format for a file extension.
    pub fn from_ending(ending: &str) -> Option<Self> {
        match ending {
            "prom" => Some(ExportFormat::Prometheus),
            "lp" | "influx" => Some(ExportFormat::Influx),
            "csv" => Some(ExportFormat::Csv),
            "parquet" => Some(ExportFormat::Parquet),
            "json" => Some(ExportFormat::Json),
            _ => None,
        }
    }
}

/// Tables that can be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportTable {
    /// Points and their stages.
    Summary,
    /// Samples.
    Samples,
}

impl ExportTable {
    /// All tables with their names.
    pub const ALL: [(&str, ExportTable); 2] =
        [("summary", ExportTable::Summary), ("samples", ExportTable::Samples)];
}

/// A run with its samples.
#[derive(Clone, Debug)]
pub struct StoredSamples {
    /// The run's name.
    pub id: String,
    /// The description of the run.
    pub record: RunRecord,
    /// All samples.
    pub rows: Vec<SampleRow>,
}

/// Exports the points of runs, the oldest first.
///
/// # Errors
/// If a table can't be written, or a run has no valid start time.
pub fn export(format: ExportFormat, runs: &[RunSummary]) -> Result<Vec<u8>, ExportError> {
    match format {
        ExportFormat::Prometheus => Ok(formats::prometheus_text(runs)?.into_bytes()),
        ExportFormat::Influx => Ok(formats::text(runs)?.into_bytes()),
        ExportFormat::Csv => Ok(summaries(runs).csv()?.into_bytes()),
        ExportFormat::Parquet => Ok(summaries(runs).parquet()?),
        ExportFormat::Json => Ok(columns::summary_json(&summaries(runs), runs)?.into_bytes()),
    }
}

/// Exports the samples of runs, the oldest first, as a table.
///
/// # Errors
/// If the table can't be written, or the format is not for tables.
pub fn export_samples(
    format: ExportFormat,
    runs: &[StoredSamples],
) -> Result<Vec<u8>, ExportError> {
    match format {
        ExportFormat::Prometheus | ExportFormat::Influx => Err(ExportError::NoSamples),
        ExportFormat::Csv => Ok(samples(runs).csv()?.into_bytes()),
        ExportFormat::Parquet => Ok(samples(runs).parquet()?),
        ExportFormat::Json => Ok(columns::samples_json(&samples(runs), runs)?.into_bytes()),
    }
}

fn summaries(runs: &[RunSummary]) -> Frame {
    let nothing = RunRecord::default();
    let empty = SummaryRow::default();
    let rows = runs
        .iter()
        .flat_map(|run| run.rows.iter().map(|row| of_run(&run.id, &run.record).and(summary(row))));
    Frame::new(&of_run("", &nothing).and(summary(&empty)), rows)
}

fn samples(runs: &[StoredSamples]) -> Frame {
    let nothing = RunRecord::default();
    let empty = SampleRow::default();
    let rows = runs.iter().flat_map(|run| {
        run.rows.iter().map(|row| of_run(&run.id, &run.record).and(wide_sample(row)))
    });
    Frame::new(&of_run("", &nothing).and(wide_sample(&empty)), rows)
}

/// A number of a row, which may be absent.
struct Quantity {
    /// Field in InfluxDB: the column of `summary.csv`.
    pub field: &'static str,
    /// Metric in Prometheus, with its unit as is usual there.
    pub metric: &'static str,
    /// Description.
    pub help: &'static str,
    /// Returns the value of a row.
    pub of: fn(&SummaryRow) -> Option<f64>,
}

const fn quantity(
    [field, metric, help]: [&'static str; 3],
    of: fn(&SummaryRow) -> Option<f64>,
) -> Quantity {
    Quantity { field, metric, help, of }
}

/// All quantities.
const QUANTITIES: [Quantity; 11] = [
    quantity(["median_s", "recobench_median_seconds", "Median time of a sample."], |row| {
        row.valid_median()
    }),
    quantity(
        [
            "ci95_low_s",
            "recobench_median_low_seconds",
            "Lower end of the 95 % interval of the median.",
        ],
        |row| row.ci95_low_s,
    ),
    quantity(
        [
            "ci95_high_s",
            "recobench_median_high_seconds",
            "Upper end of the 95 % interval of the median.",
        ],
        |row| row.ci95_high_s,
    ),
    quantity(["min_s", "recobench_min_seconds", "Time of the fastest sample."], |row| row.min_s),
    quantity(
        ["p95_s", "recobench_p95_seconds", "Time that 95 % of the samples did not exceed."],
        |row| row.p95_s,
    ),
    quantity(["items_per_s", "recobench_items_per_second", "Items processed per second."], |row| {
        row.items_per_s
    }),
    quantity(
        [
            "bytes_per_s",
            "recobench_bytes_per_second",
            "Bytes that have to be moved, over the median.",
        ],
        |row| row.bytes_per_s,
    ),
    quantity(
        [
            "peak_fraction",
            "recobench_peak_ratio",
            "Those over the bandwidth measured in the same run.",
        ],
        |row| row.peak_fraction,
    ),
    quantity(
        ["memory_bytes", "recobench_memory_bytes", "Every buffer alive during the run."],
        |row| row.memory_bytes.map(|bytes| bytes as f64),
    ),
    quantity(["samples", "recobench_samples", "Number of samples."], |row| {
        Some(row.samples as f64)
    }),
    quantity(
        ["valid", "recobench_valid", "1 if the output was right on this very input, else 0."],
        |row| Some(f64::from(u8::from(row.valid == YesNo::Yes))),
    ),
];

/// Tags that distinguish a row from all others of its run, and machines: names with values, none of
/// them empty.
fn tags<'a>(run: &'a RunSummary, row: &'a SummaryRow) -> Vec<(String, String)> {
    let record = &run.record;
    let suite = record.suite.as_ref().map_or("", |suite| &suite.name);
    let fixed = [
        ("algorithm", row.algorithm.as_str()),
        ("variant", &row.variant),
        ("stage", &row.stage),
        ("backend", &row.backend),
        ("device", &row.device),
        ("threads", &row.threads.to_string()),
        ("places", &row.cpu_sets),
        ("bind", &row.bind),
        ("cache", &row.cache),
        ("machine", &record.machine_key),
        ("cpu", &record.machine.cpu_model),
        ("suite", suite),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    // Axes of tasks may have any name.
    let axes = row.params.iter();
    let axes = axes.map(|(name, value)| (spread_name("axis", name), value.to_owned()));
    let all = fixed.into_iter().chain(axes);
    all.filter(|(_, value)| !value.is_empty()).collect()
}

/// Metrics of the task, by name.
fn figures(row: &SummaryRow) -> impl Iterator<Item = (&str, f64)> {
    let metrics = row.metrics.iter();
    metrics.filter_map(|(name, value)| {
        let number: f64 = value.parse().ok()?;
        number.is_finite().then_some((name, number))
    })
}

/// Start of a run as time since 1970.
fn started(run: &RunSummary) -> Result<Duration, ExportError> {
    let started = humantime::parse_rfc3339_weak(&run.record.started).ok();
    let since = started.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    since.ok_or_else(|| ExportError::NoTime {
        run: run.id.clone(),
        started: run.record.started.clone(),
    })
}

/// Error of an export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A run whose start is not a valid time.
    #[error(
        "run {}: started {} is not a time such as 2026-01-31T12:00:00Z",
        run.escaped(), started.quoted()
    )]
    NoTime {
        /// The run.
        run: String,
        /// The start in its record.
        started: String,
    },
    /// Samples were requested in a format for monitoring.
    #[error("samples are tables: write them with --format csv, parquet or json")]
    NoSamples,
    /// Rows that can't be written.
    #[error(transparent)]
    Frame(#[from] FrameError),
}

#[cfg(test)]
mod fixture {
    use crate::charts::fixture::{row, run};
    use crate::record::RunRecord;
    use crate::store::RunSummary;

    /// A run with names that contain special characters of every format.
    pub fn run_of(id: &str, started: &str) -> RunSummary {
        let mut nasty = row("std \"quoted\", a=b\\", "digis=1000;first-orbit=0", 1e-3);
        nasty.note = "two\nlines, \"quoted\"".into();
        nasty.metrics = "us_per_page=1.5".parse().expect("well formed");
        nasty.peak_fraction = None;
        let record = RunRecord { started: started.into(), ..run() };
        RunSummary { id: id.into(), record, rows: vec![row("plain", "digis=1000", 2e-3), nasty] }
    }

    /// Two runs, the older one first.
    pub fn runs() -> Vec<RunSummary> {
        vec![run_of("old", "2026-01-01T00:00:00Z"), run_of("new", "2026-01-02T00:00:00Z")]
    }
}

#[cfg(test)]
mod tests {
    use super::fixture::runs;
    use super::*;
    use crate::record::Point;

    fn records(table: &[u8]) -> (csv::StringRecord, Vec<csv::StringRecord>) {
        let mut reader = csv::Reader::from_reader(table);
        let header = reader.headers().expect("a header").clone();
        let rows: Result<Vec<_>, _> = reader.records().collect();
        (header, rows.expect("well formed"))
    }

    #[test]
    fn rows_read_back_as_they_were_and_know_their_run() {
        let table = export(ExportFormat::Csv, &runs()).expect("a table");
        let (header, rows) = records(&table);
        let read: Result<Vec<SummaryRow>, _> =
            rows.iter().map(|row| row.deserialize(Some(&header))).collect();
        let expected: Vec<SummaryRow> = runs().into_iter().flat_map(|run| run.rows).collect();
        assert_eq!(read.expect("rows"), expected);
        let ids: Vec<&str> = rows.iter().map(|row| &row[0]).collect();
        assert_eq!(ids, ["old", "old", "new", "new"]);
    }

    #[test]
    fn samples_have_columns_of_their_own_for_axes_and_counters() {
        let run = runs().remove(0);
        let mut sample = SampleRow::new(&run.rows[0].point(), "total", 0, 0, 0.5);
        sample.counters.set("cycles", "7");
        let id = sample.point_id.clone();
        let run = StoredSamples { id: run.id, record: run.record, rows: vec![sample] };
        let runs = [run];
        let (header, rows) = records(&export_samples(ExportFormat::Csv, &runs).expect("a table"));
        let at = |name: &str| header.iter().position(|column| column == name).expect(name);
        assert_eq!(&rows[0][at("axis_digis")], "1000");
        assert_eq!(&rows[0][at("counter_cycles")], "7");
        assert_eq!(&rows[0][at("point_id")], id);
        assert_ne!(id, Point::default().id());
        assert!(export_samples(ExportFormat::Influx, &runs).is_err());
    }
}
