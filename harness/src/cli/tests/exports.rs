//! `bench export` and `bench list`.

use reports::export::ExportFormat;

use crate::cli::Request;
use crate::request::{ExportRequest, ListRequest};

fn exported(line: &str) -> Option<ExportRequest> {
    match super::parsed(line) {
        Ok(Request::Export(request)) => Some(request),
        _ => None,
    }
}

#[test]
fn the_ending_tells_the_format_unless_it_is_given() {
    let format = |line: &str| exported(line).and_then(|request| request.format().ok());
    assert_eq!(
        format("bench export a --out x.prom"),
        Some(ExportFormat::Prometheus)
    );
    assert_eq!(
        format("bench export a --out x.LP"),
        Some(ExportFormat::Influx)
    );
    assert_eq!(
        format("bench export --all --out x.parquet"),
        Some(ExportFormat::Parquet)
    );
    assert_eq!(
        format("bench export a --out x.txt --format csv"),
        Some(ExportFormat::Csv)
    );
    assert_eq!(
        format("bench export a b --format csv"),
        Some(ExportFormat::Csv)
    );
}

#[test]
fn senseless_flags_are_refused() {
    for line in [
        "bench export",
        "bench export a",
        "bench export a --out x.txt",
        "bench export a --all --format csv",
        "bench export a --format parquet",
        "bench export a --format xml",
    ] {
        assert!(exported(line).is_none(), "{line}");
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
    assert!(listed("bench list sort --suites").is_err());
}
