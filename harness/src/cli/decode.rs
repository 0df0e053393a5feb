//! `bench decode`: what it has beyond other measuring commands.

use std::path::PathBuf;

use algorithms::task::Task;
use clap::{Arg, ArgMatches, Command, value_parser};

use super::given::one;
use super::measuring::{self, switch};
use crate::request::{DamagePolicy, DecodeRequest, Request, Source};

/// The task that has these flags.
pub(super) const TASK: &str = "decode";

/// The subcommand.
pub(super) fn command(task: &'static dyn Task) -> Command {
    let digits = Arg::new("digits")
        .long("digits")
        .value_name("OUT")
        .value_parser(value_parser!(PathBuf))
        .requires("input")
        .conflicts_with("output")
        .help("Write the digits to a file (.csv) and measure nothing");
    let strict = switch("strict")
        .requires("input")
        .help("Stop at the first damaged page, with exit code 1");
    measuring::command(task).args([digits, strict].map(|flag| flag.help_heading("Data")))
}

/// What the flags mean.
pub(super) fn request(
    task: &'static dyn Task,
    matches: &ArgMatches,
    command: Vec<String>,
) -> Result<Request, String> {
    let measuring = measuring::request(task, matches, command)?;
    let digits: Option<PathBuf> = one(matches, "digits");
    let strict = matches.get_flag("strict");
    let of_file = matches!(measuring.source, Source::File { .. });
    if !of_file || (digits.is_none() && !strict) {
        return Ok(Request::Measure(Box::new(measuring)));
    }
    Ok(Request::Decode(Box::new(DecodeRequest {
        measuring,
        digits,
        damage: if strict {
            DamagePolicy::Refuse
        } else {
            DamagePolicy::LeaveOut
        },
    })))
}
