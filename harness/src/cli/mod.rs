//! Parsing of the command line.
//!
//! | module | holds |
//! |---|---|
//! | `arguments` | arguments before they are parsed |
//! | `subcommands` | all subcommands: [`Request`] |
//! | `groups` | the help of `bench`, with commands in groups |
//! | `measuring` | commands that measure: a task, `throughput`, `stream` |
//! | `untimed` | commands that time nothing: `process`, `generate`, `verify` |
//! | `data` | flags of a task's data, which need no code for a new axis, and of shared settings |
//! | `by_hand` | clap's traits where flags are known at run time |
//! | `formats` | `--format FORMAT[=FILE]` |
//! | `examples` | examples after the flags in the help |
//! | `config` | defaults of flags from a file |
//! | `answer` | help and errors, and `--color` |
//!
//! Other flags are declared in the requests that they fill: see [`crate::request`].

mod answer;
mod arguments;
mod by_hand;
mod config;
mod data;
mod examples;
mod formats;
mod groups;
mod measuring;
mod subcommands;
mod untimed;

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use anstream::ColorChoice;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};
use clap_complete::Shell;
use reports::program;

use crate::registry::{
    ReservedNames, check_command_line, data_sets, open_loop_tasks, published, tasks,
};
use crate::suite::built_in;
pub use answer::{Answer, color_choice};
use arguments::without_secrets;
pub use config::CommandEnvironment;
use config::DefaultsFile;
pub(crate) use config::with_defaults;
pub use measuring::TaskRequest;
pub use subcommands::Request;

/// Parses a command line, the program's name first, without any file of defaults.
///
/// # Errors
/// Help or an error message, to print instead.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, Answer> {
    parse_in(arguments, &CommandEnvironment::default()).map(|parsed| parsed.request)
}

/// Parsed command line.
pub struct Parsed {
    /// Request.
    pub request: Request,
    /// Choice of coloured output.
    pub color: ColorChoice,
    /// Notes on the file of defaults, for the user.
    pub notes: Vec<String>,
}

/// Parses a command line, the program's name first, with the defaults of a file.
///
/// # Errors
/// Help or an error message, to print instead.
pub fn parse_in(
    arguments: impl IntoIterator<Item = OsString>,
    environment: &CommandEnvironment,
) -> Result<Parsed, Answer> {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let mut typed: Vec<_> =
        arguments.iter().map(|argument| without_secrets(&argument.to_string_lossy())).collect();
    let arguments = arguments::join_negatives(arguments);
    let plain = plain_command();
    check_command_line(&plain, tasks())
        .map_err(|problem| Answer::new(senseless(format!("{problem}\n"))))?;
    let mut command = with_help(plain);
    let mut defaults = None;
    // Commands that `bench` starts itself get all values explicitly.
    let DefaultsFile { file, mut notes } = if is_hidden(&command, &arguments) {
        DefaultsFile::default()
    } else {
        environment.file(&arguments)
    };
    if let Some(path) = file {
        match config::read(command.clone(), &path) {
            Ok(with_defaults) => (command, defaults) = (with_defaults, Some(path)),
            // A damaged file must not block the help.
            Err(_) if asks_for_help(&arguments) => {}
            Err(problem) => {
                let problem = clap::Error::raw(ErrorKind::ValueValidation, problem + "\n");
                return Err(Answer::new(problem));
            }
        }
    }
    let parsed = command.clone().try_get_matches_from(arguments.iter().cloned());
    let matches =
        parsed.map_err(|error| Answer::with_help_of(error, &command_path(&command, &arguments)))?;
    notes.extend(defaults.as_deref().and_then(|file| config::note_on_plugins(&matches, file)));
    if defaults.is_some() {
        let added = config::applied(&self::command(), &command, &matches, &arguments);
        typed.extend(added.iter().map(|flag| without_secrets(flag)));
    }
    let request = request(&matches, typed, defaults).map_err(Answer::new)?;
    Ok(Parsed { request, color: answer::color_from_matches(&matches), notes })
}

/// The plugins on a command line that is not parsed yet, and those of its file of defaults.
pub(crate) fn plugins(arguments: &[OsString], environment: &CommandEnvironment) -> Vec<PathBuf> {
    let typed = arguments::values(arguments, "--plugin");
    if !typed.is_empty() {
        return typed.into_iter().map(PathBuf::from).collect();
    }
    environment.file(arguments).file.map_or_else(Vec::new, |file| config::plugins(&file))
}

/// Returns the names of the command and subcommands on a command line.
fn command_path(command: &Command, arguments: &[OsString]) -> String {
    let mut path = program::name().to_owned();
    let mut command = command;
    for argument in arguments.iter().skip(1).filter_map(|argument| argument.to_str()) {
        let Some(below) = command.find_subcommand(argument) else { continue };
        command = below;
        path = format!("{path} {argument}");
    }
    path
}

fn is_hidden(command: &Command, arguments: &[OsString]) -> bool {
    let name = arguments.get(1).and_then(|name| name.to_str());
    let below = name.and_then(|name| command.find_subcommand(name));
    below.is_some_and(Command::is_hide_set)
}

fn asks_for_help(arguments: &[OsString]) -> bool {
    const HELP: [&str; 5] = ["--help", "-h", "help", "--version", "-V"];
    let mut texts = arguments.iter().filter_map(|argument| argument.to_str());
    texts.any(|text| HELP.contains(&text))
}

/// Returns the command `bench`: all subcommands with their flags.
pub fn command() -> Command {
    with_help(plain_command())
}

/// Returns the names that tasks of plugins can't have.
pub(crate) fn reserved_names() -> ReservedNames {
    ReservedNames::new(&plain_command(), tasks())
}

/// All subcommands with their flags, without examples.
fn plain_command() -> Command {
    let command = Command::new(program::name())
        .styles(answer::STYLES)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args([answer::color_flag(), config::flag()]);
    Request::augment_subcommands(command)
        .version(version())
        .about("The performance lab for online reconstruction in particle physics")
}

/// The version of recobench, which is named where the program is another one.
fn version() -> &'static str {
    match program::name() {
        "bench" => env!("CARGO_PKG_VERSION"),
        _ => concat!("(recobench ", env!("CARGO_PKG_VERSION"), ")"),
    }
}

/// Adds examples, and groups of commands without those that have no tasks or data here.
fn with_help(command: Command) -> Command {
    let command = command.mut_subcommands(|below| {
        let is_hidden = below.is_hide_set() || !is_of_use(below.get_name());
        below.hide(is_hidden)
    });
    let names = command.get_subcommands().map(|below| below.get_name().to_owned());
    let names = names.collect();
    groups::with_grouped_help(with_examples(command, "", &names))
}

/// False for a command without any task, data set or suite that it is about.
fn is_of_use(command: &str) -> bool {
    match command {
        "stream" => !open_loop_tasks().is_empty(),
        "generate" => !data_sets().is_empty(),
        "process" => tasks().iter().any(|task| task.output_files().is_some()),
        "reproduce" => published().is_some(),
        _ => true,
    }
}

/// Returns the completion script of a shell.
pub(crate) fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), program::name(), &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Writes a manual page for `bench` and for each subcommand. Returns the number of pages.
pub(crate) fn write_manual(folder: &Path) -> io::Result<usize> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(command(), folder)?;
    Ok(std::fs::read_dir(folder)?.count())
}

/// Adds the names of suites, and examples, which only the long help shows.
fn with_examples(command: Command, path: &str, names: &HashSet<String>) -> Command {
    let command = match path {
        "run" => command.mut_arg("suite", |suite| suite.help(suite_help())),
        _ => command,
    };
    let command = match examples::for_command(path, names) {
        // The help of `bench` is one screen; its examples are in the manual page.
        Some(examples) if path.is_empty() => command.after_help(examples),
        Some(examples) => command.after_long_help(examples),
        None => command,
    };
    command.mut_subcommands(|below| {
        let path = format!("{path} {}", below.get_name());
        with_examples(below, path.trim_start(), names)
    })
}

fn suite_help() -> String {
    let file = "A suite as a TOML file".to_owned();
    match built_in::names().join(", ") {
        none if none.is_empty() => file,
        names => file + ", or a built-in one: " + &names,
    }
}

fn request(
    matches: &ArgMatches,
    typed: Vec<String>,
    defaults: Option<PathBuf>,
) -> Result<Request, clap::Error> {
    let usage = |error| usage(matches, error);
    let mut request = Request::from_arg_matches(matches).map_err(usage)?;
    let completed = request.complete(typed, defaults);
    completed.map_err(|problem| usage(senseless(problem)))?;
    if let (Request::Compare(request), Some((_, matches))) = (&mut request, matches.subcommand()) {
        request.given = given(matches);
    }
    Ok(request)
}

/// Flags of a comparison with a value that advice repeats if they were given.
const REPEATED: [&str; 11] = [
    "store",
    "min_effect",
    "resolution",
    "significance",
    "false_discovery",
    "quality_drop",
    "fail_on",
    "task",
    "variant",
    "axis",
    "base_bench",
];

/// See [`CompareRequest::given`](crate::request::CompareRequest::given).
fn given(matches: &ArgMatches) -> Vec<String> {
    let is_given = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let mut words = Vec::new();
    for id in REPEATED.into_iter().filter(is_given) {
        let flag = format!("--{}", id.replace('_', "-"));
        for value in matches.get_raw(id).into_iter().flatten() {
            words.extend([flag.clone(), value.to_string_lossy().into_owned()]);
        }
    }
    if matches.get_flag("across_machines") {
        words.push("--across-machines".to_owned());
    }
    words
}

/// Creates the error of flags that contradict each other.
fn senseless(problem: impl Into<String>) -> clap::Error {
    clap::Error::raw(ErrorKind::ValueValidation, problem.into())
}

/// Creates a usage error in the parser's format, which names the command to ask for help.
fn usage(matches: &ArgMatches, error: clap::Error) -> clap::Error {
    let text = answer::with_values_shown(error).to_string();
    let problem = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
    let mut name = program::name().to_owned();
    let mut below = matches.subcommand();
    while let Some((subcommand, matches)) = below {
        name = format!("{name} {subcommand}");
        below = matches.subcommand();
    }
    let text = format!("{problem}\n\nFor more information, try '{name} --help'.\n");
    clap::Error::raw(ErrorKind::ValueValidation, text)
}

#[cfg(test)]
mod tests;
