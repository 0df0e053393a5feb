//! Defaults of flags from a file, `recobench.toml`.
//!
//! | module | does |
//! |---|---|
//! | `find` | finds the file, and whether it may be used |
//! | `apply` | makes its values the defaults of flags, and finds those that it added to a command line |
//!
//! Keys are the long names of flags: at the top for all commands that have such a flag, in a
//! table for one command and its subcommands. Flags on the command line take precedence.

mod apply;
mod find;

use std::path::Path;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use files::{LARGEST_DOCUMENT, read_text};
use text::Untrusted;

pub(super) use apply::applied;
pub(crate) use apply::with_defaults;
pub use find::CommandEnvironment;
pub(super) use find::DefaultsFile;

/// The flag that names the file.
const FLAG: &str = "config";

/// The variable that names the file; empty for none.
const VARIABLE: &str = "RECOBENCH_CONFIG";
/// The flag of commands that load plugins.
const PLUGINS: &str = "plugins";

/// A command with the defaults of a file.
///
/// # Errors
/// If the file can't be read, or all its problems.
pub(super) fn read(command: Command, path: &Path) -> Result<Command, String> {
    let name = path.escaped().to_string();
    let text = read_text(path, LARGEST_DOCUMENT)
        .map_err(|error| format!("{name}: {error}; --config takes a TOML file"))?;
    with_defaults(command, &name, &text).map_err(|error| error.to_string())
}

/// A note on the plugins that a file names for a command: they are code, and on the command line
/// nothing shows them.
pub(super) fn note_on_plugins(matches: &ArgMatches, file: &Path) -> Option<String> {
    let mut matches = matches;
    while let Some((_, below)) = matches.subcommand() {
        matches = below;
    }
    let is_known = matches.ids().any(|id| id == PLUGINS);
    let is_default = is_known && matches.value_source(PLUGINS) == Some(ValueSource::DefaultValue);
    let named = matches.get_raw(PLUGINS).into_iter().flatten().filter(|_| is_default);
    let named: Vec<String> = named.map(|path| Path::new(path).escaped().to_string()).collect();
    let file = file.escaped();
    (!named.is_empty()).then(|| format!("note: plugins that {file} names: {}", named.join(", ")))
}

/// The flag `--config`, global to all commands.
pub(super) fn flag() -> Arg {
    Arg::new(FLAG)
        .long(FLAG)
        .value_name("FILE")
        .global(true)
        .value_parser(clap::value_parser!(std::path::PathBuf))
        .hide_short_help(true)
        .help_heading("Global")
        .help(
            "File with defaults of flags [default: recobench.toml in this folder or one above it]",
        )
}
