//! Defaults of flags from a file, `recobench.toml`.
//!
//! | module | does |
//! |---|---|
//! | `find` | finds the file |
//! | `apply` | makes its values the defaults of flags |
//!
//! Keys are the long names of flags: at the top for all commands that have such a flag, in a
//! table for one command and those below it. Flags on the command line go before.

mod apply;
mod find;

use std::path::Path;

use clap::{Arg, Command};
use files::{LARGEST_DOCUMENT, read_text};
use text::Foreign;

pub(crate) use apply::with_defaults;
pub use find::Surroundings;

/// The flag that names the file.
const FLAG: &str = "config";

/// A command with the defaults of a file.
///
/// # Errors
/// Why the file can't be read, or all that is wrong with it.
pub(super) fn read(command: Command, path: &Path) -> Result<Command, String> {
    let name = path.shown().to_string();
    let text = read_text(path, LARGEST_DOCUMENT).map_err(|error| format!("{name}: {error}"))?;
    with_defaults(command, &name, &text).map_err(|error| error.to_string())
}

/// The flag, for all commands.
pub(super) fn flag() -> Arg {
    Arg::new(FLAG)
        .long(FLAG)
        .value_name("FILE")
        .global(true)
        .value_parser(clap::value_parser!(std::path::PathBuf))
        .hide_short_help(true)
        .help_heading("Global")
        .help(
            "Take defaults of flags from this file [default: recobench.toml in this folder or \
             one above it]",
        )
}
