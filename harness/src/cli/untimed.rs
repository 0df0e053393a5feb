//! Commands that time nothing: flags of `bench process TASK`, of tasks with the same effect, of
//! `bench generate`, and of input files of `bench verify`.

use std::path::PathBuf;

use crate::registry::{data_set, data_sets};
use crate::registry::{task, tasks};
use clap::builder::PathBufValueParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use tasks::algorithm::{OutputAlias, OutputFiles, VariantChoice};
use tasks::axis::{Axis, Kind, NO, YES};
use tasks::data_set::DataSet;
use tasks::task::Task;

use super::by_hand::{flags_at_run_time, subcommands_by_name};
use super::data::{self, data_flags, flags_of_settings, settings_among, source};
use crate::request::{
    FileOptions, GenerateRequest, MeasureRequest, OutputPath, OutputRequest, ProcessRequest, values,
};

/// Settings of measuring commands that matter here.
const SETTINGS: [&str; 6] = ["seed", "variants", "plugins", "devices", "threads", "checked"];
/// The flag of the main file.
const OUT: &str = "out";
const QUIET: &str = "quiet";

fn aliases_of(task: &dyn Task) -> &'static [OutputAlias] {
    task.output_files().map_or(&[], |files| files.aliases)
}

/// Adds the flags that make the command of a task write its output.
pub(super) fn with_aliases(command: Command, task: &dyn Task) -> Command {
    command.args(aliases_of(task).iter().map(|alias| path(alias.flag).help(alias.help)))
}

/// The files that the flags of a task's command ask for; `None` if it is to measure.
pub(super) fn asked(
    matches: &ArgMatches,
    task: &dyn Task,
) -> Result<Option<OutputRequest>, clap::Error> {
    let given = aliases_of(task).iter().filter_map(|alias| {
        let path = matches.get_one::<PathBuf>(alias.flag)?;
        Some((alias, OutputPath { file: alias.file, path: path.clone() }))
    });
    let (aliases, files): (Vec<&OutputAlias>, Vec<OutputPath>) = given.unzip();
    let Some(first) = aliases.first() else { return Ok(file_of_out(matches, task)) };
    for (alias, output) in aliases.iter().zip(&files) {
        (alias.check)(&output.path).map_err(|problem| process_usage(problem.to_string()))?;
    }
    let flags: Vec<_> = aliases.iter().map(|alias| format!("--{}", alias.flag)).collect();
    Ok(Some(OutputRequest { files, choice: first.choice, flags: flags.join(" and ") }))
}

/// The file that `--out` names, where a task has files that are not tables.
fn file_of_out(matches: &ArgMatches, task: &dyn Task) -> Option<OutputRequest> {
    let format = task.output_files()?.format;
    let path = matches.try_get_one::<PathBuf>("out").ok()??;
    (format.is_file)(path).then(|| OutputRequest {
        files: vec![OutputPath { file: 0, path: path.clone() }],
        choice: VariantChoice::One,
        flags: "--out".to_owned(),
    })
}

fn process_usage(problem: String) -> clap::Error {
    clap::Error::raw(ErrorKind::ValueValidation, problem + "\n")
}

fn path(flag: impl Into<String>) -> Arg {
    let flag = flag.into();
    Arg::new(flag.clone())
        .long(flag)
        .value_name("FILE")
        .value_parser(PathBufValueParser::new())
        .help_heading("Output")
}

fn process_command(task: &'static dyn Task) -> Command {
    let command = Command::new(task.name());
    let Some(files) = task.output_files() else {
        // Takes all flags, so that the refusal is about the task.
        let rest = Arg::new("rest").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true);
        return command.hide(true).arg(rest);
    };
    let settings = flags_of_settings(&SETTINGS).into_iter();
    let settings = settings.map(|flag| with_help(flag, files));
    let mut outputs = files.items.iter().map(|item| format!("{item}s"));
    let main = outputs.next().unwrap_or_default();
    let endings = files.format.endings;
    let out = path(OUT).required(true).help(format!("File of the {main} ({endings})"));
    let others = outputs.map(|items| path(items.clone()).help(format!("File of the {items}, too")));
    let quiet = Arg::new(QUIET).long(QUIET).short('q').action(ArgAction::SetTrue);
    data_flags(command, task)
        .args(settings)
        .arg(out)
        .args(others)
        .arg(quiet.help("Hide remarks").help_heading("Output"))
        .about(format!("Write the {main} of one variant: {}", task.info().summary))
}

/// Adapts the help of a setting to one variant on one device.
fn with_help(flag: Arg, files: OutputFiles) -> Arg {
    let OutputFiles { on_cpu, on_gpu, .. } = files;
    match flag.get_id().as_str() {
        "variants" => flag.help(format!("Variant [default: {on_cpu}, on a GPU {on_gpu}]")),
        "devices" => flag.help("Device: cpu, cuda:N, hip:N, wgpu:N, emulator [default: cpu]"),
        "threads" => flag.help("Threads: N or all [default: all CPUs]"),
        _ => flag,
    }
}

subcommands_by_name!(ProcessRequest, tasks, task, process_command, process_request);

fn process_request(
    task: &'static dyn Task,
    matches: &ArgMatches,
) -> Result<ProcessRequest, clap::Error> {
    let Some(files) = task.output_files() else {
        return Err(process_usage(refusal(task.name())));
    };
    let mut measuring =
        MeasureRequest::new(task, source(task, matches), settings_among(&SETTINGS, matches));
    measuring.session.output.quiet = matches.get_flag(QUIET);
    let flags = (0..).zip(files.items).map(|(file, item)| match file {
        0 => (file, OUT.to_owned()),
        _ => (file, format!("{item}s")),
    });
    let files = flags.filter_map(|(file, flag)| {
        let path = matches.get_one::<PathBuf>(&flag)?.clone();
        Some(OutputPath { file, path })
    });
    let outputs = OutputRequest {
        files: files.collect(),
        choice: VariantChoice::One,
        flags: format!("--{OUT}"),
    };
    Ok(ProcessRequest { measuring, outputs })
}

fn refusal(name: &str) -> String {
    let known = tasks().iter().filter(|task| task.output_files().is_some());
    let known: Vec<_> = known.map(|task| task.name()).collect();
    match known.join(", ") {
        none if none.is_empty() => format!("the output of {name} is not written to files"),
        known => format!("the output of {name} is not written to files; that of {known} is"),
    }
}

/// Flags common to all data sets.
#[derive(Args)]
struct WritingFlags {
    /// Seed of the generated data.
    #[arg(long, value_name = "N", value_parser = values::seed, default_value = "1")]
    seed: u64,
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new())]
    out: PathBuf,
}

fn generate_command(data: &'static dyn DataSet) -> Command {
    let info = data.info();
    let flags = data.axes().into_iter().map(data_set_flag);
    let command = Command::new(info.name).args(flags);
    WritingFlags::augment_args(command)
        .mut_arg("out", |out| out.help(format!("Output file: {}", info.endings)))
        .about(info.summary)
}

/// A data set is generated once: a switch is on or off, and needs no value.
fn data_set_flag(axis: &'static Axis) -> Arg {
    if axis.kind != Kind::Switch {
        return data::axis_flag(axis, false);
    }
    Arg::new(axis.name)
        .long(axis.name)
        .help(axis.help)
        .help_heading("Data")
        .action(ArgAction::SetTrue)
        .value_parser(values::switch(NO.to_owned(), YES.to_owned()))
}

subcommands_by_name!(GenerateRequest, data_sets, data_set, generate_command, generate_request);

fn generate_request(
    data: &'static dyn DataSet,
    matches: &ArgMatches,
) -> Result<GenerateRequest, clap::Error> {
    let flags = WritingFlags::from_arg_matches(matches)?;
    Ok(GenerateRequest {
        data,
        axes: data::generated_axes(data.axes(), matches),
        seed: flags.seed,
        out: flags.out,
    })
}

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

fn file_axis_flag(axis: &'static Axis) -> Arg {
    let flag = data::axis_flag(axis, false).requires("input");
    flag.help_heading("Inputs from files")
}

flags_at_run_time!(FileOptions, with_file_options, file_options);

fn with_file_options(command: Command) -> Command {
    command.args(reading().into_iter().map(file_axis_flag))
}

fn file_options(matches: &ArgMatches) -> Result<FileOptions, clap::Error> {
    Ok(FileOptions(data::axis_values(reading(), matches)))
}
