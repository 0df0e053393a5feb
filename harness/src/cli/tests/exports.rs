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
fn the_extension_sets_the_format_unless_it_is_given() {
    for (flags, expected) in [
        ("a --out x.prom", ExportFormat::Prometheus),
        ("a --out x.LP", ExportFormat::Influx),
        ("--all --out x.parquet", ExportFormat::Parquet),
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
