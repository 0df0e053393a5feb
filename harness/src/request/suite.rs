//! Request of `bench run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args};
use reports::compare::render::Listing;
use reports::record::Shard;
use reports::table::Format;

use super::settings::without_flags;
use super::{
    AnyResults, DEFAULT_STORE, EnergyFlags, FailOn, OutputFlags, Outputs, Verdicts, values,
};

/// A suite to measure, or to merge.
#[derive(Args, Clone, Debug)]
pub struct SuiteRequest {
    /// The file, or the name of a built-in suite.
    #[arg(value_name = "SUITE")]
    pub suite: PathBuf,
    /// Load variants from a shared library, or of programs (.toml); repeatable.
    #[arg(long = "plugin", value_name = "FILE")]
    pub plugins: Vec<PathBuf>,
    /// Total time budget, such as 30m, divided evenly over the points.
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub budget: Option<Duration>,
    /// Measure only part I of N, to spread a suite over N machines.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Merge the results of shards instead of measuring.
    #[arg(long, value_name = "DIR", num_args = 1..)]
    #[arg(conflicts_with_all = ["shard", "budget", "dry_run", "fresh", "EnergyFlags"])]
    pub merge: Vec<PathBuf>,
    /// Print the plan and its estimated duration, and measure nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Start a new run instead of resuming an interrupted one.
    #[arg(long)]
    pub fresh: bool,
    /// Don't measure the memory bandwidth.
    #[arg(long = "no-ceilings", action = ArgAction::SetTrue)]
    #[arg(value_parser = values::switch(true, false))]
    pub ceilings: bool,
    /// Count cycles, instructions, branch, cache and TLB misses, if the system permits.
    #[arg(long)]
    pub counters: bool,
    /// Meters of energy.
    #[command(flatten)]
    pub energy: EnergyFlags,
    /// Baseline of a paired run; `None` for an unpaired run.
    #[command(flatten, next_help_heading = "Comparing")]
    pub against: Option<AgainstRequest>,
    #[command(flatten, next_help_heading = "Output")]
    pub(crate) wanted: OutputFlags<AnyResults>,
    /// Output options.
    #[arg(skip = without_flags::<OutputFlags>())]
    pub output: OutputFlags,
    /// Store to save the run in; `None` to save it nowhere.
    #[arg(long, value_name = "DIR", help = store_help())]
    pub store: Option<PathBuf>,
    /// Save the run in the store, even if it is a shard.
    #[arg(long, hide_short_help = true)]
    pub(crate) save: bool,
    /// Do not save the run in the store.
    #[arg(long, alias = "no-store", conflicts_with_all = ["store", "save"])]
    pub(crate) no_save: bool,
    /// File with defaults of flags, if any.
    #[arg(skip)]
    pub config: Option<PathBuf>,
    /// The command line as typed.
    #[arg(skip)]
    pub command: Vec<String>,
}

/// Baseline of a paired run.
#[derive(Args, Clone, Debug)]
pub struct AgainstRequest {
    /// Interleave with a baseline build and report regressions: accepted, latest or another run of
    /// the store, an executable, or a git revision, which is built.
    #[arg(long = "against", value_name = "BASE", required = false)]
    #[arg(conflicts_with_all = ["merge", "counters", "EnergyFlags"])]
    pub base: String,
    /// Verdict that exits with code 4: slower, or also inconclusive.
    #[arg(long, value_name = "fail-on", value_parser = values::choice::<FailOn>(), default_value = "slower")]
    #[arg(requires = "base")]
    pub fail_on: FailOn,
    /// List all points, including unchanged ones.
    #[arg(long = "all", requires = "base", action = ArgAction::SetTrue)]
    #[arg(value_parser = values::switch(Listing::Changes, Listing::All))]
    pub listing: Listing,
    /// Formats of the comparison.
    #[arg(skip = Outputs::only(Format::Table))]
    pub format: Outputs<Verdicts>,
}

fn store_help() -> String {
    format!("Store of runs to save the run in [default: {DEFAULT_STORE}; a shard is not saved]")
}

impl SuiteRequest {
    /// Fills in the store and the output formats.
    pub(crate) fn complete(&mut self) -> Result<(), String> {
        let wanted = &self.wanted;
        let of_run = wanted.format.convert("a run");
        let format = match &mut self.against {
            Some(against) => {
                against.format = wanted.format.convert("a comparison")?;
                of_run.unwrap_or(Outputs::only(Format::Table))
            }
            None => of_run?,
        };
        self.output = OutputFlags {
            format,
            out: wanted.out.clone(),
            rank: wanted.rank,
            detail: wanted.detail,
            charts: wanted.charts,
            diagnostics: wanted.diagnostics,
            quiet: wanted.quiet,
        };
        // A shard is not comparable with its suite: it is saved on request only.
        let saves_by_default = self.save || self.shard.is_none();
        let default = saves_by_default.then(|| PathBuf::from(DEFAULT_STORE));
        self.store = self.store.take().or(default).filter(|_| !self.no_save);
        Ok(())
    }
}
