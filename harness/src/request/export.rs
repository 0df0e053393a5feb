//! What `bench export` is asked for.

use std::path::{Path, PathBuf};

use clap::Args;
use reports::export::{ExportFormat, ExportTable};

use super::{DEFAULT_STORE, values};

/// Runs to be written in another format.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct ExportRequest {
    /// Run folders, or latest, accepted or ids of the store; the oldest first.
    #[arg(value_name = "RUN", required_unless_present = "all")]
    pub runs: Vec<PathBuf>,
    /// All runs of the store.
    #[arg(long, conflicts_with = "runs")]
    pub all: bool,
    /// How to write them [default: by the ending of FILE]
    #[arg(long, value_name = "format", value_parser = values::named(ExportFormat::ALL))]
    format: Option<ExportFormat>,
    /// What to write: a row a point and stage, or a row a sample (as a table only).
    #[arg(long, value_name = "table", default_value = "summary",
        value_parser = values::named(ExportTable::ALL))]
    pub table: ExportTable,
    /// Where to: .prom, .lp, .csv or .parquet [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Where runs and self-tests are kept.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
}

impl ExportRequest {
    /// What to write: what was said, or what the ending of the file says.
    ///
    /// # Errors
    /// If neither does, or it can't be printed.
    pub fn format(&self) -> Result<ExportFormat, String> {
        let by_ending = || self.out.as_deref().and_then(by_ending);
        let format = self.format.or_else(by_ending).ok_or(
            "--format is needed, or --out with a known ending: .prom, .lp, .csv or .parquet",
        )?;
        if self.table == ExportTable::Samples && !format.is_table() {
            return Err("--table samples is for tables: use --format csv or parquet".to_owned());
        }
        if self.out.is_none() && format == ExportFormat::Parquet {
            return Err("Parquet is for files: name one with --out".to_owned());
        }
        Ok(format)
    }
}

fn by_ending(path: &Path) -> Option<ExportFormat> {
    let ending = path.extension()?.to_ascii_lowercase();
    ExportFormat::of_ending(ending.to_str()?)
}
