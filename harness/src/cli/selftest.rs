//! `bench selftest`: how often the gate of comparisons errs here.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use reports::compare::render::SelfTestFormat;

use super::compare::store_flag;
use super::examples;
use super::formats;
use super::given::one;
use super::measuring::quiet_flag;
use crate::request::{SelfTestRequest, Ways};

/// Ways with the names that the flag gives them.
const WAYS: [(&str, Ways); 2] = [("both", Ways::Both), ("in-turn", Ways::InTurn)];

/// Formats with the names that the flag gives them.
const FORMATS: [(&str, SelfTestFormat); 3] = [
    ("table", SelfTestFormat::Table),
    ("markdown", SelfTestFormat::Markdown),
    ("json", SelfTestFormat::Json),
];

/// The subcommand.
pub(super) fn command() -> Command {
    let suite = Arg::new("suite")
        .long("suite")
        .value_name("SUITE")
        .value_parser(value_parser!(PathBuf))
        .default_value("selftest")
        .help("The suite whose points are measured: a TOML file, or a built-in one");
    let way = Arg::new("way")
        .long("way")
        .value_name("WAY")
        .value_parser(WAYS.map(|(name, _)| name))
        .default_value("both")
        .help("How to compare: in turn only takes less time, and says nothing of runs on two days");
    let repeats = Arg::new("repeats")
        .long("repeats")
        .value_name("N")
        .value_parser(value_parser!(u32).range(1..=1000))
        .default_value("1")
        .help("How often to try each slowdown");
    let out = Arg::new("out")
        .long("out")
        .value_name("DIR")
        .value_parser(value_parser!(PathBuf))
        .help("Folder for the runs [default: results/<UTC time>-selftest]");
    Command::new("selftest")
        .about("Measure how often the gate of comparisons errs on this machine")
        .after_help(examples::SELFTEST)
        .arg(suite)
        .arg(way)
        .arg(repeats)
        .arg(out)
        .arg(formats::flag(&FORMATS))
        .arg(store_flag())
        .arg(quiet_flag())
}

/// What the flags mean.
pub(super) fn request(matches: &ArgMatches, command: Vec<String>) -> SelfTestRequest {
    SelfTestRequest {
        suite: one(matches, "suite").unwrap_or_default(),
        way: way(matches),
        repeats: one::<u32>(matches, "repeats").unwrap_or(1) as usize,
        out: one(matches, "out"),
        format: formats::outputs(matches, &FORMATS),
        store: one(matches, "store").unwrap_or_default(),
        quiet: matches.get_flag("quiet"),
        command,
    }
}

fn way(matches: &ArgMatches) -> Ways {
    let name: Option<String> = one(matches, "way");
    let known = WAYS
        .iter()
        .find(|(known, _)| Some(*known) == name.as_deref());
    known.map_or(Ways::Both, |(_, way)| *way)
}
