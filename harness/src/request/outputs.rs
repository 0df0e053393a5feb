//! Where results go, and as what.

use std::path::PathBuf;

use clap::{ArgAction, Args};
use reports::charts::{Diagnostics, Wanted};
use reports::compare::render::{Format as ComparisonFormat, SelfTestFormat};
use reports::rank::Rank;
use reports::run_table::Detail;
use reports::table::Format;

use super::values;

/// Where results go, and as what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outputs<F> {
    /// What goes to standard output.
    pub stdout: F,
    /// What goes to files.
    pub files: Vec<(F, PathBuf)>,
}

impl<F> Outputs<F> {
    /// Standard output only.
    pub fn only(stdout: F) -> Self {
        Outputs { stdout, files: Vec::new() }
    }
}

/// Formats of results, with the names that flags give them.
pub trait Formats: Copy + 'static {
    /// All of them, the default one first.
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

/// How tasks, suites and devices are described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescriptionFormat {
    /// For people.
    Table,
    /// For other tools.
    Json,
}

impl Formats for DescriptionFormat {
    const NAMED: &'static [(&'static str, Self)] =
        &[("table", DescriptionFormat::Table), ("json", DescriptionFormat::Json)];
}

/// What a measuring command leaves behind.
#[derive(Args, Clone, Debug)]
pub struct OutputFlags<F: Formats = Format> {
    /// A new folder below `results/` if not given.
    #[arg(long, value_name = "DIR")]
    #[arg(help = "Folder for the results [default: results/<UTC time>-<command>]")]
    pub out: Option<PathBuf>,
    /// How to print the table, and into which files.
    #[command(flatten)]
    pub format: Outputs<F>,
    /// Rank what runs on GPUs by the total, copies included, or by the kernels.
    #[arg(long, value_name = "BY", value_parser = values::rank(), default_value = Rank::default().name())]
    pub rank: Rank,
    /// Show what stages and kernels take, too.
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
    /// The charts of a run that belong into its folder.
    pub(crate) fn charts_wanted(&self) -> Option<Wanted> {
        let diagnostics = if self.diagnostics { Diagnostics::All } else { Diagnostics::None };
        self.charts.then(|| Wanted { rank: self.rank, diagnostics, ..Wanted::default() })
    }
}
