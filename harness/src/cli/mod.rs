//! What was typed, and what it means.
//!
//! Flags are parsed into a [`Request`], which holds values rather than texts.
//! The flags of a task come from its list of axes: a new axis needs no line
//! here.

mod answer;
mod axes;
mod compare;
mod decode;
mod devices;
mod examples;
mod export;
mod generate;
mod history;
mod measuring;
mod report;
mod reproduce;
mod request;
mod selftest;
mod sts;
mod suite;
mod trial;
pub(crate) mod values;
mod verify;

use std::ffi::OsString;

use algorithms::registry::{task, tasks};
use algorithms::task::Task;
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use crate::plugins::trial::SUBCOMMAND;

pub use answer::Answer;
pub use axes::AxisValues;
pub use compare::{CompareRequest, DEFAULT_STORE};
pub use decode::{DamagePolicy, DecodeRequest};
pub use devices::{DevicesFormat, DevicesRequest};
pub use export::ExportRequest;
pub use generate::{SimulationRequest, TimeFrameRequest, TruthFiles};
pub use history::{ChangesRequest, HistoryAction, HistoryRequest};
pub use measuring::{CacheMode, MeasureRequest, Source};
pub use report::{ReportFormat, ReportRequest};
pub use reproduce::ReproduceRequest;
pub use request::Request;
pub use selftest::SelfTestRequest;
pub use sts::ReconstructRequest;
pub use suite::SuiteRequest;
pub use values::SampleRange;
pub use verify::VerifyRequest;

/// Parses a command line, the program's name first.
///
/// # Errors
/// What to print instead.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, Answer> {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let typed: Vec<_> = arguments
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let matches = command().try_get_matches_from(arguments).map_err(Answer)?;
    request(&matches, typed).map_err(Answer)
}

/// The whole command line: all subcommands with their flags.
pub fn command() -> Command {
    Command::new("bench")
        .version(env!("CARGO_PKG_VERSION"))
        .about("The performance lab for online reconstruction in heavy-ion experiments")
        .after_help(examples::TOP)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(list())
        .subcommand(devices::command())
        .subcommands(tasks().iter().map(|task| measuring_command(*task)))
        .subcommand(suite::command())
        .subcommand(compare::command())
        .subcommand(selftest::command())
        .subcommand(verify::command())
        .subcommand(generate::command())
        .subcommand(history::command())
        .subcommand(report::command())
        .subcommand(export::command())
        .subcommand(reproduce::command())
        .subcommand(completions())
        .subcommand(trial::command())
}

/// The subcommand that measures a task, with the flags that only this one has.
fn measuring_command(task: &'static dyn Task) -> Command {
    match task.name() {
        decode::TASK => decode::command(task),
        sts::TASK => sts::command(task),
        _ => measuring::command(task),
    }
}

fn list() -> Command {
    let formats = PossibleValuesParser::new(["table", "json"]);
    Command::new("list")
        .about("List every task with its variants and axes")
        .arg(
            Arg::new("format")
                .long("format")
                .value_parser(formats)
                .default_value("table")
                .help("How to write the list"),
        )
        .arg(measuring::plugin_flag())
}

fn completions() -> Command {
    Command::new("completions")
        .about("Print completions for a shell")
        .after_help(examples::COMPLETIONS)
        .arg(
            Arg::new("shell")
                .required(true)
                .value_parser(value_parser!(Shell)),
        )
}

fn request(matches: &ArgMatches, typed: Vec<String>) -> Result<Request, clap::Error> {
    let Some((name, matches)) = matches.subcommand() else {
        return Err(command().error(ErrorKind::MissingSubcommand, "a subcommand is needed"));
    };
    Ok(match name {
        "list" => Request::List {
            json: text(matches, "format") == "json",
            plugins: measuring::plugins(matches),
        },
        "devices" => Request::Devices(devices::request(matches)),
        "compare" => Request::Compare(Box::new(compare::request(matches))),
        "selftest" => Request::SelfTest(Box::new(selftest::request(matches, typed))),
        "run" => Request::RunSuite(Box::new(suite::request(matches, typed))),
        "verify" => {
            let request = verify::request(matches);
            Request::Verify(Box::new(request.map_err(|error| usage(name, &error))?))
        }
        SUBCOMMAND => Request::TryPlugin(trial::request(matches)),
        "generate" => generate::request(matches)?,
        "history" => Request::History(history::request(matches)),
        "report" => {
            let request = report::request(matches);
            Request::Report(request.map_err(|error| usage(name, &error))?)
        }
        "reproduce" => Request::Reproduce(Box::new(reproduce::request(matches, typed))),
        "export" => {
            let request = export::request(matches);
            Request::Export(request.map_err(|error| usage(name, &error))?)
        }
        "completions" => Request::Completions {
            shell: matches.get_one("shell").copied().unwrap_or(Shell::Bash),
        },
        name => match task(name) {
            Some(task) if name == decode::TASK => {
                decode::request(task, matches, typed).map_err(|error| usage(name, &error))?
            }
            Some(task) if name == sts::TASK => {
                sts::request(task, matches, typed).map_err(|error| usage(name, &error))?
            }
            Some(task) => {
                let request = measuring::request(task, matches, typed);
                Request::Measure(Box::new(request.map_err(|error| usage(name, &error))?))
            }
            None => return Err(usage(name, "unknown subcommand")),
        },
    })
}

fn text(matches: &ArgMatches, name: &str) -> String {
    matches.get_one::<String>(name).cloned().unwrap_or_default()
}

/// A usage error in the form of the parser's own.
fn usage(subcommand: &str, problem: &str) -> clap::Error {
    let mut command = command();
    let hint = format!("{problem}\n\nFor more, try 'bench {subcommand} --help'.");
    command.error(ErrorKind::ValueValidation, hint)
}

#[cfg(test)]
mod tests;
