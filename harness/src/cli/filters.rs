//! `--task`, `--variant` and `--axis`: some points of a run.

use clap::{Arg, ArgAction, ArgMatches};
use reports::filter::{AxisValues, PointFilter};

use super::measuring::many;

/// The flags.
pub(super) fn flags() -> [Arg; 3] {
    let list = |name: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("NAME")
            .value_delimiter(',')
            .action(ArgAction::Append)
    };
    let task = list("task").help("Only points of these tasks: names or globs");
    let variant = list("variant").help("Only points of these variants: names or globs");
    let axis = Arg::new("axis")
        .long("axis")
        .value_name("NAME=VALUE[,VALUE]")
        .action(ArgAction::Append)
        .value_parser(|text: &str| text.parse::<AxisValues>())
        .help("Only points with one of these values, such as digis=2M or threads=1; repeatable");
    [task, variant, axis].map(|flag| flag.help_heading("Points"))
}

/// What the flags mean.
///
/// # Errors
/// If a glob is none.
pub(super) fn filter(matches: &ArgMatches) -> Result<PointFilter, String> {
    let (tasks, variants) = (many::<String>(matches, "task"), many(matches, "variant"));
    let axes = many::<AxisValues>(matches, "axis");
    PointFilter::new(&tasks, &variants, &axes).map_err(|error| error.to_string())
}
