//! What `bench run` is asked for.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args};
use reports::compare::render::{Format as ComparisonFormat, Listing};
use reports::record::Shard;
use reports::table::Format;

use super::settings::without_flags;
use super::{DEFAULT_STORE, FailOn, Formats, OutputFlags, Outputs, values};

/// A suite to measure, or to merge.
#[derive(Args, Clone, Debug)]
pub struct SuiteRequest {
    /// The file, or the name of a built-in suite.
    #[arg(value_name = "SUITE")]
    pub suite: PathBuf,
    /// A shared library with variants of your own; repeatable.
    #[arg(long = "plugin", value_name = "LIB")]
    pub plugins: Vec<PathBuf>,
    /// Time for all of it, such as 30m, divided fairly over the points.
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub budget: Option<Duration>,
    /// Measure only the Ith of N parts, each for a machine of its own.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Merge the results of shards instead of measuring.
    #[arg(long, value_name = "DIR", num_args = 1..)]
    #[arg(conflicts_with_all = ["shard", "budget", "dry_run", "fresh"])]
    pub merge: Vec<PathBuf>,
    /// Say what would be measured, and how long it takes.
    #[arg(long)]
    pub dry_run: bool,
    /// Begin anew rather than go on where a run stopped.
    #[arg(long)]
    pub fresh: bool,
    /// Don't measure the memory bandwidth.
    #[arg(long = "no-ceilings", action = ArgAction::SetTrue)]
    #[arg(value_parser = values::switch(true, false))]
    pub ceilings: bool,
    /// Count cycles, instructions, branch, cache and TLB misses too, where the system lets us.
    #[arg(long)]
    pub counters: bool,
    /// What to measure it in turn with; `None` to measure it by itself.
    #[command(flatten, next_help_heading = "Comparing")]
    pub against: Option<AgainstRequest>,
    #[command(flatten, next_help_heading = "Output")]
    pub(crate) wanted: OutputFlags<AnyFormat>,
    /// What it leaves behind.
    #[arg(skip = without_flags::<OutputFlags>())]
    pub output: OutputFlags,
    /// Where the history is kept; `None` to keep nothing.
    #[arg(long, value_name = "DIR", help = store_help())]
    pub store: Option<PathBuf>,
    /// Don't keep the run in the history.
    #[arg(long, conflicts_with = "store")]
    pub(crate) no_store: bool,
    /// The file with defaults of flags, if there is one.
    #[arg(skip)]
    pub config: Option<PathBuf>,
    /// The command line as typed.
    #[arg(skip)]
    pub command: Vec<String>,
}

/// A base to measure a suite in turn with.
#[derive(Args, Clone, Debug)]
pub struct AgainstRequest {
    /// Measure it in turn with a base and say what is slower: accepted, latest or another run of
    /// the store, an executable, or a git revision, which is built.
    #[arg(long = "against", value_name = "BASE", required = false)]
    #[arg(conflicts_with_all = ["merge", "counters"])]
    pub base: String,
    /// What makes the exit code 4: a slower point, or also one that is not clear.
    #[arg(long, value_name = "fail-on", value_parser = values::fail_on(), default_value = "slower")]
    #[arg(requires = "base")]
    pub fail_on: FailOn,
    /// List all points, also those that are the same.
    #[arg(long = "all", requires = "base", action = ArgAction::SetTrue)]
    #[arg(value_parser = values::switch(Listing::Changes, Listing::All))]
    pub listing: Listing,
    /// How to print the comparison, and into which files.
    #[arg(skip = Outputs::only(ComparisonFormat::Table))]
    pub format: Outputs<ComparisonFormat>,
}

fn store_help() -> String {
    format!(
        "Keep the run in the history in this folder [default: {DEFAULT_STORE}; of a shard: none]"
    )
}

impl SuiteRequest {
    /// Finds out where the run is kept, and as what it is written.
    ///
    /// # Errors
    /// If results can't be written as they were asked for.
    pub(crate) fn complete(&mut self) -> Result<(), String> {
        let wanted = &self.wanted;
        let of_run = wanted.format.of("a run");
        let format = match &mut self.against {
            Some(against) => {
                against.format = wanted.format.of("a comparison")?;
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
        // A shard is not what its suite is: it is kept where that was asked for.
        let default = self.shard.is_none().then(|| PathBuf::from(DEFAULT_STORE));
        let kept = self.store.take().or(default);
        self.store = kept.filter(|_| !self.no_store);
        Ok(())
    }
}

/// Formats of results or of comparisons, by their names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnyFormat(&'static str);

impl Formats for AnyFormat {
    const NAMED: &'static [(&'static str, Self)] = &[
        ("table", AnyFormat("table")),
        ("csv", AnyFormat("csv")),
        ("json", AnyFormat("json")),
        ("markdown", AnyFormat("markdown")),
        ("junit", AnyFormat("junit")),
    ];
}

impl Outputs<AnyFormat> {
    /// Those of one kind of results.
    ///
    /// # Errors
    /// If one of the formats is only for another kind.
    fn of<F: Formats>(&self, results: &str) -> Result<Outputs<F>, String> {
        let format = |AnyFormat(name): AnyFormat| {
            let known = F::NAMED.iter().find(|(known, _)| *known == name);
            known.map(|(_, format)| *format).ok_or_else(|| {
                let names: Vec<&str> = F::NAMED.iter().map(|(name, _)| *name).collect();
                let names = names.join(", ");
                format!("{results} can't be written as {name}; there are {names}")
            })
        };
        let files = self.files.iter();
        let files = files.map(|(wanted, file)| Ok((format(*wanted)?, file.clone())));
        Ok(Outputs { stdout: format(self.stdout)?, files: files.collect::<Result<_, String>>()? })
    }
}
