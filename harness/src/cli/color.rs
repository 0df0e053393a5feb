//! `--color`: coloured output.

use std::ffi::{OsStr, OsString};

use anstream::ColorChoice;
use anstyle::{AnsiColor, Style};
use clap::builder::{PossibleValuesParser, Styles};
use clap::{Arg, ArgMatches};

use super::arguments::last_value;

/// Colours on a terminal unless `NO_COLOR` is set.
const DEFAULT: &str = "auto";

/// Colours of the help.
pub(super) const STYLES: Styles = Styles::styled()
    .header(Style::new().bold())
    .usage(Style::new().bold())
    .literal(AnsiColor::Cyan.on_default())
    .placeholder(AnsiColor::Green.on_default());

/// The flag `--color`, global to all commands.
pub(super) fn flag() -> Arg {
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
pub fn choice(arguments: &[OsString]) -> ColorChoice {
    let last = last_value(arguments, "--color");
    named(last.as_deref().and_then(OsStr::to_str))
}

/// Returns the parsed choice, also from a file of defaults.
pub(super) fn from_matches(matches: &ArgMatches) -> ColorChoice {
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
    use super::*;

    #[test]
    fn the_last_one_counts() {
        let of = |line: &str| {
            let arguments: Vec<_> = line.split(' ').map(OsString::from).collect();
            choice(&arguments)
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
