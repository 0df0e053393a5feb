//! What is printed instead of doing what was asked for.

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::error::{ContextValue, ErrorKind as Kind};
use text::Foreign;

use super::secrets::without_secrets;
use crate::failure::Exit;
use crate::progress;

/// What the parser has to say instead of a request: help, or an error.
pub struct Answer(clap::Error);

impl Answer {
    pub(super) fn new(error: clap::Error) -> Self {
        Answer(with_values_shown(error))
    }

    /// Prints it, with colours where they are wanted; the exit code is that of a usage error,
    /// or of success if help was asked for.
    pub fn print(self) -> ExitCode {
        let text = text::colored_lines(&self.0.render().ansi().to_string());
        let asked = matches!(self.0.kind(), Kind::DisplayHelp | Kind::DisplayVersion);
        if asked {
            asked_for(&text).into()
        } else {
            let _ = write!(anstream::stderr(), "{text}");
            Exit::Usage.into()
        }
    }

    /// What it says, without colours.
    pub fn text(&self) -> String {
        text::lines(&self.0.render().to_string())
    }
}

/// Prints what was asked for. A reader that has left is no failure; a disk that is full is.
fn asked_for(text: &str) -> Exit {
    let mut stdout = anstream::stdout();
    match write!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            progress::say(&format!("bench: standard output: {error}"));
            Exit::Failed
        }
        _ => Exit::Success,
    }
}

/// The parser repeats what was typed, and has no way to say how: it is replaced before.
pub(super) fn with_values_shown(mut error: clap::Error) -> clap::Error {
    let shown = |text: &String| without_secrets(text).shown().to_string();
    let values = error.context().filter_map(|(kind, value)| match value {
        ContextValue::String(text) => Some((kind, ContextValue::String(shown(text)))),
        ContextValue::Strings(texts) => {
            Some((kind, ContextValue::Strings(texts.iter().map(shown).collect())))
        }
        _ => None,
    });
    for (kind, value) in values.collect::<Vec<_>>() {
        error.insert(kind, value);
    }
    error
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use crate::cli;

    fn said(arguments: &[&str]) -> String {
        let arguments = ["bench"].iter().chain(arguments).map(OsString::from);
        cli::parse(arguments).err().expect("refused").text()
    }

    #[test]
    fn what_was_typed_is_repeated_on_one_line_and_shortened() {
        let value = "\u{1b}[2J\nerror: all is lost\r".to_owned() + &"x".repeat(120_000);
        for arguments in [
            &["sort", "--threads", &value][..],
            &["sort", "--digis", &value],
            &["sort", "--cache", &value],
            &["sort", &format!("--{value}")],
            &["sort", "--device", &value],
            &["list", "--color", &value],
            &["compare", "a", "b", "--min-effect", &value],
            &[&value],
        ] {
            let said = said(arguments);
            assert!(!said.chars().any(|c| c != '\n' && text::is_hidden(c)), "{said:?}");
            assert!(!said.contains("\nerror: all is lost"), "{said}");
            assert!(said.contains("\\u{1b}[2J\\nerror: all is lost\\rxxx"), "{said}");
            assert!(said.lines().all(|line| line.chars().count() < 1_000), "{said}");
        }
    }
}
