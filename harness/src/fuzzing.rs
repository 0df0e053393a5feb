//! Readers of this crate's own texts, for fuzzing.
//!
//! They write accepted input again, so that reading it a second time must give the same result.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cli;
use crate::commands;
use crate::paired::protocol::{Request, Response};
use crate::plugins::trial;
use crate::request::values;

/// Reads a request of the coordinator of two executables.
pub fn ask(line: &str) -> Option<String> {
    again::<Request>(line)
}

/// Reads a response of one of them.
pub fn answer(line: &str) -> Option<String> {
    again::<Response>(line)
}

/// Reads an event of a process that tries a plugin.
pub fn event(line: &str) -> Option<String> {
    again::<trial::Event>(line)
}

/// Reads a file of defaults of flags.
///
/// # Errors
/// All its problems.
pub fn defaults(text: &str) -> Result<(), String> {
    let command = cli::with_defaults(cli::command(), "recobench.toml", text);
    command.map(drop).map_err(|problem| problem.to_string())
}

/// Returns the number of accepted changes in a file.
///
/// # Errors
/// All its problems.
pub fn accepted_shifts(text: &str) -> Result<usize, String> {
    let shifts = commands::parse_accepted_shifts("accepted-shifts.toml", text);
    shifts.map(|shifts| shifts.len()).map_err(|problem| problem.to_string())
}

/// Reads the need of a plan.
///
/// # Errors
/// All its problems.
pub fn plan_need(text: &str) -> Result<(), String> {
    commands::check_need("need.toml", text).map_err(|problem| problem.to_string())
}

/// Reads the machines of a plan.
///
/// # Errors
/// All its problems.
pub fn plan_machines(text: &str) -> Result<(), String> {
    commands::check_machines("machines.toml", text).map_err(|problem| problem.to_string())
}

/// Reads a mix of loads.
///
/// # Errors
/// All its problems.
pub fn mix(text: &str) -> Result<(), String> {
    commands::check_mix("mix.toml", text).map_err(|problem| problem.to_string())
}

/// Parses a text as the value of each flag with its own parser. Returns the number that accept it.
pub fn values(text: &str) -> usize {
    let takes = [
        values::sample_range(text).is_ok(),
        values::duration(text).is_ok(),
        values::probability(text).is_ok(),
        values::change_significance(text).is_ok(),
        values::percentage(text).is_ok(),
        values::threads(text).is_ok(),
        values::thread_counts(text).is_ok(),
        values::cache(text).is_ok(),
        values::moment(text).is_ok(),
        values::seed(text).is_ok(),
        values::device(text).is_ok(),
    ];
    takes.into_iter().filter(|&takes| takes).count()
}

fn again<T: Serialize + DeserializeOwned>(text: &str) -> Option<String> {
    let value: T = serde_json::from_str(text).ok()?;
    serde_json::to_string(&value).ok()
}
