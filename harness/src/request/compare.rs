//! What `bench compare` is asked for.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args};
use reports::compare::Thresholds;
use reports::compare::render::{Format, Listing};

use super::{Outputs, PointFlags, values};

/// Two runs to compare.
#[derive(Args, Clone, Debug)]
pub struct CompareRequest {
    /// The earlier run: a folder, or latest, accepted or an id of the store.
    #[arg(default_value = "accepted", requires = "new")]
    pub base: String,
    /// The run to judge, named likewise.
    #[arg(default_value = "latest")]
    pub new: String,
    /// What counts as a change.
    #[command(flatten, next_help_heading = "Judging")]
    pub judging: Judging,
    /// Which points.
    #[command(flatten, next_help_heading = "Points")]
    pub points: PointFlags,
    /// Measure again what is slower or not clear, and judge that by the new samples.
    #[arg(long, help_heading = "Confirming")]
    pub confirm: bool,
    /// The time for that: what is most urgent comes first, what does not fit is said.
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "10m")]
    #[arg(requires = "confirm", help_heading = "Confirming")]
    pub confirm_time: Duration,
    /// The executable that made BASE: it takes turns with this one.
    #[arg(long, value_name = "FILE")]
    #[arg(requires = "confirm", help_heading = "Confirming")]
    pub base_bench: Option<PathBuf>,
    /// How to print the comparison, and into which files.
    #[command(flatten, next_help_heading = "Output")]
    pub format: Outputs<Format>,
    /// Older names of `--format FORMAT=FILE`, which scripts rely on.
    #[command(flatten)]
    pub(crate) files: ComparisonFiles,
    /// List all points, also those that are the same.
    #[arg(long = "all", action = ArgAction::SetTrue)]
    #[arg(value_parser = values::switch(Listing::Changes, Listing::All))]
    pub listing: Listing,
    /// Where runs and self-tests are kept.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_STORE)]
    pub store: PathBuf,
    /// Hide progress.
    #[arg(long, short)]
    pub quiet: bool,
    /// The flags of these that judge and confirm as they were given, word by
    /// word: what is advised has to have them, too.
    #[arg(skip)]
    pub given: Vec<String>,
}

/// What counts as a change.
#[derive(Args, Clone, Copy, Debug)]
pub struct Judging {
    /// The smallest change that counts: the whole interval must lie beyond it.
    #[arg(long, value_name = "PERCENT", value_parser = values::percentage, default_value = "1%")]
    pub min_effect: f64,
    /// A point is the same only if a larger change than this can be excluded.
    #[arg(long, value_name = "PERCENT", value_parser = values::percentage, default_value = "5%")]
    pub resolution: f64,
    /// The rank test's p-value must be below this.
    #[arg(long, value_name = "P", value_parser = values::probability, default_value = "0.01")]
    pub significance: f64,
    /// The share of chance among the points that are told as slower or faster.
    #[arg(long, value_name = "PERCENT", value_parser = values::percentage, default_value = "2%")]
    pub false_discovery: f64,
    /// What makes the exit code 4: a slower point, or also one that is not clear.
    #[arg(long, value_name = "fail-on", value_parser = values::fail_on(), default_value = "slower")]
    pub fail_on: FailOn,
    /// Compare runs of unlike machines.
    #[arg(long)]
    pub across_machines: bool,
}

impl Judging {
    /// The limits.
    pub fn thresholds(&self) -> Thresholds {
        Thresholds {
            min_effect: self.min_effect,
            resolution: self.resolution,
            significance: self.significance,
            false_discovery: self.false_discovery,
        }
    }
}

/// Files for a comparison.
#[derive(Args, Clone, Debug)]
pub(crate) struct ComparisonFiles {
    /// Write it to a file for a page, too.
    #[arg(long, value_name = "FILE", hide = true)]
    markdown: Option<PathBuf>,
    /// Write it to a file for programs, too.
    #[arg(long, value_name = "FILE", hide = true)]
    json: Option<PathBuf>,
    /// Write it to a file for CI servers, too.
    #[arg(long, value_name = "FILE", hide = true)]
    junit: Option<PathBuf>,
}

impl ComparisonFiles {
    /// Takes the files, with their formats.
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

/// What a comparison must not find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailOn {
    /// A point that is slower.
    Slower,
    /// That, or one that could not be judged.
    Inconclusive,
}

/// Where runs are kept if nobody says otherwise.
pub const DEFAULT_STORE: &str = "results/store";
