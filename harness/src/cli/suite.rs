//! `bench run`: a suite.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use reports::compare::render::Listing;
use reports::record::Shard;

use super::compare;
use super::formats;
use super::given::{many, one};
use super::measuring::{self, switch};
use super::{budgets, examples};
use crate::request::{AgainstRequest, DEFAULT_STORE, SuiteRequest};
use crate::suite::built_in;

/// Formats of results and of comparisons.
const FORMATS: [(&str, ()); 5] = [
    ("table", ()),
    ("csv", ()),
    ("json", ()),
    ("markdown", ()),
    ("junit", ()),
];

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
        .args(against_flags())
        .args(measuring::output_flags_with(formats::flag(&FORMATS)))
        .args(keeping_flags())
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

/// What to measure it in turn with.
fn against_flags() -> [Arg; 3] {
    let against = Arg::new("against")
        .long("against")
        .value_name("BASE")
        .conflicts_with_all(["merge", "counters"])
        .help(
            "Measure it in turn with a base and say what is slower: accepted, latest or another \
             run of the store, an executable, or a git revision, which is built",
        );
    let fail_on = compare::fail_on_flag().requires("against");
    let all = switch("all")
        .requires("against")
        .help("List all points, also those that are the same");
    [against, fail_on, all].map(|flag| flag.help_heading("Comparing"))
}

/// Where the run is kept.
fn keeping_flags() -> [Arg; 2] {
    let no_store = switch("no-store")
        .conflicts_with("store")
        .help("Don't keep the run in the history");
    let store = store_flag().help(format!(
        "Keep the run in the history in this folder [default: {DEFAULT_STORE}; of a shard: none]"
    ));
    [store, no_store].map(|flag| flag.help_heading("Output"))
}

pub(super) fn store_flag() -> Arg {
    Arg::new("store")
        .long("store")
        .value_name("DIR")
        .value_parser(value_parser!(PathBuf))
        .help("Add the results to the history in this folder")
}

/// What the flags mean.
///
/// # Errors
/// If results can't be written as they were asked for.
pub(super) fn request(matches: &ArgMatches, command: Vec<String>) -> Result<SuiteRequest, String> {
    let against = against(matches);
    match &against {
        Some(_) => formats::check_known(matches, &compare::FORMATS, "a comparison")?,
        None => formats::check_known(matches, &measuring::FORMATS, "a run")?,
    }
    Ok(SuiteRequest {
        suite: one(matches, "suite").unwrap_or_default(),
        plugins: measuring::plugins(matches),
        out: one(matches, "out"),
        store: store(matches),
        against,
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
    })
}

/// A shard is not what its suite is: it is kept where that was asked for.
fn store(matches: &ArgMatches) -> Option<PathBuf> {
    let is_part = matches.contains_id("shard");
    let default = (!is_part).then(|| PathBuf::from(DEFAULT_STORE));
    let kept = one(matches, "store").or(default);
    kept.filter(|_| !matches.get_flag("no-store"))
}

fn against(matches: &ArgMatches) -> Option<AgainstRequest> {
    Some(AgainstRequest {
        base: one(matches, "against")?,
        format: formats::outputs(matches, &compare::FORMATS),
        listing: match matches.get_flag("all") {
            true => Listing::All,
            false => Listing::Changes,
        },
        fail_on: compare::fail_on(matches),
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::time::Duration;

    use super::super::parse;
    use super::*;
    use crate::request::Request;

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
