//! `bench verify`: flags of input files, for all tasks.

use algorithms::axis::Axis;
use algorithms::registry::tasks;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use super::axes;
use crate::request::FileOptions;

/// The axes of files of all tasks, each once.
fn reading() -> Vec<&'static Axis> {
    let mut axes: Vec<&Axis> = Vec::new();
    for axis in tasks().iter().flat_map(|task| task.file_axes()) {
        if !axes.iter().any(|known| known.name == axis.name) {
            axes.push(axis);
        }
    }
    axes
}

fn flag(axis: &'static Axis) -> Arg {
    let flag = axes::flag(axis, false).requires("input");
    flag.help_heading("Inputs from files")
}

impl Args for FileOptions {
    fn augment_args(command: Command) -> Command {
        command.args(reading().into_iter().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for FileOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(FileOptions(axes::values(reading(), matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
