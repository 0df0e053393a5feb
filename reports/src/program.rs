//! Name of the program, as commands and messages have it: that of the executable, so that a program
//! with tasks of its own does not advise commands of `bench`.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::OnceLock;

/// Name in all texts of the sources.
const BENCH: &str = "bench";

static NAME: OnceLock<String> = OnceLock::new();

/// Sets the name from the first word of a command line, once; a name that is no plain word is
/// ignored.
pub fn set_name(executable: &OsStr) {
    if let Some(name) = name_of(executable) {
        let _ = NAME.set(name.to_owned());
    }
}

/// Returns the name of the program.
pub fn name() -> &'static str {
    NAME.get().map_or(BENCH, String::as_str)
}

/// Returns the name of the program that a recorded command started.
pub fn name_in(command: &[String]) -> &str {
    command.first().and_then(|word| name_of(OsStr::new(word))).unwrap_or(BENCH)
}

/// Replaces `bench` by the name of the program in a text of its own.
pub fn renamed(text: &str) -> Cow<'_, str> {
    with_name(text, name())
}

fn name_of(executable: &OsStr) -> Option<&str> {
    let name = Path::new(executable).file_name()?.to_str()?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.chars().all(is_plain).then_some(name)
}

/// Replaces the word `bench`, but neither in names and paths nor as a quoted value.
fn with_name<'t>(text: &'t str, name: &str) -> Cow<'t, str> {
    if name == BENCH || !text.contains(BENCH) {
        return Cow::Borrowed(text);
    }
    let is_joined = |c: char| c.is_alphanumeric() || "-_/.=\"'".contains(c);
    let mut parts = text.split(BENCH);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut after = part.chars();
        let follows = after.next().is_some_and(|c| match c {
            // A full stop, or the dot of a file name.
            '.' => after.next().is_some_and(char::is_alphanumeric),
            c => is_joined(c),
        });
        let is_word = !result.ends_with(is_joined) && !follows;
        result += if is_word { name } else { BENCH };
        result += part;
    }
    Cow::Owned(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_sentences_name_the_program() {
        for (text, expected) in [
            ("bench: no store; run `bench history`", "own: no store; run `own history`"),
            ("by another build of bench.", "by another build of own."),
            ("bench", "own"),
        ] {
            assert_eq!(with_name(text, "own"), expected);
            assert_eq!(with_name(text, BENCH), text);
        }
    }

    #[test]
    fn paths_flags_and_quoted_values_stay() {
        for text in [
            "/opt/bench --base-bench old/bench bench.new benches workbench",
            "\"bench\" is not a run",
            "--out=bench",
            "unrecognized subcommand 'bench'",
        ] {
            assert_eq!(with_name(text, "own"), text);
        }
    }

    #[test]
    fn the_name_is_that_of_the_executable() {
        assert_eq!(name_in(&["target/release/own-task".into(), "pulses".into()]), "own-task");
        assert_eq!(name_in(&["my program".into()]), BENCH);
        assert_eq!(name_in(&[]), BENCH);
    }
}
