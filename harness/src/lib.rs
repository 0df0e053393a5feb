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
//! | `throughput` | concurrent event streams: throughput and latency |
//! | `plugins` | variants from shared libraries, tried before they are used |
//! | `workers` | child processes that work on request |
//! | [`platform`] | the machine: topology, clocks, memory, interrupts |
//! | `progress` | progress on the terminal |
//! | [`failure`] | errors and exit codes |

pub mod cli;
mod commands;
mod document;
pub mod failure;
#[doc(hidden)]
pub mod fuzzing;
pub mod measure;
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
use std::process::ExitCode;

use cli::CommandEnvironment;
use commands::Prepared;
use platform::supervisor::supervise;
use tasks::registry::{Registry, RegistryError, TaskSet};

/// Sets the tasks of this process, for programs that use parts of this library instead of [`run`].
/// Those that were set first stay.
///
/// # Errors
/// If names are not unique.
pub fn set_tasks(sets: &[TaskSet]) -> Result<(), RegistryError> {
    registry::set(Registry::new(sets)?);
    Ok(())
}

/// Runs a command line, the program's name first, in a program with these tasks.
pub fn run(sets: &[TaskSet], arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    platform::process_start();
    platform::tell_of_full_files();
    if let Err(problem) = platform::ensure_stack() {
        progress::say(&format!("bench: {problem}"));
        return platform::Exit::Failed.into();
    }
    if let Err(problem) = set_tasks(sets) {
        progress::say(&format!("bench: {problem}"));
        return platform::Exit::Failed.into();
    }
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // Help and errors have colours too: before anything is understood.
    cli::color_choice(&arguments).write_global();
    let parsed = match cli::parse_in(arguments, &CommandEnvironment::from_this_process()) {
        Ok(parsed) => parsed,
        Err(answer) => return answer.print(),
    };
    parsed.color.write_global();
    parsed.notes.iter().for_each(|note| progress::say(note));
    let mut command = Prepared::new(parsed.request);
    let is_supervised = command.loads_plugins();
    let work = || {
        command.execute().unwrap_or_else(|failure| {
            progress::say(&format!("bench: {failure}{}", failure.advice()));
            failure.exit()
        })
    };
    if is_supervised { supervise(work) } else { work().into() }
}
