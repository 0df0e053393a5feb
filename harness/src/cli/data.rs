//! Flags of a task's data: generated, or read from files.

use std::path::PathBuf;

use algorithms::algorithm::InputFiles;
use algorithms::axis::Axis;
use algorithms::task::Task;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::axes;
use crate::request::{DamagePolicy, Source, values};

/// The flag that refuses damaged files.
const STRICT: &str = "strict";

/// Adds the flags of a task's data.
pub(super) fn data_flags(command: Command, task: &'static dyn Task) -> Command {
    command
        .args(task.axes().iter().map(|axis| axes::flag(axis, true)))
        .arg(input_flag(task))
        .args(reading_flags(task))
        .arg(strict_flag())
}

fn strict_flag() -> Arg {
    Arg::new(STRICT)
        .long(STRICT)
        .requires("input")
        .action(ArgAction::SetTrue)
        .value_parser(values::switch(DamagePolicy::LeaveOut, DamagePolicy::Refuse))
        .help("Refuse files with missing or damaged parts, with exit code 1")
        .help_heading("Data")
}

fn input_flag(task: &'static dyn Task) -> Arg {
    let generated = task.axes().iter().map(|axis| axis.name);
    let only_generated = generated.filter(|name| !is_in(task.file_axes(), name));
    let endings = task.info().file_endings.iter().map(|ending| format!(".{ending}"));
    let endings = endings.collect::<Vec<_>>().join(" or ");
    Arg::new("input")
        .long("input")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .action(ArgAction::Append)
        .conflicts_with_all(only_generated.collect::<Vec<_>>())
        .help(format!(
            "Read the data from a file ({endings}, compressed or not), or from standard input \
             (-); repeatable for raw data"
        ))
        .help_heading("Data")
}

/// Flags of input files only.
fn reading_flags(task: &'static dyn Task) -> impl Iterator<Item = Arg> {
    let axes = task.file_axes().iter();
    let of_files = axes.filter(|axis| !is_in(task.axes(), axis.name));
    of_files.map(|axis| axes::flag(axis, false).requires("input"))
}

fn is_in(axes: &[Axis], name: &str) -> bool {
    axes.iter().any(|axis| axis.name == name)
}

/// Returns the source of a task's input.
pub(super) fn source(task: &'static dyn Task, matches: &ArgMatches) -> Source {
    let files = matches.get_many::<PathBuf>("input").into_iter().flatten().cloned();
    match InputFiles::new(files) {
        Some(files) => Source::File {
            files,
            options: axes::values(task.file_axes(), matches),
            damage: matches.get_one(STRICT).copied().unwrap_or(DamagePolicy::LeaveOut),
        },
        None => Source::Generated(axes::generated(task.axes(), matches)),
    }
}
