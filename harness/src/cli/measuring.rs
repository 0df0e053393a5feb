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
use crate::request::{
    ClusterFlags, DamagePolicy, DecodeRequest, DigiFlags, FindRequest, FoundFlags, MeasureRequest,
    PageFlags, ReconstructRequest, SessionFlags, Settings, Source, UnpackRequest,
};

/// Request of a subcommand with the name of a task.
pub enum TaskRequest {
    /// `bench sort` and the like.
    Measure(Box<MeasureRequest>),
    /// `bench decode --digits` and `--strict`.
    Decode(Box<DecodeRequest>),
    /// `bench sts --clusters` and `--hits`.
    Reconstruct(Box<ReconstructRequest>),
    /// `bench cluster-finder --clusters`.
    FindClusters(Box<FindRequest>),
    /// `bench unpack --digis`.
    Unpack(Box<UnpackRequest>),
}

impl TaskRequest {
    /// Returns the common measuring request.
    pub(crate) fn measuring(&mut self) -> &mut MeasureRequest {
        match self {
            TaskRequest::Measure(request) => request,
            TaskRequest::Decode(request) => &mut request.measuring,
            TaskRequest::Reconstruct(request) => &mut request.measuring,
            TaskRequest::FindClusters(request) => &mut request.measuring,
            TaskRequest::Unpack(request) => &mut request.measuring,
        }
    }
}

/// Tasks with additional flags.
const DECODE: &str = "decode";
const STS: &str = "sts";
const CLUSTER_FINDER: &str = "cluster-finder";
const UNPACK: &str = "unpack";

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
        match task.name() {
            DECODE => Ok(decoding(measuring, PageFlags::from_arg_matches(matches)?)),
            STS => Ok(reconstructing(measuring, FoundFlags::from_arg_matches(matches)?)),
            CLUSTER_FINDER => Ok(finding(measuring, ClusterFlags::from_arg_matches(matches)?)),
            UNPACK => Ok(unpacking(measuring, DigiFlags::from_arg_matches(matches)?)),
            _ => Ok(TaskRequest::Measure(Box::new(measuring))),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn subcommand(task: &'static dyn Task) -> Command {
    let command = data_flags(Command::new(task.name()), task);
    let command = SessionFlags::augment_args(Settings::augment_args(command));
    let command = match task.name() {
        DECODE => PageFlags::augment_args(command),
        STS => FoundFlags::augment_args(command),
        CLUSTER_FINDER => ClusterFlags::augment_args(command),
        UNPACK => DigiFlags::augment_args(command),
        _ => command,
    };
    let about = format!("Measure: {}", task.info().summary);
    command.about(about).display_order(Group::Measure.order())
}

/// Adds the flags of a task's data.
pub(super) fn data_flags(command: Command, task: &'static dyn Task) -> Command {
    command
        .args(task.axes().iter().map(|axis| axes::flag(axis, true)))
        .arg(input_flag(task))
        .args(reading_flags(task))
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
        Some(files) => Source::File { files, options: axes::values(task.file_axes(), matches) },
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

/// Creates the request of `bench decode`. A file of defaults may set `--strict` without an input
/// file: it is ignored then.
fn decoding(measuring: MeasureRequest, pages: PageFlags) -> TaskRequest {
    let is_strict = pages.damage == DamagePolicy::Refuse;
    if pages.digits.is_some() || is_strict && matches!(measuring.source, Source::File { .. }) {
        TaskRequest::Decode(Box::new(DecodeRequest { measuring, pages }))
    } else {
        TaskRequest::Measure(Box::new(measuring))
    }
}

fn reconstructing(measuring: MeasureRequest, found: FoundFlags) -> TaskRequest {
    if found.clusters.is_some() || found.hits.is_some() {
        TaskRequest::Reconstruct(Box::new(ReconstructRequest { measuring, found }))
    } else {
        TaskRequest::Measure(Box::new(measuring))
    }
}

fn finding(measuring: MeasureRequest, found: ClusterFlags) -> TaskRequest {
    match found.clusters {
        Some(clusters) => TaskRequest::FindClusters(Box::new(FindRequest { measuring, clusters })),
        None => TaskRequest::Measure(Box::new(measuring)),
    }
}

fn unpacking(measuring: MeasureRequest, found: DigiFlags) -> TaskRequest {
    match found.digis {
        Some(digis) => TaskRequest::Unpack(Box::new(UnpackRequest { measuring, digis })),
        None => TaskRequest::Measure(Box::new(measuring)),
    }
}
