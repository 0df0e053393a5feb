//! The commands that measure a task: alone, as events in `bench throughput` and as timeslices in
//! `bench stream`.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use tasks::axis::{Axis, Params};
use tasks::open_loop::{FrameFile, OpenLoop, StageInfo};
use tasks::task::Task;

use super::by_hand::{flags_at_run_time, subcommands_by_name};
use super::data::{axis_flag, axis_values, data_flags, flags_of_settings, settings_among, source};
use super::groups::Group;
use super::untimed;
use crate::registry::{open_loop_task, open_loop_tasks, task, tasks};
use crate::request::{
    DeviceSet, MeasureRequest, ParetoFlags, ParetoRequest, ProcessRequest, ROTATION, SessionFlags,
    Settings, StreamFlags, StreamRequest, ThroughputFlags, ThroughputRequest,
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

subcommands_by_name!(TaskRequest, tasks, task, task_command, task_request);

fn task_request(task: &'static dyn Task, matches: &ArgMatches) -> Result<TaskRequest, clap::Error> {
    let measuring = measure_request(task, matches)?;
    Ok(match untimed::asked(matches, task)? {
        None => TaskRequest::Measure(Box::new(measuring)),
        Some(outputs) => TaskRequest::Process(Box::new(ProcessRequest { measuring, outputs })),
    })
}

fn task_command(task: &'static dyn Task) -> Command {
    let command = data_flags(Command::new(task.name()), task);
    let command = SessionFlags::augment_args(Settings::augment_args(command));
    let command = untimed::with_aliases(command, task);
    let about = format!("Measure: {}", task.info().summary);
    command.about(about).display_order(Group::Measure.order())
}

fn measure_request(
    task: &'static dyn Task,
    matches: &ArgMatches,
) -> Result<MeasureRequest, clap::Error> {
    let source = source(task, matches);
    Ok(MeasureRequest {
        session: SessionFlags::from_arg_matches(matches)?,
        ..MeasureRequest::new(task, source, Settings::from_arg_matches(matches)?)
    })
}

subcommands_by_name!(ParetoRequest, tasks, task, pareto_command, pareto_request);

fn pareto_command(task: &'static dyn Task) -> Command {
    let command = data_flags(Command::new(task.name()), task);
    let command = SessionFlags::augment_args(Settings::augment_args(command));
    let about = format!("Speed and quality: {}", task.info().summary);
    // Three runs per setting have no interval, and a plan is that of the task.
    let command = command.mut_arg("profile", |flag| flag.hide(true));
    ParetoFlags::augment_args(command).about(about)
}

fn pareto_request(
    task: &'static dyn Task,
    matches: &ArgMatches,
) -> Result<ParetoRequest, clap::Error> {
    Ok(ParetoRequest {
        measuring: measure_request(task, matches)?,
        flags: ParetoFlags::from_arg_matches(matches)?,
    })
}

/// Settings of measuring commands that streams share. Plugins are not supported, because their
/// calls are supervised one at a time.
const SETTINGS: [&str; 5] = ["seed", "variants", "threads", "places", "binds"];
const DEVICES: &str = "devices";

fn throughput_command(task: &'static dyn Task) -> Command {
    let shared = flags_of_settings(&SETTINGS).into_iter().map(for_streams);
    let devices = devices(
        "Devices: cpu, cuda:N, wgpu:N, or cuda:0+cuda:1 to spread streams over several [default: \
         cpu and all CUDA GPUs]",
    );
    let command = data_flags(Command::new(task.name()), task).args(shared).arg(devices);
    with_rotation(ThroughputFlags::augment_args(command), task)
        .about(format!("Concurrent streams: {}", task.info().summary))
}

/// Gives the flag `--batch` of streams another name if the task has an axis of this name.
fn with_rotation(command: Command, task: &dyn Task) -> Command {
    let mut axes = task.axes().iter().chain(task.file_axes());
    if axes.any(|axis| axis.name == "batch") {
        command.mut_arg(ROTATION, |flag| flag.long(ROTATION))
    } else {
        command
    }
}

/// Adapts the help of a shared flag to streams.
fn for_streams(flag: Arg) -> Arg {
    match flag.get_id().as_str() {
        "threads" => flag.help("Threads per stream: N, all, or doubling [default: 1]"),
        _ => flag,
    }
}

/// The flag `--device`, which accepts joined devices.
pub(super) fn devices(help: &'static str) -> Arg {
    Arg::new(DEVICES)
        .long("device")
        .value_name("DEVICE")
        .value_delimiter(',')
        .action(clap::ArgAction::Append)
        .value_parser(|text: &str| text.parse::<DeviceSet>())
        .help_heading("Where")
        .help(help)
}

/// Returns the values of `--device`.
pub(super) fn device_sets(matches: &ArgMatches) -> Vec<DeviceSet> {
    matches.get_many(DEVICES).into_iter().flatten().cloned().collect()
}

subcommands_by_name!(ThroughputRequest, tasks, task, throughput_command, throughput_request);

fn throughput_request(
    task: &'static dyn Task,
    matches: &ArgMatches,
) -> Result<ThroughputRequest, clap::Error> {
    Ok(ThroughputRequest {
        measuring: MeasureRequest::new(
            task,
            source(task, matches),
            settings_among(&SETTINGS, matches),
        ),
        device_sets: device_sets(matches),
        flags: ThroughputFlags::from_arg_matches(matches)?,
    })
}

/// Flags for results that also apply to `--merge`.
const OF_RESULTS: [&str; 5] = ["merge", "out", "format", "charts", "quiet"];

/// Makes `--merge` conflict with all flags of a run, because merged runs are finished.
fn with_conflicts_of_merging(command: Command) -> Command {
    let all = command.get_arguments().map(|flag| flag.get_id().clone());
    let of_running: Vec<_> = all.filter(|id| !OF_RESULTS.contains(&id.as_str())).collect();
    command.mut_arg("merge", |merge| merge.conflicts_with_all(of_running))
}

/// Adapts the help of a shared flag to workers: threads per worker, one variant.
fn for_workers(flag: Arg, task: &dyn OpenLoop) -> Arg {
    match flag.get_id().as_str() {
        "threads" => flag.help("Threads per process: N or all [default: 1]"),
        "variants" => {
            let info = task.open_loop();
            let defaults = format!("{} on the CPU, {} on a GPU", info.on_cpu, info.on_gpu);
            flag.help(format!("Variant of the chain [default: {defaults}]"))
        }
        _ => flag,
    }
}

/// The flags of the stage after a task: the one that enables it, and its parameters.
fn stage_flags(stage: StageInfo) -> impl Iterator<Item = Arg> {
    let enabled = Arg::new(stage.flag).long(stage.flag).action(ArgAction::SetTrue).help(stage.help);
    let parameter = move |axis| axis_flag(axis, false).requires(stage.flag);
    let all = std::iter::once(enabled).chain(stage.axes.iter().map(parameter));
    all.map(move |flag| flag.help_heading(stage.heading))
}

/// The values of all parameters of the stage; `None` if it is not enabled.
fn stage_values(stage: StageInfo, matches: &ArgMatches) -> Option<Params> {
    if !matches.get_flag(stage.flag) {
        return None;
    }
    let given = axis_values(stage.axes, matches);
    let first = |axis: &Axis| Some((axis.name, given.values(axis.name).first()?.clone()));
    let mut values: Params = stage.axes.iter().filter_map(first).collect();
    values.complete(stage.axes);
    Some(values)
}

/// The flag of the folder for results.
fn results_flag(file: FrameFile) -> Arg {
    Arg::new(file.flag)
        .long(file.flag)
        .value_name("DIR")
        .value_parser(value_parser!(PathBuf))
        .help(file.help)
        .help_heading("Output")
}

flags_at_run_time!(StreamRequest, with_stream_flags, stream_request);

/// The flags of the first task that can be streamed, and a subcommand for each of them.
fn with_stream_flags(command: Command) -> Command {
    let tasks = open_loop_tasks();
    let Some(first) = tasks.first() else { return command };
    let by_name = tasks.iter().map(|task| {
        let about = format!("Stream its inputs: {}", task.info().summary);
        with_flags_of(Command::new(task.name()).about(about), *task)
    });
    with_flags_of(command, *first).subcommands(by_name).args_conflicts_with_subcommands(true)
}

fn with_flags_of(command: Command, task: &'static dyn OpenLoop) -> Command {
    let devices = devices(
        "Devices, one after the other: cpu, cuda:N, wgpu:N, or cuda:0+cuda:1 to spread processes \
         over several [default: cpu]",
    );
    let info = task.open_loop();
    let shared = flags_of_settings(&SETTINGS).into_iter().map(|flag| for_workers(flag, task));
    let command = data_flags(command, task)
        .args(shared)
        .arg(devices)
        .args(info.stage.into_iter().flat_map(stage_flags))
        .args(info.file.map(results_flag));
    with_conflicts_of_merging(StreamFlags::augment_args(command))
}

fn stream_request(matches: &ArgMatches) -> Result<StreamRequest, clap::Error> {
    let named = matches.subcommand().and_then(|(name, below)| Some((open_loop_task(name)?, below)));
    let first = || Some((*open_loop_tasks().first()?, matches));
    let Some((task, matches)) = named.or_else(first) else {
        return Err(clap::Error::new(ErrorKind::MissingSubcommand));
    };
    let info = task.open_loop();
    let source = source(task, matches);
    let results = info.file.and_then(|file| matches.get_one::<PathBuf>(file.flag).cloned());
    Ok(StreamRequest {
        task,
        measuring: MeasureRequest::new(task, source, settings_among(&SETTINGS, matches)),
        device_sets: device_sets(matches),
        stage: info.stage.and_then(|stage| stage_values(stage, matches)),
        results,
        flags: StreamFlags::from_arg_matches(matches)?,
    })
}
