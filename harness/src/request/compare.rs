//! Request of `bench compare`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args};
use reports::compare::Thresholds;
use reports::compare::render::{Format, Listing};

use super::{Outputs, PointFlags, values};

/// Two runs to compare.
#[derive(Args, Clone, Debug)]
pub struct CompareRequest {
    /// Base run: a folder, or latest, accepted or an id of the store.
    #[arg(default_value = "accepted", requires = "new")]
    pub base: String,
    /// New run: a folder, or latest, accepted or an id of the store.
    #[arg(default_value = "latest")]
    pub new: String,
    /// Thresholds of the verdicts.
    #[command(flatten, next_help_heading = "Judging")]
    pub judging: Judging,
    /// Selection of points.
    #[command(flatten, next_help_heading = "Points")]
    pub points: PointFlags,
    /// Measure slower and inconclusive points again, interleaved, and judge the new samples.
    #[arg(long, help_heading = "Confirming")]
    pub confirm: bool,
    /// Time budget for --confirm; most urgent points first.
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "10m")]
    #[arg(requires = "confirm", help_heading = "Confirming")]
    pub confirm_time: Duration,
    /// Executable that measured BASE, to interleave with this one.
    #[arg(long, value_name = "FILE")]
    #[arg(requires = "confirm", help_heading = "Confirming")]
    pub base_bench: Option<PathBuf>,
    /// Formats of the comparison.
    #[command(flatten, next_help_heading = "Output")]
    pub format: Outputs<Format>,
    /// Hidden aliases of `--format FORMAT=FILE`.
    #[command(flatten)]
    pub(crate) files: ComparisonFiles,
    /// List all points, including unchanged ones.
    #[arg(long = "all", action = ArgAction::SetTrue)]
    #[arg(value_parser = values::switch(Listing::Changes, Listing::All))]
    pub listing: Listing,
    /// Store of runs and self-tests.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
    /// Hide progress.
    #[arg(long, short)]
    pub quiet: bool,
    /// Flags for judging and confirming as typed, word by word: advised commands repeat them.
    #[arg(skip)]
    pub given: Vec<String>,
}

/// Thresholds of the verdicts.
#[derive(Args, Clone, Copy, Debug)]
pub struct Judging {
    /// Smallest change to report: the whole confidence interval must lie beyond it.
    #[arg(long, value_name = "PERCENT", value_parser = values::percentage, default_value = "1%")]
    pub min_effect: f64,
    /// Report SAME only if changes larger than this are excluded.
    #[arg(long, value_name = "PERCENT", value_parser = values::percentage, default_value = "5%")]
    pub resolution: f64,
    /// Upper limit of the rank test's p-value.
    #[arg(long, value_name = "P", value_parser = values::probability, default_value = "0.01")]
    pub significance: f64,
    /// False discovery rate of SLOWER and FASTER verdicts.
    #[arg(long, value_name = "PERCENT", value_parser = values::percentage, default_value = "2%")]
    pub false_discovery: f64,
    /// Verdict that exits with code 4: slower, or also inconclusive.
    #[arg(long, value_name = "fail-on", value_parser = values::fail_on(), default_value = "slower")]
    pub fail_on: FailOn,
    /// Allow a comparison of runs from different machines.
    #[arg(long)]
    pub across_machines: bool,
}

impl Judging {
    /// Returns the thresholds.
    pub fn thresholds(&self) -> Thresholds {
        Thresholds {
            min_effect: self.min_effect,
            resolution: self.resolution,
            significance: self.significance,
            false_discovery: self.false_discovery,
        }
    }
}

/// Hidden flags for files of a comparison.
#[derive(Args, Clone, Debug)]
pub(crate) struct ComparisonFiles {
    /// Write it as Markdown to a file, too.
    #[arg(long, value_name = "FILE", hide = true)]
    markdown: Option<PathBuf>,
    /// Write it as JSON to a file, too.
    #[arg(long, value_name = "FILE", hide = true)]
    json: Option<PathBuf>,
    /// Write it as JUnit XML to a file, too.
    #[arg(long, value_name = "FILE", hide = true)]
    junit: Option<PathBuf>,
}

impl ComparisonFiles {
    /// Takes the formats and paths out of the flags.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = (Format, PathBuf)> {
        let files = [
            (Format::Markdown, self.markdown.take()),
            (Format::Json, self.json.take()),
            (Format::Junit, self.junit.take()),
        ];
        let files = files.into_iter();
        files.filter_map(|(format, file)| Some((format, file?)))
    }
}

/// Verdicts that make a comparison fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// Slower points.
    Slower,
    /// Slower or inconclusive points.
    Inconclusive,
}

/// Default folder of the store of runs.
pub const DEFAULT_STORE: &str = "results/store";
