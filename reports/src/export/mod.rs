//! Runs in the formats of others: for monitoring, for tables, for analyses.
//!
//! | module | writes |
//! |---|---|
//! | `prometheus` | the text format of Prometheus: what a scrape or a textfile collector reads |
//! | `influx` | the line protocol of InfluxDB, with times |
//! | `csv` | a table as text |
//! | `parquet` | a table as columns |
//! | `columns` | the columns of both tables |
//! | `quantities` | the numbers that both kinds of monitoring get |

mod columns;
mod csv;
mod error;
mod influx;
mod parquet;
mod prometheus;
mod quantities;

pub use error::ExportError;

use crate::history::StoredSummary;

/// What runs can be exported to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// Prometheus' text format: the latest numbers of each point.
    Prometheus,
    /// InfluxDB's line protocol: all numbers with the times of their runs.
    Influx,
    /// A table as text.
    Csv,
    /// A table as columns.
    Parquet,
}

impl ExportFormat {
    /// All of them with their names.
    pub const ALL: [(&str, ExportFormat); 4] = [
        ("prometheus", ExportFormat::Prometheus),
        ("influx", ExportFormat::Influx),
        ("csv", ExportFormat::Csv),
        ("parquet", ExportFormat::Parquet),
    ];

    /// The format that the ending of a file's name tells.
    pub fn of_ending(ending: &str) -> Option<Self> {
        match ending {
            "prom" => Some(ExportFormat::Prometheus),
            "lp" | "influx" => Some(ExportFormat::Influx),
            "csv" => Some(ExportFormat::Csv),
            "parquet" => Some(ExportFormat::Parquet),
            _ => None,
        }
    }
}

/// The rows of runs, the oldest first, in a format.
///
/// # Errors
/// If a table can't be written, or a run does not tell when it was started.
pub fn export(format: ExportFormat, runs: &[StoredSummary]) -> Result<Vec<u8>, ExportError> {
    match format {
        ExportFormat::Prometheus => Ok(prometheus::text(runs)?.into_bytes()),
        ExportFormat::Influx => Ok(influx::text(runs)?.into_bytes()),
        ExportFormat::Csv => csv::table(runs),
        ExportFormat::Parquet => parquet::table(runs),
    }
}

#[cfg(test)]
mod fixture {
    use crate::charts::fixture::{row, run};
    use crate::history::StoredSummary;
    use crate::record::RunRecord;

    /// A run with names that mean something to every format.
    pub fn run_of(id: &str, started: &str) -> StoredSummary {
        let mut nasty = row("std \"quoted\", a=b\\", "digis=1000;first-orbit=0", 1e-3);
        nasty.note = "two\nlines, \"quoted\"".into();
        nasty.metrics = "us_per_page=1.5".parse().expect("well formed");
        nasty.peak_fraction = None;
        let record = RunRecord { started: started.into(), ..run() };
        StoredSummary { id: id.into(), record, rows: vec![row("plain", "digis=1000", 2e-3), nasty] }
    }

    /// Two runs, the older one first.
    pub fn runs() -> Vec<StoredSummary> {
        vec![run_of("old", "2026-01-01T00:00:00Z"), run_of("new", "2026-01-02T00:00:00Z")]
    }
}
