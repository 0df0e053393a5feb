//! Files of defaults that are understood, and those that are not.

use std::ffi::OsString;

use super::super::super::{command, request};
use super::*;
use crate::cli::{Request, TaskRequest};
use crate::request::{HistoryAction, MeasureRequest, Source, SuiteRequest, Threads};

fn parsed(line: &str, file: &str) -> Request {
    let command = with_defaults(command(), "recobench.toml", file);
    let command = command.unwrap_or_else(|error| panic!("{error}"));
    let arguments = line.split(' ').map(OsString::from);
    let matches = command.try_get_matches_from(arguments);
    let matches = matches.unwrap_or_else(|error| panic!("{error}"));
    let request = request(&matches, Vec::new(), None);
    request.unwrap_or_else(|error| panic!("{error}"))
}

fn measured(line: &str, file: &str) -> MeasureRequest {
    match parsed(line, file) {
        Request::Task(TaskRequest::Measure(request)) => *request,
        _ => panic!("no measuring command: {line}"),
    }
}

fn suite(line: &str, file: &str) -> SuiteRequest {
    match parsed(line, file) {
        Request::RunSuite(request) => *request,
        _ => panic!("no suite: {line}"),
    }
}

fn refusal(file: &str) -> String {
    match with_defaults(command(), "recobench.toml", file) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("not refused: {file}"),
    }
}

#[test]
fn a_table_goes_before_the_top_and_flags_before_both() {
    let file = "threads = 1\nquiet = true\n[sort]\nthreads = [1, 2]\ndigis = \"2M\"\n";
    let sort = measured("bench sort", file);
    assert_eq!(sort.settings.thread_counts(), [1, 2].map(Threads::from));
    assert!(sort.session.output.quiet);
    let Source::Generated(axes) = &sort.source else {
        panic!("generated");
    };
    assert_eq!(axes.values("digis"), ["2000000"]);
    assert_eq!(measured("bench merge", file).settings.thread_counts(), [1].map(Threads::from));
    let given = measured("bench sort --threads 3", file);
    assert_eq!(given.settings.thread_counts(), [3].map(Threads::from));
}

#[test]
fn a_list_is_a_list_or_a_text_with_commas() {
    let file = "[sort]\nthreads = \"1, 2\"\ncache = [\"hot\", \"cold\"]\n";
    let sort = measured("bench sort", file);
    assert_eq!((sort.settings.thread_counts().len(), sort.settings.caches.len()), (2, 2));
}

#[test]
fn defaults_conflict_with_nothing() {
    let file = "[sort]\ndigis = \"2M\"\n";
    let sort = measured("bench sort --input digis.csv", file);
    assert!(matches!(sort.source, Source::File { .. }));
}

#[test]
fn a_value_that_only_some_commands_know_is_theirs() {
    let run = suite("bench run smoke", "format = \"csv=a.csv\"\nstore = \"s\"\n");
    assert_eq!(run.store, Some("s".into()));
    assert_eq!(run.output.format.files.len(), 1);
    let yaml = "format = [\"table\", \"yaml=a\"]\n";
    let refused = refusal(&format!("[run]\n{yaml}"));
    assert!(refused.contains("recobench.toml:2:1"), "{refused}");
}

#[test]
fn switches_are_on_or_off() {
    let charts = |file: &str| suite("bench run smoke", file).output.charts;
    assert!(charts("") && charts("no-charts = false\n"));
    assert!(!charts("no-charts = true\n"));
    let file = "[generate.sts-physics]\ntruth = true\n";
    match parsed("bench generate sts-physics --out d.csv", file) {
        Request::Generate(request) => assert_eq!(request.axes.values("truth"), ["yes"]),
        _ => panic!("nothing to generate"),
    }
}

#[test]
fn tables_of_commands_are_for_those_below_them() {
    let file = "[history]\nstore = \"a\"\n[history.changes]\nstore = \"b\"\n";
    let store = |line: &str| match parsed(line, file) {
        Request::History(request) => match request.action.expect("named") {
            HistoryAction::List(request) => request.runs.store.folder,
            HistoryAction::Changes(request) => request.runs.store.folder,
            _ => panic!("another action: {line}"),
        },
        _ => panic!("no history"),
    };
    assert_eq!(store("bench history list"), std::path::Path::new("a"));
    assert_eq!(store("bench history changes"), std::path::Path::new("b"));
}

#[test]
fn all_problems_are_reported_with_their_offset() {
    let refused = refusal(
        "quite = true\nconfig = \"x\"\n[srot]\nthreads = 1\n[sort]\n  threads = 0\n\
         digis = \"many\"\nquiet = [true, true]\norder = []\n",
    );
    for expected in [
        "recobench.toml:1:1: unknown flag \"quite\"; did you mean \"quiet\"?",
        "recobench.toml:2:1: unknown flag \"config\"",
        "recobench.toml:3:2: unknown command \"srot\"; did you mean \"sort\"?",
        "recobench.toml:6:3: invalid value '0' for '--threads",
        "recobench.toml:7:1: --digis \"many\": not a whole number",
        "recobench.toml:8:1: quiet takes one value, not a list",
        "recobench.toml:9:1: order needs at least one value",
    ] {
        assert!(refused.contains(expected), "{expected}\n{refused}");
    }
    let syntax = refusal("threads = \n");
    assert!(syntax.contains("recobench.toml:1:"), "{syntax}");
}

#[test]
fn values_in_a_file_are_checked_like_flags() {
    let file = "[sort]\nformat = [\"csv\", \"json\"]\n";
    let command = with_defaults(command(), "recobench.toml", file).expect("a command");
    let matches = command.try_get_matches_from(["bench", "sort"]);
    let matches = matches.expect("understood");
    assert!(request(&matches, Vec::new(), None).is_err());
}

fn added(line: &str, file: &str) -> String {
    let plain = command();
    let with_file = with_defaults(plain.clone(), "recobench.toml", file).expect("understood");
    let typed: Vec<OsString> = line.split(' ').map(OsString::from).collect();
    let matches = with_file.clone().try_get_matches_from(typed.iter().cloned());
    let matches = matches.expect("understood");
    applied(&plain, &with_file, &matches, &typed).join(" ")
}

#[test]
fn flags_from_a_file_can_be_typed() {
    let file = "threads = [1, 2]\nquiet = true\n[sort]\ndigis = \"2M\"\n";
    let flags = added("bench sort --segments 24", file);
    for flag in ["--threads=1,2", "--quiet", "--digis=2M"] {
        assert!(flags.split(' ').any(|word| word == flag), "{flag}: {flags}");
    }
    assert!(!added("bench sort --digis 1k", file).contains("--digis"));
    assert_eq!(added("bench merge", ""), "");
}

#[test]
fn defaults_that_contradict_what_was_typed_had_no_effect() {
    let file = "[sort]\ndigis = \"2M\"\nthreads = 1\n";
    assert_eq!(added("bench sort --input a.bin", file), "--threads=1");
}
