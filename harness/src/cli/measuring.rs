//! The commands that measure a task.

use std::path::PathBuf;

use algorithms::algorithm::InputFiles;
use algorithms::axis::Axis;
use algorithms::registry::{task, tasks};
use algorithms::task::Task;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand, value_parser};

use super::axes;
use super::groups::Group;
use super::process;
use crate::request::{
    DamagePolicy, MeasureRequest, ProcessRequest, SessionFlags, Settings, Source, values,
};

/// Request of a subcommand with the name of a task.
pub enum TaskRequest {
    /// `bench sort` and the like.
    Measure(Box<MeasureRequest>),
    /// Tasks with a flag such as `--digits`, as `bench process`.
    Process(Box<ProcessRequest>),
}

impl TaskRequest {
    /// Returns the common measuring request.
    pub(crate) fn measuring(&mut self) -> &mut MeasureRequest {
        match self {
            TaskRequest::Measure(request) => request,
            TaskRequest::Process(request) => &mut request.measuring,
        }
    }
}

/// The flag that refuses damaged files.
const STRICT: &str = "strict";

impl Subcommand for TaskRequest {
    fn augment_subcommands(command: Command) -> Command {
        command.subcommands(tasks().iter().map(|task| subcommand(*task)))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        task(name).is_some()
    }
}

impl FromArgMatches for TaskRequest {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let named = matches.subcommand();
        let Some((task, matches)) = named.and_then(|(name, below)| Some((task(name)?, below)))
        else {
            return Err(clap::Error::new(ErrorKind::MissingSubcommand));
        };
        process::task_request(matches, request(task, matches)?)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn subcommand(task: &'static dyn Task) -> Command {
    let command = data_flags(Command::new(task.name()), task);
    let command = SessionFlags::augment_args(Settings::augment_args(command));
    let command = process::with_aliases(command, task);
    let about = format!("Measure: {}", task.info().summary);
    command.about(about).display_order(Group::Measure.order())
}

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
            "Read the data from a file ({endings}, compressed or not); repeatable for raw data"
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

fn request(task: &'static dyn Task, matches: &ArgMatches) -> Result<MeasureRequest, clap::Error> {
    let source = source(task, matches);
    Ok(MeasureRequest {
        session: SessionFlags::from_arg_matches(matches)?,
        ..MeasureRequest::new(task, source, Settings::from_arg_matches(matches)?)
    })
}
