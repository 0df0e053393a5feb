//! What was typed.
//!
//! Flags are parsed into a [`Request`], which holds values rather than texts.
//! The flags of a task come from its list of axes: a new axis needs no line
//! here.

mod answer;
mod axes;
mod budgets;
mod color;
mod compare;
mod completions;
mod config;
mod decode;
mod devices;
mod examples;
mod export;
mod filters;
mod formats;
mod generate;
mod given;
mod history;
mod list;
mod measuring;
mod report;
mod reproduce;
mod selftest;
mod sts;
mod suite;
mod trial;
mod verify;

use std::ffi::OsString;

use algorithms::registry::{task, tasks};
use algorithms::task::Task;
use anstream::ColorChoice;
use clap::error::ErrorKind;
use clap::{ArgMatches, Command};

use crate::duet::protocol;
use crate::plugins::trial::SUBCOMMAND;

use crate::request::Request;

pub use answer::Answer;
pub use color::choice as color_choice;
pub use config::Surroundings;

/// Parses a command line, the program's name first, without any file of defaults.
///
/// # Errors
/// What to print instead.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, Answer> {
    parse_in(arguments, &Surroundings::default()).map(|parsed| parsed.request)
}

/// A command line that was understood.
pub struct Parsed {
    /// What it asks for.
    pub request: Request,
    /// Whether output is to be coloured.
    pub color: ColorChoice,
}

/// Parses a command line, the program's name first, with the defaults of a file.
///
/// # Errors
/// What to print instead.
pub fn parse_in(
    arguments: impl IntoIterator<Item = OsString>,
    surroundings: &Surroundings,
) -> Result<Parsed, Answer> {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let typed: Vec<_> = arguments
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let mut command = command();
    let mut defaults = None;
    // Commands that `bench` starts itself are told all that they need.
    if !is_hidden(&command, &arguments)
        && let Some(path) = surroundings.file(&arguments)
    {
        match config::read(command.clone(), &path) {
            Ok(with_defaults) => (command, defaults) = (with_defaults, Some(path)),
            // A damaged file keeps nobody from the help.
            Err(_) if asks_for_help(&arguments) => {}
            Err(problem) => {
                let problem = clap::Error::raw(ErrorKind::ValueValidation, problem + "\n");
                return Err(Answer(problem));
            }
        }
    }
    let matches = command.try_get_matches_from(arguments).map_err(Answer)?;
    let mut request = request(&matches, typed).map_err(Answer)?;
    request.remember_defaults(defaults);
    Ok(Parsed {
        request,
        color: color::of(&matches),
    })
}

fn is_hidden(command: &Command, arguments: &[OsString]) -> bool {
    let name = arguments.get(1).and_then(|name| name.to_str());
    let below = name.and_then(|name| command.find_subcommand(name));
    below.is_some_and(Command::is_hide_set)
}

fn asks_for_help(arguments: &[OsString]) -> bool {
    const HELP: [&str; 5] = ["--help", "-h", "help", "--version", "-V"];
    let mut texts = arguments.iter().filter_map(|argument| argument.to_str());
    texts.any(|text| HELP.contains(&text))
}

/// The whole command line: all subcommands with their flags.
pub fn command() -> Command {
    examples_in_long_help(commands())
}

/// The short help is for those who know the way.
fn examples_in_long_help(command: Command) -> Command {
    let examples = command.get_after_help().cloned();
    let command = match examples {
        Some(examples) => command.after_help(None::<&str>).after_long_help(examples),
        None => command,
    };
    command.mut_subcommands(examples_in_long_help)
}

fn commands() -> Command {
    Command::new("bench")
        .version(env!("CARGO_PKG_VERSION"))
        .about("The performance lab for online reconstruction in heavy-ion experiments")
        .after_help(examples::TOP)
        .styles(color::STYLES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args([color::flag(), config::flag()])
        .subcommand(list::command())
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
        .subcommand(completions::command())
        .subcommand(trial::command())
        .subcommand(sample())
}

/// The subcommand that measures a task, with the flags that only this one has.
fn measuring_command(task: &'static dyn Task) -> Command {
    match task.name() {
        decode::TASK => decode::command(task),
        sts::TASK => sts::command(task),
        _ => measuring::command(task),
    }
}

/// The child of a coordinator, which help does not show.
fn sample() -> Command {
    Command::new(protocol::SUBCOMMAND)
        .about("Take samples for another process, which asks for them")
        .hide(true)
        .arg(
            measuring::switch(protocol::FLAG)
                .required(true)
                .help("Answer questions on standard input"),
        )
        .arg(measuring::plugin_flag())
}

fn request(matches: &ArgMatches, typed: Vec<String>) -> Result<Request, clap::Error> {
    let Some((name, matches)) = matches.subcommand() else {
        return Err(command().error(ErrorKind::MissingSubcommand, "a subcommand is needed"));
    };
    check_formats(name, matches)?;
    Ok(match name {
        "list" => {
            let request = list::request(matches);
            Request::List(request.map_err(|error| usage(name, &error))?)
        }
        "devices" => Request::Devices(devices::request(matches)),
        "compare" => Request::Compare(Box::new(compare::request(matches))),
        "selftest" => Request::SelfTest(Box::new(selftest::request(matches, typed))),
        "run" => {
            let request = suite::request(matches, typed);
            Request::RunSuite(Box::new(request.map_err(|error| usage(name, &error))?))
        }
        protocol::SUBCOMMAND => Request::Serve {
            plugins: measuring::plugins(matches),
        },
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
            script: completions::script(matches),
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

/// Standard output takes one format, whatever command it is.
fn check_formats(name: &str, matches: &ArgMatches) -> Result<(), clap::Error> {
    formats::check(matches).map_err(|problem| usage(name, &problem))?;
    match matches.subcommand() {
        Some((below, matches)) => check_formats(&format!("{name} {below}"), matches),
        None => Ok(()),
    }
}

/// A usage error in the form of the parser's own.
fn usage(subcommand: &str, problem: &str) -> clap::Error {
    let mut command = command();
    let hint = format!("{problem}\n\nFor more, try 'bench {subcommand} --help'.");
    command.error(ErrorKind::ValueValidation, hint)
}

#[cfg(test)]
mod tests;
