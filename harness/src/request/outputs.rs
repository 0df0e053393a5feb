//! Output options: folders, formats and charts.

use std::path::PathBuf;

use clap::{ArgAction, Args};
use reports::charts::{Diagnostics, Wanted};
use reports::compare::render::{Format as ComparisonFormat, SelfTestFormat};
use reports::rank::Rank;
use reports::run_table::Detail;
use reports::table::Format;

use super::values;

/// Formats of the output: one on standard output, others in files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outputs<F> {
    /// Format on standard output.
    pub stdout: F,
    /// Formats and paths of files.
    pub files: Vec<(F, PathBuf)>,
}

impl<F> Outputs<F> {
    /// Creates an output to standard output only.
    pub fn only(stdout: F) -> Self {
        Outputs { stdout, files: Vec::new() }
    }
}

/// Formats of results, with their names in flags.
pub trait Formats: Copy + 'static {
    /// All formats with their names, the default first.
    const NAMED: &'static [(&'static str, Self)];
}

impl Formats for Format {
    const NAMED: &'static [(&'static str, Self)] = &[
        ("table", Format::Table),
        ("csv", Format::Csv),
        ("json", Format::Json),
        ("markdown", Format::Markdown),
    ];
}

impl Formats for ComparisonFormat {
    const NAMED: &'static [(&'static str, Self)] = &[
        ("table", ComparisonFormat::Table),
        ("markdown", ComparisonFormat::Markdown),
        ("json", ComparisonFormat::Json),
        ("junit", ComparisonFormat::Junit),
    ];
}

impl Formats for SelfTestFormat {
    const NAMED: &'static [(&'static str, Self)] = &[
        ("table", SelfTestFormat::Table),
        ("markdown", SelfTestFormat::Markdown),
        ("json", SelfTestFormat::Json),
    ];
}

/// Format of descriptions of tasks, suites and devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescriptionFormat {
    /// Table for the terminal.
    Table,
    /// JSON.
    Json,
}

impl Formats for DescriptionFormat {
    const NAMED: &'static [(&'static str, Self)] =
        &[("table", DescriptionFormat::Table), ("json", DescriptionFormat::Json)];
}

/// Output options of a measuring command.
#[derive(Args, Clone, Debug)]
pub struct OutputFlags<F: Formats = Format> {
    /// A new folder below `results/` if not given.
    #[arg(long, value_name = "DIR")]
    #[arg(help = "Folder for the results [default: results/<UTC time>-<command>]")]
    pub out: Option<PathBuf>,
    /// Formats of the table.
    #[command(flatten)]
    pub format: Outputs<F>,
    /// Rank GPU variants by total time (copies included) or by kernel time.
    #[arg(long, value_name = "BY", value_parser = values::rank(), default_value = Rank::default().name())]
    pub rank: Rank,
    /// Show the times of stages and kernels, too.
    #[arg(long = "stages", action = ArgAction::SetTrue)]
    #[arg(value_parser = values::switch(Detail::Ranking, Detail::Stages))]
    pub detail: Detail,
    /// Draw no charts.
    #[arg(long = "no-charts", action = ArgAction::SetTrue, value_parser = values::switch(true, false))]
    pub charts: bool,
    /// Draw charts of all single samples, too.
    #[arg(long)]
    pub diagnostics: bool,
    /// Hide progress.
    #[arg(long, short)]
    pub quiet: bool,
}

impl<F: Formats> OutputFlags<F> {
    /// Returns the charts to draw into the run's folder.
    pub(crate) fn charts_wanted(&self) -> Option<Wanted> {
        let diagnostics = if self.diagnostics { Diagnostics::All } else { Diagnostics::None };
        self.charts.then(|| Wanted { rank: self.rank, diagnostics, ..Wanted::default() })
    }
}
