//! `bench verify`: correctness only.

use algorithms::registry::{task, tasks};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command, value_parser};

use super::{Request, examples, measuring};

/// The subcommand.
pub(super) fn command() -> Command {
    let names = PossibleValuesParser::new(tasks().iter().map(|task| task.name()));
    Command::new("verify")
        .about("Check the variants on hard inputs, without timing them")
        .after_help(examples::VERIFY)
        .arg(
            Arg::new("tasks")
                .value_name("TASK")
                .num_args(0..)
                .value_parser(names)
                .help("The tasks to check [default: all]"),
        )
        .arg(measuring::variant_flag())
        .arg(measuring::device_flag())
        .arg(
            Arg::new("seeds")
                .long("seeds")
                .value_name("N")
                .default_value("3")
                .value_parser(value_parser!(u64).range(1..=1_000_000))
                .help("How many seeds to make inputs from"),
        )
        .arg(measuring::seed_flag())
        .arg(measuring::quiet_flag())
}

/// What the flags mean.
pub(super) fn request(matches: &ArgMatches) -> Request {
    let names = matches.get_many::<String>("tasks").into_iter().flatten();
    let first = measuring::seed(matches);
    let count = matches.get_one::<u64>("seeds").copied().unwrap_or(1);
    Request::Verify {
        tasks: names.filter_map(|name| task(name)).collect(),
        variants: measuring::variants(matches),
        devices: measuring::devices(matches),
        seeds: (0..count).map(|i| first.wrapping_add(i)).collect(),
        quiet: matches.get_flag("quiet"),
    }
}
