//! Reports of profilers, in the form of NVIDIA's `ncu --csv`: a row for each metric of each launch of a
//! kernel.

use std::collections::BTreeMap;

use portable_gpu::cuda::cupti::{CountedLaunch, Metrics};
use serde::{Deserialize, Serialize};

/// Time of a kernel in nanoseconds.
pub(super) const DURATION: &str = "gpu__time_duration.sum";
/// Bytes that memory of the device gave.
pub(super) const DRAM_READ: &str = "dram__bytes_read.sum";
/// Bytes that it took.
pub(super) const DRAM_WRITTEN: &str = "dram__bytes_write.sum";
/// Instructions of warps.
pub(super) const INSTRUCTIONS: &str = "smsp__inst_executed.sum";
/// Cycles in which a scheduler issued an instruction, as a percentage of those in which it had a
/// warp.
pub(super) const ISSUE_ACTIVE: &str = "smsp__issue_active.avg.pct_of_peak_sustained_active";
/// States of warps, each as warps per issued instruction: `long_scoreboard` between both.
const STATE: [&str; 2] = ["smsp__average_warps_issue_stalled_", "_per_issue_active.ratio"];

/// All metrics.
pub(super) const METRICS: Metrics<'static> = Metrics {
    named: &[DURATION, DRAM_READ, DRAM_WRITTEN, INSTRUCTIONS, ISSUE_ACTIVE],
    ratios: (STATE[0], STATE[1]),
};

/// All metrics, as `ncu --metrics` takes them.
pub(super) fn metrics_of_ncu() -> String {
    let (before, after) = METRICS.ratios;
    format!("{},regex:{before}.*{after}", METRICS.named.join(","))
}

/// A launch of a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Launch {
    pub(super) kernel: String,
    values: BTreeMap<String, f64>,
}

impl Launch {
    /// Value of a metric; 0 if the GPU does not have it.
    pub(super) fn value(&self, metric: &str) -> f64 {
        self.values.get(metric).copied().unwrap_or(0.0)
    }

    /// States of warps by name, each as warps per issued instruction.
    pub(super) fn warp_states(&self) -> impl Iterator<Item = (&str, f64)> {
        let [before, after] = STATE;
        self.values.iter().filter_map(move |(metric, value)| {
            let state = metric.strip_prefix(before)?.strip_suffix(after)?;
            Some((state, *value))
        })
    }
}

/// Report that can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the report of the profiler can't be read: {problem}")]
pub(super) struct InvalidReport {
    line: u64,
    problem: String,
}

/// A row of a report.
#[derive(Deserialize, Serialize)]
struct Row {
    #[serde(rename = "ID")]
    launch: u64,
    #[serde(rename = "Kernel Name")]
    kernel: String,
    #[serde(rename = "Metric Name")]
    metric: String,
    #[serde(rename = "Metric Value")]
    value: String,
}

/// Prefix of lines with messages of the profiler, which come before the rows.
const MESSAGE: &str = "==";
/// Prefix of its failures.
const FAILED: &str = "==ERROR== ";

/// Reads a report: launches in order.
pub(super) fn parse(report: &str) -> Result<Vec<Launch>, InvalidReport> {
    let messages = report.lines().take_while(|line| line.starts_with(MESSAGE)).count();
    let rows: String = report.split_inclusive('\n').skip(messages).collect();
    let mut launches: BTreeMap<u64, Launch> = BTreeMap::new();
    let mut reader = csv::Reader::from_reader(rows.as_bytes());
    for row in reader.deserialize() {
        let row: Row = row.map_err(|error| invalid(&error, messages))?;
        let launch = launches.entry(row.launch).or_default();
        launch.kernel = row.kernel;
        // Metrics without a value are those that a GPU does not have: `n/a`, or NaN.
        let value = row.value.replace(',', "").parse::<f64>().ok();
        launch.values.extend(value.filter(|it| it.is_finite()).map(|value| (row.metric, value)));
    }
    Ok(launches.into_values().collect())
}

/// The report of launches.
pub(super) fn write(launches: &[CountedLaunch]) -> Result<Vec<u8>, csv::Error> {
    let mut rows = csv::Writer::from_writer(Vec::new());
    for (launch, counted) in launches.iter().enumerate() {
        for (metric, value) in &counted.values {
            rows.serialize(Row {
                launch: launch as u64,
                kernel: counted.kernel.clone(),
                metric: metric.clone(),
                value: value.to_string(),
            })?;
        }
    }
    rows.into_inner().map_err(|error| error.into_error().into())
}

/// The report of a failure.
pub(super) fn failed(reason: &str) -> Vec<u8> {
    format!("{FAILED}{reason}\n").into_bytes()
}

/// The failure that a report without launches has.
pub(super) fn failure(report: &str) -> Option<&str> {
    report.lines().find_map(|line| line.strip_prefix(FAILED))
}

fn invalid(error: &csv::Error, lines_before: usize) -> InvalidReport {
    let line = error.position().map_or(0, csv::Position::line);
    InvalidReport { line: line + lines_before as u64, problem: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str =
        "\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";

    fn row(id: u64, kernel: &str, metric: &str, value: &str) -> String {
        format!("\"{id}\",\"675\",\"{kernel}\",\"{metric}\",\"\",\"{value}\"\n")
    }

    #[test]
    fn launches_have_their_metrics() {
        let report = [
            "==PROF== Connected to process 675 (/bin/bench)\n",
            HEADER,
            &row(0, "copy", DRAM_READ, "1,073,769,728"),
            &row(0, "copy", DURATION, "497,696.5"),
            &row(
                0,
                "copy",
                "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio",
                "2.46",
            ),
            &row(1, "scale", DRAM_READ, "n/a"),
        ]
        .concat();
        let launches = parse(&report).expect("well formed");
        assert_eq!(launches.len(), 2);
        assert_eq!(launches[0].kernel, "copy");
        assert_eq!(launches[0].value(DRAM_READ), 1_073_769_728.0);
        assert_eq!(launches[0].value(DURATION), 497_696.5);
        assert_eq!(launches[0].warp_states().collect::<Vec<_>>(), [("wait", 2.46)]);
        assert_eq!(launches[1].kernel, "scale");
        assert_eq!(launches[1].value(DRAM_READ), 0.0, "the GPU does not have it");
    }

    #[test]
    fn a_damaged_report_is_an_error_with_its_line() {
        let report = ["==PROF== Connected\n", HEADER, "\"zero\",\"1\",\"copy\",\"a\",\"\",\"1\"\n"];
        let error = parse(&report.concat()).expect_err("no such launch");
        assert_eq!(error.line, 3, "{error}");
        assert!(parse(&format!("{HEADER}\"0\",\"1\"\n")).is_err(), "columns are missing");
    }

    #[test]
    fn launches_that_were_counted_here_are_read_again() {
        let values = |values: [f64; 2]| {
            [DRAM_READ, DURATION].map(str::to_owned).into_iter().zip(values).collect()
        };
        let counted =
            |kernel: &str, of| CountedLaunch { kernel: kernel.into(), values: values(of) };
        let counted = [counted("copy", [1e12, 0.5]), counted("fill<int, 3>", [f64::NAN, 2.0])];
        let report = String::from_utf8(write(&counted).expect("written")).expect("text");
        let launches = parse(&report).expect("well formed");
        assert_eq!(launches.len(), 2);
        assert_eq!(launches[0].value(DRAM_READ), 1e12);
        assert_eq!(launches[0].value(DURATION), 0.5);
        assert_eq!(launches[1].kernel, "fill<int, 3>");
        assert_eq!(launches[1].value(DRAM_READ), 0.0, "the GPU does not have it");
    }

    #[test]
    fn failures_are_told_from_other_messages() {
        let report = String::from_utf8(failed("no GPU")).expect("text");
        assert_eq!(parse(&report), Ok(Vec::new()));
        assert_eq!(failure(&report), Some("no GPU"));
        assert_eq!(failure("==PROF== Connected to process 675\n"), None);
    }

    #[test]
    fn a_report_without_launches_has_none() {
        assert_eq!(
            parse("==PROF== Connected\n==WARNING== No kernels were profiled.\n"),
            Ok(Vec::new())
        );
        assert_eq!(parse(""), Ok(Vec::new()));
    }
}
