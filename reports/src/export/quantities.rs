//! The numbers of a row for monitoring, and their time.

use std::time::{Duration, SystemTime};

use super::ExportError;
use crate::frame::spread_name;
use crate::record::{SummaryRow, YesNo};
use crate::store::RunSummary;

/// A number of a row, which may be absent.
pub struct Quantity {
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
pub const QUANTITIES: [Quantity; 11] = [
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
pub fn tags<'a>(run: &'a RunSummary, row: &'a SummaryRow) -> Vec<(String, String)> {
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
pub fn figures(row: &SummaryRow) -> impl Iterator<Item = (&str, f64)> {
    let metrics = row.metrics.iter();
    metrics.filter_map(|(name, value)| {
        let number: f64 = value.parse().ok()?;
        number.is_finite().then_some((name, number))
    })
}

/// Start of a run as time since 1970.
pub fn started(run: &RunSummary) -> Result<Duration, ExportError> {
    let started = humantime::parse_rfc3339_weak(&run.record.started).ok();
    let since = started.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    since.ok_or_else(|| ExportError::NoTime {
        run: run.id.clone(),
        started: run.record.started.clone(),
    })
}
