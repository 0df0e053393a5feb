//! The commands that measure a task.

use algorithms::registry::{task, tasks};
use algorithms::task::Task;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};

use super::data::{data_flags, source};
use super::groups::Group;
use super::process;
use crate::request::{MeasureRequest, ProcessRequest, SessionFlags, Settings};

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
        let measuring = request(task, matches)?;
        Ok(match process::asked(matches, task)? {
            None => TaskRequest::Measure(Box::new(measuring)),
            Some(outputs) => TaskRequest::Process(Box::new(ProcessRequest { measuring, outputs })),
        })
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

fn request(task: &'static dyn Task, matches: &ArgMatches) -> Result<MeasureRequest, clap::Error> {
    let source = source(task, matches);
    Ok(MeasureRequest {
        session: SessionFlags::from_arg_matches(matches)?,
        ..MeasureRequest::new(task, source, Settings::from_arg_matches(matches)?)
    })
}
