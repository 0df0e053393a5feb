//! Commands that read stored runs.

use std::path::PathBuf;
use std::time::Duration;

use reports::compare::render::Listing;
use reports::export::ExportFormat;
use reports::table::Format;
use reports::trend::{self, ShiftLimits};

use crate::cli::Request;
use crate::request::{
    ChangesRequest, CompareRequest, ExportRequest, FailOn, HistoryAction, ListRequest,
};

fn compared_request(line: &str) -> Option<CompareRequest> {
    match super::parsed(line) {
        Ok(Request::Compare(request)) => Some(*request),
        _ => None,
    }
}

#[test]
fn flags_become_values() {
    let line = "bench compare a latest --min-effect 3% --junit j.xml --markdown m.md --all";
    let request = compared_request(line).expect("a request");
    assert_eq!((request.base.as_str(), request.new.as_str()), ("a", "latest"));
    assert_eq!(request.judging.min_effect, 0.03);
    assert_eq!(request.judging.significance, 0.01);
    assert_eq!(request.listing, Listing::All);
    assert_eq!(request.confirm_time, Duration::from_secs(600));
    let files =
        [(Format::Markdown, PathBuf::from("m.md")), (Format::Junit, PathBuf::from("j.xml"))];
    assert_eq!(request.format.files, files);
    let new =
        compared_request("bench compare a b --format junit=j.xml --format json --format table=t");
    let new = new.expect("a request");
    assert_eq!(new.format.stdout, Format::Json);
    let files = [("j.xml", Format::Junit), ("t", Format::Table)];
    assert_eq!(new.format.files, files.map(|(file, format)| (format, PathBuf::from(file))));
}

#[test]
fn typed_flags_can_be_repeated() {
    assert!(compared_request("bench compare a b").is_some_and(|it| it.given.is_empty()));
    let line = "bench compare a b --min-effect 3% --store=s --across-machines --all";
    let given = compared_request(line).expect("a request").given;
    let expected = ["--store", "s", "--min-effect", "3%", "--across-machines"];
    assert_eq!(given, expected);
}

#[test]
fn without_names_the_last_run_is_compared_with_the_accepted_one() {
    let request = compared_request("bench compare --fail-on inconclusive").expect("a request");
    assert_eq!((request.base.as_str(), request.new.as_str()), ("accepted", "latest"));
    assert_eq!(request.judging.fail_on, FailOn::Inconclusive);
    assert_eq!(
        compared_request("bench compare").expect("a request").judging.fail_on,
        FailOn::Slower
    );
}

#[test]
fn points_are_filtered_and_the_filter_given_again() {
    let line = "bench compare a b --task so*,sts --axis segments=24,48 --axis threads=1 \
                --false-discovery 5%";
    let request = compared_request(line).expect("a request");
    assert!(!request.points.filter().is_all());
    assert_eq!(request.judging.false_discovery, 0.05);
    let again = format!("bench compare a b {}", request.given.join(" "));
    let again = compared_request(&again).expect("understood");
    assert_eq!(again.points, request.points);
    assert!(compared_request("bench compare a b").is_some_and(|it| it.points.filter().is_all()));
}

fn exported(line: &str) -> Option<ExportRequest> {
    match super::parsed(line) {
        Ok(Request::Export(request)) => Some(request),
        _ => None,
    }
}

#[test]
fn the_extension_sets_the_format_unless_it_is_given() {
    for (flags, expected) in [
        ("a --out x.prom", ExportFormat::Prometheus),
        ("a --out x.LP", ExportFormat::Influx),
        ("--all --out x.parquet", ExportFormat::Parquet),
        ("a --out x.json", ExportFormat::Json),
        ("a --out x.txt --format csv", ExportFormat::Csv),
        ("a b --format csv", ExportFormat::Csv),
    ] {
        let request = exported(&format!("bench export {flags}")).expect("a request");
        assert_eq!(request.format(), Ok(expected), "{flags}");
    }
}

fn listed(line: &str) -> Result<ListRequest, String> {
    match super::parsed(line) {
        Ok(Request::List(request)) => Ok(request),
        Ok(_) => Err("no list".to_owned()),
        Err(answer) => Err(answer.text()),
    }
}

#[test]
fn tasks_are_named_or_all() {
    let named = |line: &str| {
        let tasks = listed(line).expect("a list").tasks.into_iter();
        tasks.map(|task| task.name()).collect::<Vec<_>>()
    };
    assert!(named("bench list").is_empty());
    assert_eq!(named("bench list merge sort merge"), ["merge", "sort"]);
    assert!(listed("bench list --suites --format json").is_ok_and(|it| it.suites));
}

#[test]
fn an_unknown_task_gets_a_suggestion() {
    let refusal = listed("bench list srot").err().expect("refused");
    assert!(refusal.contains("did you mean \"sort\"?"), "{refusal}");
}

fn changes_request(line: &str) -> Option<ChangesRequest> {
    match super::parsed(line) {
        Ok(Request::History(request)) => match request.action {
            Some(HistoryAction::Changes(request)) => Some(*request),
            _ => None,
        },
        _ => None,
    }
}

#[test]
fn flags_of_changes_become_values() {
    let line = "bench history changes --task sort --last 90 --variant a,b --min-effect 2% \
                --significance 0.01 --false-discovery 5% --axis segments=24 --check --all --out charts --store s";
    let request = changes_request(line).expect("a request");
    assert!(!request.points.filter().is_all());
    assert_eq!(request.filter().task.as_deref(), Some("sort"));
    let globs = changes_request("bench history changes --task s*").expect("a request");
    assert_eq!(globs.filter().task, None);
    assert_eq!(request.filter().last, Some(90));
    assert_eq!(request.judging.limits().min_effect, 0.02);
    assert_eq!(request.judging.limits().search.significance, 0.01);
    assert_eq!(request.judging.limits().false_discovery, 0.05);
    assert!(request.judging.check && request.listing == trend::Listing::All);
    assert_eq!(request.out, Some(PathBuf::from("charts")));
    let request = changes_request("bench history changes --charts charts").expect("a request");
    assert_eq!(request.out, Some(PathBuf::from("charts")));
}

#[test]
fn flags_that_are_not_given_mean_the_usual_terms() {
    let default = changes_request("bench history changes").expect("a request");
    assert_eq!(default.judging.limits(), ShiftLimits::default());
}
