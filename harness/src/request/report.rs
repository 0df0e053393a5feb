//! What `bench report` is asked for.

use std::path::PathBuf;

use reports::filter::PointFilter;
use reports::rank::Rank;

/// A report to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportRequest {
    /// Run folders; the last one is reported, the others are its history.
    pub runs: Vec<PathBuf>,
    /// The run folder that the reported run is compared with.
    pub base: Option<PathBuf>,
    /// A comparison that was made before, as JSON.
    pub comparison: Option<PathBuf>,
    /// A store whose runs are history too.
    pub store: Option<PathBuf>,
    /// The file to write.
    pub out: PathBuf,
    /// What the report is written as.
    pub format: ReportFormat,
    /// Which points are reported.
    pub filter: PointFilter,
    /// What variants are ranked by, where there is a choice.
    pub rank: Rank,
    /// Whether a file is replaced that is no report.
    pub force: bool,
    /// The heading; `None` for one made from the run.
    pub title: Option<String>,
}

/// What a report is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    /// A page with charts, tables and raw data.
    Html,
    /// A short text for a merge request.
    Markdown,
}
