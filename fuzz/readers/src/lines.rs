//! Messages between processes, in lines of JSON.

use harness::fuzzing::{answer, ask, event};

use crate::scratch::Scratch;

/// Requests of the coordinator of two executables, and their responses.
pub(crate) fn protocol(_: &Scratch, input: &[u8]) -> bool {
    lines(input).all(|line| is_parsed_alike(line, ask) | is_parsed_alike(line, answer))
}

/// Messages of a process that tries a plugin.
pub(crate) fn trial(_: &Scratch, input: &[u8]) -> bool {
    lines(input).all(|line| is_parsed_alike(line, event))
}

fn lines(input: &[u8]) -> impl Iterator<Item = &str> {
    str::from_utf8(input).unwrap_or_default().lines()
}

/// Returns true if the line can be parsed; checks the round trip.
fn is_parsed_alike(line: &str, again: impl Fn(&str) -> Option<String>) -> bool {
    let Some(parsed) = again(line) else {
        return false;
    };
    assert_eq!(again(&parsed), Some(parsed));
    true
}
