//! Output of the parser instead of a request (help and errors), and whether output is coloured.

use std::ffi::{OsStr, OsString};
use std::io::{ErrorKind, Write};

use anstream::ColorChoice;
use anstyle::{AnsiColor, Style};
use clap::builder::{PossibleValuesParser, Styles};
use clap::error::{ContextValue, ErrorKind as Kind};
use clap::{Arg, ArgMatches};
use reports::program::renamed;
use text::Untrusted;

use super::arguments::{last_value, without_secrets};
use crate::failure::Exit;
use crate::progress;

/// Response of the parser instead of a request: help, or an error.
pub struct Answer {
    error: clap::Error,
    /// Names of the command whose help an error refers to; empty for the parser's own text.
    command: String,
}

impl Answer {
    pub(super) fn new(error: clap::Error) -> Self {
        Answer::with_help_of(error, "")
    }

    /// Creates an answer whose errors refer to the help of a command.
    pub(super) fn with_help_of(error: clap::Error, command: &str) -> Self {
        Answer { error: with_values_shown(error), command: command.to_owned() }
    }

    fn is_help(&self) -> bool {
        matches!(self.error.kind(), Kind::DisplayHelp | Kind::DisplayVersion)
    }

    /// Names the command in the last line of an error, "try '--help'".
    fn with_command(&self, text: String) -> String {
        let is_usage = self.error.kind() == Kind::DisplayHelpOnMissingArgumentOrSubcommand;
        let is_error = !self.is_help() && !is_usage;
        match text.rfind("--help") {
            Some(index) if is_error && !self.command.is_empty() => {
                format!("{}{} {}", &text[..index], self.command, &text[index..])
            }
            _ => text,
        }
    }

    /// True if a name is unknown that may be that of a task.
    pub fn is_about_unknown_name(&self) -> bool {
        let kinds = [Kind::InvalidSubcommand, Kind::InvalidValue, Kind::ValueValidation];
        kinds.contains(&self.error.kind())
    }

    /// Prints the text with the chosen colours. Returns the exit code: success for help, else that
    /// of a usage error.
    pub fn print(self) -> Exit {
        let text = self.with_command(self.error.render().ansi().to_string());
        let text = text::colored_lines(&renamed(&text));
        if self.is_help() {
            asked_for(&text)
        } else {
            let _ = write!(anstream::stderr(), "{text}");
            Exit::Usage
        }
    }

    /// Returns the text without colours.
    pub fn text(&self) -> String {
        text::lines(&renamed(&self.with_command(self.error.render().to_string())))
    }
}

/// Prints help. A closed pipe is not a failure; a full disk is.
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

/// Escapes typed values in an error, because the parser repeats them unescaped.
pub(super) fn with_values_shown(mut error: clap::Error) -> clap::Error {
    let shown = |text: &String| without_secrets(text).escaped().to_string();
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

/// Colours on a terminal unless `NO_COLOR` is set.
const DEFAULT: &str = "auto";

/// Colours of the help.
pub(super) const STYLES: Styles = Styles::styled()
    .header(Style::new().bold())
    .usage(Style::new().bold())
    .literal(AnsiColor::Cyan.on_default())
    .placeholder(AnsiColor::Green.on_default());

/// The flag `--color`, global to all commands.
pub(super) fn color_flag() -> Arg {
    Arg::new("color")
        .long("color")
        .value_name("WHEN")
        .global(true)
        .value_parser(PossibleValuesParser::new([DEFAULT, "always", "never"]))
        .default_value(DEFAULT)
        .hide_short_help(true)
        .help_heading("Global")
        .help("Colour the output; auto: on a terminal unless NO_COLOR is set")
}

/// Returns the choice of an unparsed command line: help and errors have colours, too.
pub fn color_choice(arguments: &[OsString]) -> ColorChoice {
    let last = last_value(arguments, "--color");
    named(last.as_deref().and_then(OsStr::to_str))
}

/// Returns the parsed choice, also from a file of defaults.
pub(super) fn color_from_matches(matches: &ArgMatches) -> ColorChoice {
    let mut last = matches;
    while let Some((_, below)) = last.subcommand() {
        last = below;
    }
    let given = last.try_get_one::<String>("color").ok().flatten();
    named(given.map(String::as_str))
}

fn named(name: Option<&str>) -> ColorChoice {
    match name {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;
    use crate::cli;

    fn said(arguments: &[&str]) -> String {
        let arguments = ["bench"].iter().chain(arguments).map(OsString::from);
        cli::parse(arguments).err().expect("refused").text()
    }

    #[test]
    fn typed_values_are_repeated_on_one_line_and_shortened() {
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

    #[test]
    fn the_last_one_counts() {
        let of = |line: &str| {
            let arguments: Vec<_> = line.split(' ').map(OsString::from).collect();
            color_choice(&arguments)
        };
        assert_eq!(of("bench list"), ColorChoice::Auto);
        assert_eq!(of("bench list --color never"), ColorChoice::Never);
        assert_eq!(of("bench --color=always list"), ColorChoice::Always);
        let both = "bench --color=always list --color never";
        assert_eq!(of(both), ColorChoice::Never);
        assert_eq!(of("bench list -- --color never"), ColorChoice::Auto);
        assert_eq!(of("bench list --color"), ColorChoice::Auto);
    }
}
