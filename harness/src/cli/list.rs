//! `bench list`: tasks with their variants and axes, or the suites.

use algorithms::registry::{task, tasks};
use clap::{Arg, ArgMatches, Command};

use super::examples;
use super::formats;
use super::given::many;
use super::measuring::{self, switch};
use crate::request::suggestion::instead_of;
use crate::request::{ListFormat, ListRequest, Listed};

/// Formats with the names that the flag gives them.
const FORMATS: [(&str, ListFormat); 2] = [("table", ListFormat::Table), ("json", ListFormat::Json)];

/// The subcommand.
pub(super) fn command() -> Command {
    let names = Arg::new("tasks")
        .value_name("TASK")
        .num_args(0..)
        .help("Only these tasks [default: all]");
    let suites = switch("suites")
        .conflicts_with("tasks")
        .help("The suites that come with the binary, for bench run");
    Command::new("list")
        .about("List tasks with their variants and axes, or the suites")
        .after_help(examples::LIST)
        .args([names, suites, formats::flag(&FORMATS)])
        .arg(measuring::plugin_flag())
}

/// What the flags mean.
///
/// # Errors
/// If a task is not known.
pub(super) fn request(matches: &ArgMatches) -> Result<ListRequest, String> {
    let what = if matches.get_flag("suites") {
        Listed::Suites
    } else {
        let names = many::<String>(matches, "tasks");
        let tasks = names
            .iter()
            .map(|name| task(name).ok_or_else(|| unknown(name)));
        Listed::Tasks(tasks.collect::<Result<_, _>>()?)
    };
    Ok(ListRequest {
        what,
        format: formats::outputs(matches, &FORMATS),
        plugins: measuring::plugins(matches),
    })
}

fn unknown(name: &str) -> String {
    let known: Vec<_> = tasks().iter().map(|task| task.name()).collect();
    format!("unknown task \"{name}\"; {}", instead_of(name, &known))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::super::parse;
    use super::*;
    use crate::request::Request;

    fn parsed(line: &str) -> Result<ListRequest, String> {
        match parse(line.split(' ').map(OsString::from)) {
            Ok(Request::List(request)) => Ok(request),
            Ok(_) => Err("no list".to_owned()),
            Err(answer) => Err(answer.text()),
        }
    }

    #[test]
    fn tasks_are_named_or_all() {
        let named = |line: &str| match parsed(line).expect("a list").what {
            Listed::Tasks(tasks) => tasks.iter().map(|task| task.name()).collect(),
            Listed::Suites => vec!["suites"],
        };
        assert!(named("bench list").is_empty());
        assert_eq!(named("bench list merge sort"), ["merge", "sort"]);
        assert_eq!(named("bench list --suites --format json"), ["suites"]);
    }

    #[test]
    fn an_unknown_task_gets_a_suggestion() {
        let refusal = parsed("bench list srot").err().expect("refused");
        assert!(refusal.contains("did you mean \"sort\"?"), "{refusal}");
        assert!(parsed("bench list sort --suites").is_err());
    }
}
