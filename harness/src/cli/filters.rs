//! `--task`, `--variant` and `--axis`: some points of a run.

use clap::{Arg, ArgAction, ArgMatches};
use reports::filter::{AxisValues, PointFilter};

use super::given::many;

/// Which points.
pub(super) fn flags() -> [Arg; 3] {
    let glob = |text: &str| PointFilter::new(&[text], &[], &[]).map(|_| text.to_owned());
    let globs = |name: &'static str, help: &'static str| {
        let flag = Arg::new(name).long(name).value_name("GLOB").help(help);
        let flag = flag.action(ArgAction::Append).value_delimiter(',');
        flag.value_parser(glob)
    };
    let axis = Arg::new("axis")
        .long("axis")
        .value_name("NAME=VALUE[,VALUE]")
        .action(ArgAction::Append)
        .value_parser(|text: &str| text.parse::<AxisValues>())
        .help("Only points with such a value: segments=24, threads=1,2; repeatable");
    let flags = [
        globs("task", "Only points of these tasks"),
        globs("variant", "Only points of these variants, such as std-*"),
        axis,
    ];
    flags.map(|flag| flag.help_heading("Points"))
}

/// The points that `--task`, `--variant` and `--axis` ask for. A pattern that is none was
/// refused before.
pub(super) fn filter(matches: &ArgMatches) -> PointFilter {
    let tasks: Vec<String> = many(matches, "task");
    let axes: Vec<AxisValues> = many(matches, "axis");
    PointFilter::new(&tasks, &many::<String>(matches, "variant"), &axes).unwrap_or_default()
}
