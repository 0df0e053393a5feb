//! Request of `bench export`.

use std::path::{Path, PathBuf};

use clap::Args;
use reports::export::{ExportFormat, ExportTable};

use super::{DEFAULT_STORE, values};

/// Request to export runs.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct ExportRequest {
    /// Runs, the oldest first: folders, latest, accepted or ids of the store.
    #[arg(value_name = "RUN", required_unless_present = "all")]
    pub runs: Vec<PathBuf>,
    /// Export all runs of the store.
    #[arg(long, conflicts_with = "runs")]
    pub all: bool,
    /// Format [default: by the extension of FILE]
    #[arg(long, value_name = "format", value_parser = values::named(ExportFormat::ALL))]
    format: Option<ExportFormat>,
    /// Rows: one per point and stage, or one per sample (CSV and Parquet only).
    #[arg(long, value_name = "table", default_value = "summary",
        value_parser = values::named(ExportTable::ALL))]
    pub table: ExportTable,
    /// Output file: .prom, .lp, .csv or .parquet [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Store of runs and self-tests.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
}

impl ExportRequest {
    /// Returns the format, given by flag or by the extension of the file.
    ///
    /// # Errors
    /// If neither specifies one, or it can't be printed.
    pub fn format(&self) -> Result<ExportFormat, String> {
        let by_ending = || self.out.as_deref().and_then(by_ending);
        let format = self.format.or_else(by_ending).ok_or(
            "no export format: add --format, or --out with a file name that ends in .prom, .lp, \
             .csv or .parquet",
        )?;
        if self.table == ExportTable::Samples && !format.is_table() {
            return Err(
                "--table samples is available as a table only: use --format csv or parquet"
                    .to_owned(),
            );
        }
        if self.out.is_none() && format == ExportFormat::Parquet {
            return Err("Parquet is not printed to the terminal: name a file with --out".to_owned());
        }
        Ok(format)
    }
}

fn by_ending(path: &Path) -> Option<ExportFormat> {
    let ending = path.extension()?.to_ascii_lowercase();
    ExportFormat::from_ending(ending.to_str()?)
}
