//! Request of `bench report`.

use std::path::PathBuf;

use clap::Args;
use reports::rank::Rank;
use text::Untrusted;

use super::{PointFlags, values};

/// Request of a report.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct ReportRequest {
    /// Runs: folders, latest, accepted or ids of the store; reports the last, with the others as its
    /// history.
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// Output file: .html or .md.
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    pub out: PathBuf,
    /// Base run to compare with: a folder, or latest, accepted or an id of the store.
    #[arg(long, value_name = "RUN")]
    pub base: Option<PathBuf>,
    /// Show a comparison written by `bench compare --format json=FILE`, instead of --base.
    #[arg(long, value_name = "FILE", conflicts_with = "base")]
    pub comparison: Option<PathBuf>,
    /// Add the history of this store.
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// Format of the report [default: by the extension of FILE]
    #[arg(long, value_name = "format", value_parser = values::named(FORMATS))]
    format: Option<ReportFormat>,
    /// Title [default: tasks, machine and date]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Rank GPU variants by total time (copies included) or by kernel time.
    #[arg(long, value_name = "BY", value_parser = values::rank(), default_value = Rank::default().name())]
    pub rank: Rank,
    /// Show all samples, too: as distributions and in time order.
    #[arg(long)]
    pub diagnostics: bool,
    /// Overwrite the file even if it is not a report.
    #[arg(long)]
    pub force: bool,
    /// Points to report.
    #[command(flatten, next_help_heading = "Points")]
    pub points: PointFlags,
}

/// Format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    /// A page with charts, tables and raw data.
    Html,
    /// A short text for a merge request.
    Markdown,
}

const FORMATS: [(&str, ReportFormat); 2] =
    [("html", ReportFormat::Html), ("markdown", ReportFormat::Markdown)];

impl ReportRequest {
    /// Returns the format, given by flag or by the extension of the file.
    ///
    /// # Errors
    /// If neither specifies one.
    pub fn format(&self) -> Result<ReportFormat, String> {
        if let Some(format) = self.format {
            return Ok(format);
        }
        let ending = self.out.extension().map(|it| it.to_ascii_lowercase());
        match ending.as_ref().and_then(|ending| ending.to_str()) {
            Some("html" | "htm") => Ok(ReportFormat::Html),
            Some("md" | "markdown") => Ok(ReportFormat::Markdown),
            _ => Err(format!(
                "unknown report format of {}: use a file name that ends in .html or .md, or add \
                 --format html",
                self.out.escaped()
            )),
        }
    }
}
