//! `bench generate`: data sets as files.

use std::path::PathBuf;

use algorithms::axis::Axis;
use algorithms::registry::task;
use clap::{Arg, ArgMatches, Command, value_parser};

use super::{Request, axes, examples, measuring, usage};

/// The subcommand.
pub(super) fn command() -> Command {
    let sts = Command::new("sts")
        .about("Write STS digis to a file")
        .after_help(examples::GENERATE_STS)
        .args(digi_axes().iter().map(|axis| axes::flag(axis, false)))
        .arg(measuring::seed_flag())
        .arg(
            Arg::new("out")
                .long("out")
                .value_name("FILE")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("Where to: .csv or .bin, with .gz to compress"),
        );
    Command::new("generate")
        .about("Write a data set to a file")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(sts)
}

/// The axes of generated digis are those of the task that sorts them.
fn digi_axes() -> &'static [Axis] {
    task("sort").map_or(&[], |task| task.axes())
}

/// What the flags mean.
pub(super) fn request(matches: &ArgMatches) -> Result<Request, clap::Error> {
    let Some((name, matches)) = matches.subcommand() else {
        return Err(usage("generate", "a kind of data is needed: sts"));
    };
    let axes = axes::values(digi_axes(), matches).map_err(|error| usage(name, &error))?;
    Ok(Request::Generate {
        axes,
        seed: measuring::seed(matches),
        out: matches
            .get_one::<PathBuf>("out")
            .cloned()
            .unwrap_or_default(),
    })
}
