//! Flags of a task's data: its axes, if they are generated, or files to read; and those settings of
//! measuring commands that other commands have, too.

use std::ffi::OsStr;
use std::fmt::Display;
use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, ValueHint, value_parser};
use tasks::algorithm::InputFiles;
use tasks::axis::{Axis, Kind, YES};
use tasks::task::Task;

use crate::request::values::{self, each_once};
use crate::request::{AxisValues, DamagePolicy, Settings, Source, as_tried, typed_default};

/// The flag that refuses damaged files.
const STRICT: &str = "strict";

/// Adds the flags of a task's data.
pub(super) fn data_flags(command: Command, task: &'static dyn Task) -> Command {
    command
        .args(task.axes().iter().map(|axis| axis_flag(axis, true)))
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
        .hide(endings.is_empty())
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
    of_files.map(|axis| axis_flag(axis, false).requires("input"))
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
            options: axis_values(task.file_axes(), matches),
            damage: matches.get_one(STRICT).copied().unwrap_or(DamagePolicy::LeaveOut),
        },
        None => Source::Generated(generated_axes(task.axes(), matches)),
    }
}

/// The flag of an axis; `many` for a list of values.
pub(super) fn axis_flag(axis: &'static Axis, many: bool) -> Arg {
    let default = typed_default(axis);
    let default = default.map_or(String::new(), |value| format!(" [default: {value}]"));
    let flag = Arg::new(axis.name)
        .allow_negative_numbers(true)
        .long(axis.name)
        .value_name(axis.value_name)
        .value_parser(AxisParser(axis))
        .help(format!("{}{default}", axis.help))
        .help_heading("Data");
    let flag = match axis.kind {
        Kind::Switch => flag.num_args(0..=1).require_equals(true).default_missing_value(YES),
        Kind::Path => flag.value_hint(ValueHint::AnyPath),
        _ => flag,
    };
    if many { flag.value_delimiter(',').action(ArgAction::Append) } else { flag }
}

/// The values given for the axes, each once.
pub(super) fn axis_values(
    axes: impl IntoIterator<Item = &'static Axis>,
    matches: &ArgMatches,
) -> AxisValues {
    let given = |axis: &'static Axis| {
        let plain = matches.get_many(axis.name)?.cloned();
        let mut values: Vec<String> = plain.map(|plain| as_tried(axis, plain)).collect();
        each_once(&mut values);
        Some((axis.name, values))
    };
    AxisValues::new(axes.into_iter().filter_map(given).collect())
}

/// Returns the values of generated data.
pub(super) fn generated_axes(
    axes: impl IntoIterator<Item = &'static Axis> + Clone,
    matches: &ArgMatches,
) -> AxisValues {
    axis_values(axes.clone(), matches).to_generate(axes)
}

/// Takes the values of an axis, in plain form.
#[derive(Clone)]
struct AxisParser(&'static Axis);

impl TypedValueParser for AxisParser {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let invalid =
            |problem: &dyn Display| command.clone().error(ErrorKind::ValueValidation, problem);
        let not_utf8 = "the value is not UTF-8; rename the file";
        let text = value.to_str().ok_or_else(|| invalid(&not_utf8))?;
        self.0.parse(text).map_err(|error| invalid(&error))
    }
}

/// The flags of the settings with these ids.
pub(super) fn flags_of_settings(ids: &[&str]) -> Vec<Arg> {
    let all = Settings::augment_args(Command::new("bench"));
    all.get_arguments().filter(|flag| ids.contains(&flag.get_id().as_str())).cloned().collect()
}

/// The values of the settings with these ids; the others have their defaults.
pub(super) fn settings_among(ids: &[&str], matches: &ArgMatches) -> Settings {
    let given = SettingValues { ids, matches };
    let defaults = Settings::default();
    Settings {
        seed: given.all("seed").pop().unwrap_or(defaults.seed),
        variants: given.all("variants"),
        plugins: given.all("plugins"),
        devices: given.all("devices"),
        threads: given.all("threads"),
        cpu_sets: given.all("places"),
        binds: given.all("binds"),
        checked: given.all("checked").pop().unwrap_or(defaults.checked),
        ..defaults
    }
}

/// Values of flags, among those with these ids.
struct SettingValues<'m> {
    ids: &'m [&'m str],
    matches: &'m ArgMatches,
}

impl SettingValues<'_> {
    fn all<T: Clone + Send + Sync + 'static>(&self, id: &str) -> Vec<T> {
        if !self.ids.contains(&id) {
            return Vec::new();
        }
        self.matches.get_many(id).into_iter().flatten().cloned().collect()
    }
}
