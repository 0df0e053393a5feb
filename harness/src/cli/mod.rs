//! What was typed, and what it means.
//!
//! Flags are parsed into a [`Request`], which holds values rather than texts.
//! The flags of a task come from its list of axes: a new axis needs no line
//! here.

mod axes;
mod compare;
mod examples;
mod history;
mod measuring;
mod report;
mod selftest;
mod suite;
pub(crate) mod values;
mod verify;

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use algorithms::registry::{task, tasks};
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use crate::failure::Exit;

pub use axes::AxisValues;
pub use compare::{CompareRequest, DEFAULT_STORE};
pub use history::{HistoryAction, HistoryRequest};
pub use measuring::{CacheMode, MeasureRequest, Source};
pub use report::{ReportFormat, ReportRequest};
pub use selftest::SelfTestRequest;
pub use suite::SuiteRequest;
pub use values::SampleRange;
pub use verify::VerifyRequest;

/// What is to be done.
pub enum Request {
    /// `bench list`
    List {
        /// As JSON rather than as a table.
        json: bool,
    },
    /// `bench devices`
    Devices {
        /// Measure the ceilings too.
        measure: bool,
    },
    /// `bench sort` and the like
    Measure(Box<MeasureRequest>),
    /// `bench run`
    RunSuite(Box<SuiteRequest>),
    /// `bench compare`
    Compare(Box<CompareRequest>),
    /// `bench selftest`
    SelfTest(Box<SelfTestRequest>),
    /// `bench verify`
    Verify(Box<VerifyRequest>),
    /// `bench generate sts`
    Generate {
        /// The axes with a value each.
        axes: AxisValues,
        /// The seed.
        seed: u64,
        /// The file.
        out: PathBuf,
    },
    /// `bench history`
    History(HistoryRequest),
    /// `bench report`
    Report(ReportRequest),
    /// `bench completions`
    Completions {
        /// The shell.
        shell: Shell,
    },
}

/// What the parser has to say instead of a request: help, or an error.
pub struct Answer(clap::Error);

impl Answer {
    /// Prints it; the exit code is that of a usage error, or of success if
    /// help was asked for.
    pub fn print(self) -> ExitCode {
        let text = self.0.render();
        let asked = matches!(
            self.0.kind(),
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
        );
        // A reader that has left is no failure.
        if asked {
            let _ = write!(std::io::stdout(), "{text}");
            Exit::Success.into()
        } else {
            let _ = write!(std::io::stderr(), "{text}");
            Exit::Usage.into()
        }
    }
}

/// Parses a command line, the program's name first.
///
/// # Errors
/// What to print instead.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, Answer> {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let typed: Vec<_> = arguments
        .iter()
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let matches = command().try_get_matches_from(arguments).map_err(Answer)?;
    request(&matches, typed).map_err(Answer)
}

/// The whole command line: all subcommands with their flags.
pub fn command() -> Command {
    Command::new("bench")
        .version(env!("CARGO_PKG_VERSION"))
        .about("The performance lab for online reconstruction in heavy-ion experiments")
        .after_help(examples::TOP)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(list())
        .subcommand(devices())
        .subcommands(tasks().iter().map(|task| measuring::command(*task)))
        .subcommand(suite::command())
        .subcommand(compare::command())
        .subcommand(selftest::command())
        .subcommand(verify::command())
        .subcommand(generate())
        .subcommand(history::command())
        .subcommand(report::command())
        .subcommand(completions())
}

fn list() -> Command {
    let formats = PossibleValuesParser::new(["table", "json"]);
    Command::new("list")
        .about("List every task with its variants and axes")
        .arg(
            Arg::new("format")
                .long("format")
                .value_parser(formats)
                .default_value("table")
                .help("How to write the list"),
        )
}

fn devices() -> Command {
    Command::new("devices")
        .about("Show the CPUs and GPUs of this machine")
        .arg(
            Arg::new("measure")
                .long("measure")
                .action(ArgAction::SetTrue)
                .help("Measure copy and triad bandwidth too"),
        )
}

fn generate() -> Command {
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
fn digi_axes() -> &'static [algorithms::axis::Axis] {
    task("sort").map_or(&[], |task| task.axes())
}

fn completions() -> Command {
    Command::new("completions")
        .about("Print completions for a shell")
        .after_help(examples::COMPLETIONS)
        .arg(
            Arg::new("shell")
                .required(true)
                .value_parser(value_parser!(Shell)),
        )
}

fn request(matches: &ArgMatches, typed: Vec<String>) -> Result<Request, clap::Error> {
    let Some((name, matches)) = matches.subcommand() else {
        return Err(command().error(ErrorKind::MissingSubcommand, "a subcommand is needed"));
    };
    Ok(match name {
        "list" => Request::List {
            json: text(matches, "format") == "json",
        },
        "devices" => Request::Devices {
            measure: matches.get_flag("measure"),
        },
        "compare" => Request::Compare(Box::new(compare::request(matches))),
        "selftest" => Request::SelfTest(Box::new(selftest::request(matches, typed))),
        "run" => Request::RunSuite(Box::new(suite::request(matches, typed))),
        "verify" => Request::Verify(Box::new(verify::request(matches))),
        "generate" => generate_request(matches)?,
        "history" => Request::History(history::request(matches)),
        "report" => {
            let request = report::request(matches);
            Request::Report(request.map_err(|error| usage(name, &error))?)
        }
        "completions" => Request::Completions {
            shell: matches.get_one("shell").copied().unwrap_or(Shell::Bash),
        },
        name => match task(name) {
            Some(task) => {
                let request = measuring::request(task, matches, typed);
                Request::Measure(Box::new(request.map_err(|error| usage(name, &error))?))
            }
            None => return Err(usage(name, "unknown subcommand")),
        },
    })
}

fn generate_request(matches: &ArgMatches) -> Result<Request, clap::Error> {
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

fn text(matches: &ArgMatches, name: &str) -> String {
    matches.get_one::<String>(name).cloned().unwrap_or_default()
}

/// A usage error in the form of the parser's own.
fn usage(subcommand: &str, problem: &str) -> clap::Error {
    let mut command = command();
    let hint = format!("{problem}\n\nFor more, try 'bench {subcommand} --help'.");
    command.error(ErrorKind::ValueValidation, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Request, Answer> {
        parse(line.split(' ').map(OsString::from))
    }

    fn refusal(line: &str) -> String {
        match parsed(line) {
            Ok(_) => panic!("accepted: {line}"),
            Err(answer) => answer.0.render().to_string(),
        }
    }

    #[test]
    fn the_command_tree_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn a_typo_gets_a_suggestion() {
        assert!(refusal("bench srot").contains("'sort'"));
        assert!(refusal("bench sort --segmets 24").contains("'--segments'"));
        assert!(refusal("bench list --format jsn").contains("'json'"));
    }

    #[test]
    fn every_subcommand_has_help() {
        for command in command().get_subcommands() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for argument in command.get_arguments() {
                let has_help = argument.get_help().is_some() || argument.is_positional();
                assert!(has_help, "{} {}", command.get_name(), argument.get_id());
            }
        }
    }

    #[test]
    fn values_are_parsed_into_plain_ones() {
        let line = "bench sort --segments 24,1792 --digis 2M --order random,time --threads 1,2";
        let Ok(Request::Measure(request)) = parsed(line) else {
            panic!("not a request");
        };
        assert_eq!(request.threads, [1, 2]);
        let Source::Generated(axes) = &request.source else {
            panic!("not generated");
        };
        assert_eq!(axes.values("segments"), ["24", "1792"]);
        assert_eq!(axes.values("digis"), ["2000000"]);
        assert_eq!(axes.values("order"), ["random", "time"]);
    }

    #[test]
    fn values_of_an_axis_are_taken_once() {
        let Ok(Request::Measure(request)) = parsed("bench sort --digis 2M,2000k,1M --threads 2,2")
        else {
            panic!("not a request");
        };
        let Source::Generated(axes) = &request.source else {
            panic!("not generated");
        };
        assert_eq!(axes.values("digis"), ["2000000", "1000000"]);
        assert_eq!(request.threads, [2]);
    }

    #[test]
    fn senseless_values_are_refused_with_their_flag() {
        for (flags, expected) in [
            ("--digis many", "--digis \"many\": not a whole number"),
            ("--rate NaN", "--rate \"NaN\""),
            ("--rate=-1kHz", "--rate \"-1kHz\""),
            (
                "--order sideways",
                "unknown order \"sideways\"; there are random, time",
            ),
            ("--threads 0", "--threads"),
            ("--samples 0", "--samples"),
            ("--samples 20..10", "--samples"),
            ("--max-time never", "--max-time"),
            ("--device gpu", "there are cpu, cuda:N and emulator"),
            ("--precision 0", "--precision"),
            ("--input a.csv --digis 5", "--digis"),
        ] {
            let refusal = refusal(&format!("bench sort {flags}"));
            assert!(refusal.contains(expected), "{flags}: {refusal}");
        }
    }

    #[test]
    fn the_ending_of_a_report_is_its_format() {
        let format = |line: &str| match parsed(line) {
            Ok(Request::Report(request)) => request.format,
            _ => panic!("no report: {line}"),
        };
        assert_eq!(format("bench report a"), ReportFormat::Html);
        assert_eq!(format("bench report a --out b.md"), ReportFormat::Markdown);
        let given = "bench report a --out b.txt --format markdown";
        assert_eq!(format(given), ReportFormat::Markdown);
        assert!(refusal("bench report a --out b.txt").contains("add --format"));
        assert!(refusal("bench report").contains("<RUN>"));
    }
}
