//! What `bench report` is asked for.

use std::path::PathBuf;

use clap::Args;
use reports::rank::Rank;
use text::Foreign;

use super::{PointFlags, values};

/// A report to be made.
#[derive(Args, Clone, Debug, PartialEq, Eq)]
pub struct ReportRequest {
    /// Run folders; the last one is reported, the others are its history. Also latest, accepted or
    /// an id of the store.
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// Where to: .html or .md.
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    pub out: PathBuf,
    /// Compare with this run: a folder, or latest, accepted or an id of the store; without
    /// --comparison.
    #[arg(long, value_name = "RUN")]
    pub base: Option<PathBuf>,
    /// Tell what changed from a file of `bench compare --format json=FILE`, also what was
    /// confirmed; without --base.
    #[arg(long, value_name = "FILE", conflicts_with = "base")]
    pub comparison: Option<PathBuf>,
    /// Take the history from this store too.
    #[arg(long, value_name = "DIR")]
    pub store: Option<PathBuf>,
    /// How to write the report [default: by the ending of FILE]
    #[arg(long, value_name = "format", value_parser = values::named(FORMATS))]
    format: Option<ReportFormat>,
    /// The heading [default: tasks, machine and date]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Rank what runs on GPUs by the total, copies included, or by the kernels.
    #[arg(long, value_name = "BY", value_parser = values::rank(), default_value = Rank::default().name())]
    pub rank: Rank,
    /// Show all samples too, beside each other and in their order.
    #[arg(long)]
    pub diagnostics: bool,
    /// Replace the file even if it is no report.
    #[arg(long)]
    pub force: bool,
    /// Which points are reported.
    #[command(flatten, next_help_heading = "Points")]
    pub points: PointFlags,
}

/// What a report is written as.
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
    /// What to write: what was said, or what the ending of the file says.
    ///
    /// # Errors
    /// If neither does.
    pub fn format(&self) -> Result<ReportFormat, String> {
        if let Some(format) = self.format {
            return Ok(format);
        }
        let ending = self.out.extension().map(|it| it.to_ascii_lowercase());
        match ending.as_ref().and_then(|ending| ending.to_str()) {
            Some("html" | "htm") => Ok(ReportFormat::Html),
            Some("md" | "markdown") => Ok(ReportFormat::Markdown),
            _ => Err(format!(
                "the ending of {} tells no format; let it end in .html or .md, or add --format",
                self.out.shown()
            )),
        }
    }
}
