//! `bench run`: a suite.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgMatches, Command, value_parser};
use reports::rank::Rank;
use reports::record::Shard;
use reports::table::Format;

use super::formats::{self, Outputs};
use super::measuring::{self, many, one, switch};
use super::{budgets, examples};
use crate::suite::built_in;

/// A suite to measure, or to merge.
#[derive(Clone, Debug)]
pub struct SuiteRequest {
    /// The file, or the name of a built-in suite.
    pub suite: PathBuf,
    /// Shared libraries with more variants, beside those that the suite names.
    pub plugins: Vec<PathBuf>,
    /// Where the results go; a new folder below `results/` if not given.
    pub out: Option<PathBuf>,
    /// Where the history is kept.
    pub store: Option<PathBuf>,
    /// Time for all points together.
    pub budget: Option<Duration>,
    /// Which part to measure; `None` for all.
    pub shard: Option<Shard>,
    /// Run folders of shards to be merged instead of measuring.
    pub merge: Vec<PathBuf>,
    /// Only say what would be measured.
    pub dry_run: bool,
    /// Begin anew rather than go on where a run stopped.
    pub fresh: bool,
    /// Whether to measure the bandwidths that times are related to.
    pub ceilings: bool,
    /// Whether to have the processor count cycles, instructions and misses.
    pub counters: bool,
    /// How to print the table, and into which files.
    pub format: Outputs<Format>,
    /// What variants are ranked by, where there is a choice.
    pub rank: Rank,
    /// The file with defaults of flags, if there is one.
    pub config: Option<PathBuf>,
    /// Whether to draw charts.
    pub charts: bool,
    /// No lines on how far it is.
    pub quiet: bool,
    /// The command line as typed.
    pub command: Vec<String>,
}

/// The subcommand.
pub(super) fn command() -> Command {
    let suite = Arg::new("suite")
        .value_name("SUITE")
        .required(true)
        .value_parser(value_parser!(PathBuf))
        .help(format!(
            "A suite as a TOML file, or a built-in one: {}",
            built_in::names().join(", ")
        ));
    Command::new("run")
        .about("Measure a suite: many tasks, axes, devices and threads")
        .after_long_help(format!("{}\n\n{}", built_in::table(70), examples::RUN))
        .arg(suite)
        .arg(measuring::plugin_flag())
        .args(suite_flags())
        .args(measuring::output_flags())
        .arg(store_flag().help_heading("Output"))
}

/// Which part to measure, and for how long.
fn suite_flags() -> [Arg; 7] {
    let [budget, dry_run] = budgets::flags();
    let shard = Arg::new("shard")
        .long("shard")
        .value_name("I/N")
        .value_parser(|text: &str| text.parse::<Shard>())
        .help("Measure only the Ith of N parts, each for a machine of its own");
    let merge = Arg::new("merge")
        .long("merge")
        .value_name("DIR")
        .num_args(1..)
        .value_parser(value_parser!(PathBuf))
        .conflicts_with_all(["shard", "budget", "dry-run", "fresh"])
        .help("Merge the results of shards instead of measuring");
    let fresh = switch("fresh").help("Begin anew rather than go on where a run stopped");
    let no_ceilings = switch("no-ceilings").help("Don't measure the memory bandwidth");
    let counters = measuring::counters_flag();
    [budget, shard, merge, dry_run, fresh, no_ceilings, counters]
}

pub(super) fn store_flag() -> Arg {
    Arg::new("store")
        .long("store")
        .value_name("DIR")
        .value_parser(value_parser!(PathBuf))
        .help("Add the results to the history in this folder")
}

/// What the flags mean.
pub(super) fn request(matches: &ArgMatches, command: Vec<String>) -> SuiteRequest {
    SuiteRequest {
        suite: one(matches, "suite").unwrap_or_default(),
        plugins: measuring::plugins(matches),
        out: one(matches, "out"),
        store: one(matches, "store"),
        budget: one(matches, "budget"),
        shard: one(matches, "shard"),
        merge: many(matches, "merge"),
        dry_run: matches.get_flag("dry-run"),
        fresh: matches.get_flag("fresh"),
        ceilings: !matches.get_flag("no-ceilings"),
        counters: matches.get_flag("counters"),
        format: formats::outputs(matches, &measuring::FORMATS),
        rank: measuring::rank(matches),
        config: None,
        charts: !matches.get_flag("no-charts"),
        quiet: matches.get_flag("quiet"),
        command,
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::super::{Request, parse};
    use super::*;

    fn parsed(line: &str) -> Option<SuiteRequest> {
        match parse(line.split(' ').map(OsString::from)) {
            Ok(Request::RunSuite(request)) => Some(*request),
            _ => None,
        }
    }

    #[test]
    fn flags_become_values() {
        let line = "bench run s.toml --budget 30m --shard 2/4 --store hist --fresh --no-charts -q";
        let request = parsed(line).expect("a request");
        assert_eq!(request.suite, PathBuf::from("s.toml"));
        assert_eq!(request.budget, Some(Duration::from_secs(1800)));
        assert_eq!(request.shard, Some(Shard { number: 2, of: 4 }));
        assert_eq!(request.store, Some(PathBuf::from("hist")));
        assert!(request.fresh && request.quiet && !request.charts && !request.dry_run);
        assert_eq!(request.command.len(), 12);
    }

    #[test]
    fn shards_are_merged_and_nothing_else() {
        let request = parsed("bench run smoke --merge a b --out c").expect("a request");
        assert_eq!(request.merge, [PathBuf::from("a"), PathBuf::from("b")]);
        assert!(parsed("bench run smoke --merge a b --shard 1/2").is_none());
        assert!(parsed("bench run smoke --shard 3/2").is_none());
        assert!(parsed("bench run smoke --budget soon").is_none());
        assert!(parsed("bench run").is_none());
    }
}
