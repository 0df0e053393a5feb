//! `bench completions`: what a shell needs to complete flags.

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::{Shell, generate};

use super::{examples, given};

pub(super) fn command() -> Command {
    Command::new("completions")
        .about("Print completions for a shell")
        .after_help(examples::COMPLETIONS)
        .arg(
            Arg::new("shell")
                .required(true)
                .value_parser(value_parser!(Shell)),
        )
}

/// The script for the shell that is named.
pub(super) fn script(matches: &ArgMatches) -> String {
    let shell = given::one(matches, "shell").unwrap_or(Shell::Bash);
    let mut script = Vec::new();
    generate(shell, &mut super::command(), "bench", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}
