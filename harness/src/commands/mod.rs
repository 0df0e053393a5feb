//! One file for each subcommand.

mod completions;
mod devices;
mod generate;
mod list;
mod measure;
mod report;
mod verify;

use std::io::{ErrorKind, Write};

use crate::cli::Request;
use crate::failure::{Exit, Failure};

/// Does what a command line asks for.
///
/// # Errors
/// If it can't be done.
pub fn execute(request: Request) -> Result<Exit, Failure> {
    match request {
        Request::List { json } => list::run(json),
        Request::Devices { measure } => devices::run(measure),
        Request::Measure(request) => measure::run(&request),
        Request::Verify {
            tasks,
            variants,
            devices,
            seeds,
            quiet,
        } => verify::Verification {
            tasks,
            variants,
            devices,
            seeds,
            quiet,
        }
        .run(),
        Request::Generate { axes, seed, out } => generate::run(&axes, seed, &out),
        Request::Report(request) => report::run(&request),
        Request::Completions { shell } => completions::run(shell),
    }
}

/// Prints to standard output, where the results of a command go. That a reader
/// has left (`bench list | head`) is no failure, and changes no exit code.
fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    let printed = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    match printed {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Says something beside the results.
fn say(text: &str) {
    // Whoever closed standard error does not want to know.
    let _ = writeln!(std::io::stderr(), "{text}");
}
