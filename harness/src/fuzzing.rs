//! Readers of texts that nobody but this crate reads, for mutated inputs.
//!
//! What they accept they write again, so that reading that has to give the same once more.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::cli;
use crate::commands;
use crate::duet::protocol::{Answer, Ask};
use crate::plugins::trial;
use crate::request::values;

/// What the coordinator of two executables asks, in a line.
pub fn ask(line: &str) -> Option<String> {
    again::<Ask>(line)
}

/// What one of these answers.
pub fn answer(line: &str) -> Option<String> {
    again::<Answer>(line)
}

/// What a process that tries a plugin tells, in a line.
pub fn event(line: &str) -> Option<String> {
    again::<trial::Event>(line)
}

/// What is wrong with a file of defaults of flags.
///
/// # Errors
/// All that is wrong with it.
pub fn defaults(text: &str) -> Result<(), String> {
    let command = cli::with_defaults(cli::command(), "recobench.toml", text);
    command.map(drop).map_err(|problem| problem.to_string())
}

/// How many accepted changes a file lists.
///
/// # Errors
/// All that is wrong with it.
pub fn accepted_shifts(text: &str) -> Result<usize, String> {
    let shifts = commands::parse_accepted_shifts("accepted-shifts.toml", text);
    shifts.map(|shifts| shifts.len()).map_err(|problem| problem.to_string())
}

/// A text as the value of each flag that has a parser of its own: how many take it.
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
