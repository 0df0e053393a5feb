//! The harness: from a command line to a run folder.
//!
//! Reading order, along the flow of data:
//!
//! | module | holds |
//! |---|---|
//! | [`cli`] | parsing of the command line |
//! | `registry` | the tasks of this program |
//! | [`request`] | requests: values of flags, also of suites |
//! | `commands` | one file for each subcommand |
//! | [`suite`] | a file of tasks and axes, checked and expanded into points |
//! | `document` | TOML files, with their problems by line |
//! | [`plan`] | points to measure, and their memory |
//! | [`measure`] | checking, sampling, stopping |
//! | `stream` | open-loop test: timeslices on schedule, several worker processes |
//! | `mixed` | loads that run concurrently: each alone, in pairs, and together |
//! | `throughput` | concurrent event streams: throughput and latency |
//! | `energy` | energy of processors and GPUs, and of what a command measures |
//! | `plugins` | variants from shared libraries, tried before they are used |
//! | `workers` | child processes that work on request |
//! | [`platform`] | the machine: topology, clocks, memory, interrupts |
//! | `progress` | progress on the terminal |
//! | [`failure`] | errors and exit codes |

pub mod cli;
mod commands;
mod document;
mod energy;
pub mod failure;
#[doc(hidden)]
pub mod fuzzing;
pub mod measure;
mod mixed;
mod paired;
pub mod plan;
pub mod platform;
mod plugins;
mod progress;
mod registry;
pub mod request;
mod stream;
pub mod suite;
mod throughput;
mod workers;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use reports::program;

use crate::registry::tasks;
use cli::{Answer, CommandEnvironment, Parsed};
use commands::Prepared;
use failure::{Exit, Failure};
use platform::supervisor::supervise;
use tasks::registry::{Registry, RegistryError, TaskSet};

/// Sets the tasks of this process, for programs that use parts of this library instead of [`run`].
/// Those that were set first stay.
///
/// # Errors
/// If names are not unique.
pub fn set_tasks(sets: &[TaskSet]) -> Result<(), RegistryError> {
    registry::set(Registry::new(sets)?, cli::reserved_names);
    Ok(())
}

/// Runs a command line, the program's name first, in a program with these tasks.
pub fn run(sets: &[TaskSet], arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    platform::process_start();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    arguments.first().into_iter().for_each(|executable| program::set_name(executable));
    platform::tell_of_full_files();
    if let Err(problem) = platform::ensure_stack() {
        progress::say(&format!("bench: {problem}"));
        return platform::Exit::Failed.into();
    }
    if let Err(problem) = set_tasks(sets) {
        progress::say(&format!("bench: {problem}"));
        return platform::Exit::Failed.into();
    }
    // Help and errors have colours too: before anything is understood.
    cli::color_choice(&arguments).write_global();
    let environment = CommandEnvironment::from_this_process();
    match cli::parse_in(arguments.clone(), &environment) {
        Ok(parsed) => {
            let mut command = prepared(parsed);
            let is_supervised = command.loads_plugins();
            let work = || execute(command);
            if is_supervised { supervise(work) } else { work().into() }
        }
        Err(answer) if answer.is_about_unknown_name() => {
            match cli::plugins(&arguments, &environment) {
                none if none.is_empty() => answer.print().into(),
                plugins => supervise(|| run_with_plugins(arguments, &plugins, answer)),
            }
        }
        Err(answer) => answer.print().into(),
    }
}

/// Loads plugins before a command line is understood, and parses it again: an unknown name may be that of a task
/// that they bring. If they bring none, prints the first answer.
fn run_with_plugins(arguments: Vec<OsString>, plugins: &[PathBuf], answer: Answer) -> Exit {
    match load_tasks(plugins) {
        Ok(0) => return answer.print(),
        Ok(_) => {}
        Err(failure) => return report(&failure),
    }
    match cli::parse_in(arguments, &CommandEnvironment::from_this_process()) {
        Ok(parsed) => execute(prepared(parsed)),
        Err(answer) => answer.print(),
    }
}

/// Loads plugins before the command line is understood. Returns the number of tasks that they bring.
fn load_tasks(paths: &[PathBuf]) -> Result<usize, Failure> {
    let known = tasks().len();
    for path in paths {
        plugins::load_one(path)?;
    }
    Ok(tasks().len() - known)
}

/// Prepares the command of a parsed command line.
fn prepared(parsed: Parsed) -> Prepared {
    parsed.color.write_global();
    parsed.notes.iter().for_each(|note| progress::say(note));
    Prepared::new(parsed.request)
}

fn execute(command: Prepared) -> Exit {
    command.execute().unwrap_or_else(|failure| report(&failure))
}

fn report(failure: &Failure) -> Exit {
    progress::say(&format!("bench: {failure}{}", failure.advice()));
    failure.exit()
}
