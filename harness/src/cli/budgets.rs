//! How long a command may take, and whether it is only to say so.

use clap::Arg;

use super::measuring::switch;
use crate::request::values;

/// The flags of commands that measure.
pub(super) fn flags() -> [Arg; 2] {
    let budget = Arg::new("budget")
        .long("budget")
        .value_name("TIME")
        .value_parser(values::duration)
        .help("Time for all of it, such as 30m, divided fairly over the points");
    let dry_run = switch("dry-run").help("Say what would be measured, and how long it takes");
    [budget, dry_run]
}
