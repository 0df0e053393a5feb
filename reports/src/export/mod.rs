//! Export of runs for monitoring, spreadsheets and analyses.
//!
//! | module | writes |
//! |---|---|
//! | `prometheus` | the text format of Prometheus, for scrapes or a textfile collector |
//! | `influx` | the line protocol of InfluxDB, with times |
//! | [`live`] | both, of a running stream |
//! | `quantities` | the numbers that both monitoring formats contain |

mod error;
mod influx;
pub mod live;
mod prometheus;
mod quantities;

pub use error::ExportError;

use crate::frame::{Frame, of_run, summary, wide_sample};
use crate::record::{RunRecord, SampleRow, SummaryRow};
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
}

impl ExportFormat {
    /// All formats with their names.
    pub const ALL: [(&str, ExportFormat); 4] = [
        ("prometheus", ExportFormat::Prometheus),
        ("influx", ExportFormat::Influx),
        ("csv", ExportFormat::Csv),
        ("parquet", ExportFormat::Parquet),
    ];

    /// True for formats with rows and columns.
    pub fn is_table(self) -> bool {
        matches!(self, ExportFormat::Csv | ExportFormat::Parquet)
    }

    /// The format for a file extension.
    pub fn from_ending(ending: &str) -> Option<Self> {
        match ending {
            "prom" => Some(ExportFormat::Prometheus),
            "lp" | "influx" => Some(ExportFormat::Influx),
            "csv" => Some(ExportFormat::Csv),
            "parquet" => Some(ExportFormat::Parquet),
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
        ExportFormat::Prometheus => Ok(prometheus::text(runs)?.into_bytes()),
        ExportFormat::Influx => Ok(influx::text(runs)?.into_bytes()),
        ExportFormat::Csv => Ok(summaries(runs).csv()?.into_bytes()),
        ExportFormat::Parquet => Ok(summaries(runs).parquet()?),
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
