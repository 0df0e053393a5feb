//! Command lines that are understood, and those that are not.

mod advice;
mod stored_runs;

use std::path::PathBuf;
use std::time::Duration;

use reports::record::Shard;
use reports::table::Format;

use super::*;
use crate::cli::Request;
use crate::request::{
    DEFAULT_STORE, MeasureRequest, ReportFormat, ReproduceRequest, Source, SuiteRequest, Threads,
};

fn measured(line: &str) -> MeasureRequest {
    match parsed(line) {
        Ok(Request::Task(TaskRequest::Measure(request))) => *request,
        _ => panic!("no measuring command: {line}"),
    }
}

fn parsed(line: &str) -> Result<Request, Answer> {
    parse(line.split(' ').map(OsString::from))
}

fn refusal(line: &str) -> String {
    match parsed(line) {
        Ok(_) => panic!("accepted: {line}"),
        Err(answer) => answer.text(),
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
fn a_folder_for_ceilings_needs_ceilings() {
    assert!(refusal("bench devices --out d").contains("--measure"));
    let Ok(Request::Devices(request)) = parsed("bench devices --measure --out d --format json")
    else {
        panic!("refused");
    };
    assert!(request.measure && request.out.is_some());
    assert_eq!(request.format.stdout, Format::Json);
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
    let request = measured(line);
    assert_eq!(request.settings.thread_counts(), [1, 2].map(Threads::from));
    let Source::Generated(axes) = &request.source else {
        panic!("not generated");
    };
    assert_eq!(axes.values("segments"), ["24", "1792"]);
    assert_eq!(axes.values("digis"), ["2000000"]);
    assert_eq!(axes.values("order"), ["random", "time"]);
}

#[test]
fn values_of_an_axis_are_taken_once() {
    let request = measured("bench sort --digis 2M,2000k,1M --threads 2,2");
    let Source::Generated(axes) = &request.source else {
        panic!("not generated");
    };
    assert_eq!(axes.values("digis"), ["2000000", "1000000"]);
    assert_eq!(request.settings.thread_counts(), [2].map(Threads::from));
}

#[test]
fn senseless_values_are_refused_with_their_flag() {
    for (flags, expected) in [
        ("--digis many", "--digis \"many\": not a whole number"),
        ("--rate NaN", "--rate \"NaN\""),
        ("--rate=-1kHz", "--rate \"-1kHz\""),
        ("--order sideways", "unknown order \"sideways\"; there are random, time"),
        ("--threads 0", "--threads"),
        ("--samples 0", "--samples"),
        ("--samples 20..10", "--samples"),
        ("--max-time never", "--max-time"),
        ("--device gpu", "there are cpu, cuda:N, hip:N, wgpu:N, wgpu:N+checked and emulator"),
        ("--precision 0", "--precision"),
        ("--input a.csv --digis 5", "--digis"),
    ] {
        let refusal = refusal(&format!("bench sort {flags}"));
        assert!(refusal.contains(expected), "{flags}: {refusal}");
    }
}

#[test]
fn refusals_name_the_command_whose_help_to_ask_for() {
    for (line, command) in [
        ("bench --max-time 1s", "bench"),
        ("bench sort --max-time never", "bench sort"),
        ("bench throughput sort --streams 2x2", "bench throughput sort"),
        ("bench history prune --keep x", "bench history prune"),
        ("bench export a --format parquet", "bench export"),
    ] {
        let refusal = refusal(line);
        let hint = format!("\n\nFor more information, try '{command} --help'.\n");
        assert!(refusal.ends_with(&hint), "{refusal}");
        assert_eq!(refusal.matches("For more").count(), 1, "{refusal}");
    }
}

#[test]
fn command_lines_that_make_no_sense_are_refused() {
    for line in [
        "compare a",
        "compare a b --significance 2",
        "compare a b --base-bench old",
        "compare a b --confirm-time 5m",
        "compare a b --confirm --confirm-time soon",
        "compare a b --format html",
        "compare a b --axis segments",
        "compare a b --variant [",
        "compare a b --fail-on faster",
        "export",
        "export a",
        "export a --out x.txt",
        "export a --all --format csv",
        "export a --format parquet",
        "export a --format xml",
        "history changes --significance 0.002",
        "history changes --significance 1",
        "list sort --suites",
        "reproduce --run a --budget 5m",
        "run",
        "run smoke --merge a b --shard 1/2",
        "run smoke --shard 3/2",
        "run smoke --budget soon",
    ] {
        assert!(parsed(&format!("bench {line}")).is_err(), "{line}");
    }
}

#[test]
fn a_switch_of_a_data_set_needs_no_value() {
    let truth = |line: &str| match parsed(line) {
        Ok(Request::Generate(request)) => request.axes.values("truth").to_vec(),
        _ => panic!("nothing to generate: {line}"),
    };
    let line = "bench generate sts-physics --out d.csv";
    assert_eq!(truth(line), ["no"]);
    assert_eq!(truth(&format!("{line} --truth")), ["yes"]);
    assert!(truth("bench generate tracks --out t.bin").is_empty());
}

#[test]
fn the_ending_of_a_report_is_its_format() {
    let format = |line: &str| match parsed(line) {
        Ok(Request::Report(request)) => request.format().expect("checked"),
        _ => panic!("no report: {line}"),
    };
    assert_eq!(format("bench report a"), ReportFormat::Html);
    assert_eq!(format("bench report a --out b.md"), ReportFormat::Markdown);
    let given = "bench report a --out b.txt --format markdown";
    assert_eq!(format(given), ReportFormat::Markdown);
    assert!(refusal("bench report a --out b.txt").contains("add --format"));
    assert!(refusal("bench report").contains("<RUN>"));
}

fn suite_request(line: &str) -> Option<SuiteRequest> {
    match parsed(line) {
        Ok(Request::RunSuite(request)) => Some(*request),
        _ => None,
    }
}

#[test]
fn flags_become_values() {
    let line = "bench run s.toml --budget 30m --shard 2/4 --store hist --fresh --no-charts -q";
    let request = suite_request(line).expect("a request");
    assert_eq!(request.suite, PathBuf::from("s.toml"));
    assert_eq!(request.budget, Some(Duration::from_secs(1800)));
    assert_eq!(request.shard, Some(Shard { number: 2, of: 4 }));
    assert_eq!(request.store, Some(PathBuf::from("hist")));
    assert!(request.fresh && request.output.quiet && !request.output.charts && !request.dry_run);
    assert_eq!(request.command.len(), 12);
}

#[test]
fn runs_of_suites_are_saved_by_default_and_shards_on_request() {
    let default = Some(PathBuf::from(DEFAULT_STORE));
    for (flags, store) in [
        ("", default.clone()),
        ("--save", default.clone()),
        ("--no-save", None),
        ("--no-store", None),
        ("--shard 1/2", None),
        ("--shard 1/2 --save", default),
        ("--shard 1/2 --store s", Some(PathBuf::from("s"))),
    ] {
        let line = format!("bench run smoke {flags}");
        let request = suite_request(line.trim_end()).expect("a request");
        assert_eq!(request.store, store, "{flags}");
    }
    for flags in ["--save --no-save", "--store s --no-store"] {
        assert!(suite_request(&format!("bench run smoke {flags}")).is_none(), "{flags}");
    }
}

#[test]
fn runs_of_tasks_are_saved_on_request() {
    for (flags, store) in [
        ("-q", None),
        ("--save", Some(DEFAULT_STORE)),
        ("--store s", Some("s")),
        ("--store s --save", Some("s")),
        ("--store s --no-save", None),
    ] {
        let request = measured(&format!("bench sort {flags}"));
        assert_eq!(request.session.store, store.map(PathBuf::from), "{flags}");
    }
    assert!(parsed("bench sort --save --no-save").is_err());
}

#[test]
fn shards_are_merged_and_nothing_else() {
    let request = suite_request("bench run smoke --merge a b --out c").expect("a request");
    assert_eq!(request.merge, [PathBuf::from("a"), PathBuf::from("b")]);
}

fn reproduced(line: &str) -> Option<ReproduceRequest> {
    match parsed(line) {
        Ok(Request::Reproduce(request)) => Some(*request),
        _ => None,
    }
}

#[test]
fn published_figures_are_named_or_all() {
    let request = reproduced("bench reproduce tab5.1 fig5.5 --budget 5m -q").expect("a request");
    assert_eq!(request.figures, ["tab5.1", "fig5.5"]);
    assert_eq!(request.budget, Duration::from_secs(300));
    assert!(request.output.quiet && request.output.charts && request.run.is_none());
    let all = reproduced("bench reproduce --run results/thesis").expect("a request");
    assert!(all.figures.is_empty() && all.run.is_some());
}
