//! Comparisons of made-up runs.

use super::fixture::{measured, measured_run, runs, suite};
use super::*;
use crate::record::{SMALL_NOTE, YesNo};
use crate::screen::Screen;
use crate::table::{Format, Tabular};

fn compared(runs: &[MeasuredRun], options: MachineOptions) -> MachineComparison {
    MachineComparison::new(runs, options).expect("comparable")
}

fn ratio(comparison: &MachineComparison, task: &str, machine: usize) -> Option<f64> {
    // Means are exponentials of sums of logarithms.
    let rounded = |ratio: f64| (ratio * 1e9).round() / 1e9;
    comparison.task_ratio(task, machine).map(|found| rounded(found.estimate.ratio))
}

#[test]
fn machines_are_compared_by_their_rates_for_equal_data() {
    let comparison = compared(&runs(), MachineOptions::default());
    let names: Vec<&str> = comparison.machines.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["old, 2 CPUs", "new, 2 CPUs", "GPU 100"]);
    assert_eq!(comparison.machines[2].hosts, ["old, 2 CPUs"]);
    let ratios = [0, 1, 2].map(|machine| ratio(&comparison, "sort", machine));
    assert_eq!(ratios, [Some(1.0), Some(2.0), Some(8.0)]);
    assert_eq!(ratio(&comparison, "decode", 2), None);
    let interval = comparison.task_ratio("sort", 1).and_then(|it| it.estimate.interval);
    let interval = interval.expect("an interval");
    assert!(interval.low < 2.0 && 2.0 < interval.high && interval.high < 2.1, "{interval:?}");
}

#[test]
fn the_reference_is_found_by_a_part_of_its_name() {
    let with = |name: &str| {
        let options = MachineOptions { reference: Some(name.into()), ..MachineOptions::default() };
        MachineComparison::new(&runs(), options)
    };
    let comparison = with("NEW").expect("known");
    assert_eq!(ratio(&comparison, "sort", 0), Some(0.5));
    let unknown = with("H300").expect_err("unknown").to_string();
    assert!(unknown.contains("machines are \"old, 2 CPUs\", \"new, 2 CPUs\""), "{unknown}");
    let ambiguous = with("CPUs").expect_err("two").to_string();
    assert!(ambiguous.contains("have that in their names"), "{ambiguous}");
}

#[test]
fn rows_that_can_not_be_compared_are_left_out_with_the_reason() {
    let wrong = SummaryRow {
        valid: YesNo::No,
        note: "wrong output: digi 3".into(),
        ..measured("sort", "n=1", 0.1)
    };
    let other_data = SummaryRow { items: 5, ..measured("decode", "n=1", 1e-6) };
    let mut small = measured_run("runs/small", "small", vec![measured("sort", "n=1", 0.1)]);
    small.record.notes.push(SMALL_NOTE.to_owned());
    let mut unknown = measured_run("runs/gpu", "x", vec![fixture::on_gpu("sort", "n=1", 0.1)]);
    unknown.record.machine.gpus.clear();
    let mut later = measured_run("runs/later", "new", vec![measured("sort", "n=1", 1.0)]);
    later.record.started = "2026-06-01T00:00:00Z".into();
    let mut all = runs();
    let only_wrong = measured_run("runs/wrong", "wrong", vec![wrong.clone()]);
    let mut first = measured_run("runs/first", "other", vec![wrong, other_data]);
    first.record.started = "2025-01-01T00:00:00Z".into();
    all.extend([first, small, unknown, later]);
    let comparison = compared(&all, MachineOptions::default());
    assert_eq!(ratio(&comparison, "sort", 1), Some(4.0), "the newest counts");
    for (folder, words) in [
        ("runs/first", "1 row: not valid: wrong output: digi 3"),
        ("runs/first", "other data with equal axes, 5 digis instead of 1000000 digis"),
        ("runs/small", "RECOBENCH_SMALL"),
        ("runs/gpu", "no model of cuda:0"),
        ("runs/new", "measured again later"),
    ] {
        let is_there = |it: &LeftOut| it.folder == folder && it.reason.contains(words);
        assert!(comparison.left_out.iter().any(is_there), "{words}: {:?}", comparison.left_out);
    }
    let nothing = MachineComparison::new(&[only_wrong], MachineOptions::default());
    let nothing = nothing.expect_err("no row").to_string();
    assert!(nothing.contains("\nruns/wrong: 1 row: not valid"), "{nothing}");
}

#[test]
fn scores_are_geometric_means_over_tasks_by_experiment() {
    let suites = vec![suite(false), suite(true)];
    let options = MachineOptions { suites, ..MachineOptions::default() };
    let comparison = compared(&runs(), options);
    let value = |machine: usize, experiment: Option<&str>| {
        let is = |it: &&Score| it.machine == machine && it.experiment.as_deref() == experiment;
        let score = comparison.scores.iter().find(is).expect("a score");
        score.value.clone().map(|it| (it.ratio * 1e9).round() / 1e9)
    };
    assert_eq!(value(1, Some("CBM")), Ok(2.0));
    assert_eq!(value(1, Some("ALICE")), Ok(8.0));
    assert_eq!(value(1, None), Ok(4.0));
    assert_eq!(value(0, None), Ok(1.0));
    let missing = value(2, None).expect_err("no decode");
    let MissingPoints::OfMachine(missing) = missing else { panic!("{missing:?}") };
    assert!(missing.len() == 1 && missing[0].starts_with("decode ("), "{missing:?}");
    assert_eq!(value(2, Some("CBM")), Ok(1.0));
    let text = comparison.render(Format::Table, Screen::default()).expect("a text");
    assert!(text.contains("NO SCORE: GPU 100 lacks 1 point of gpu-score: decode"), "{text}");
}

#[test]
fn a_point_without_an_interval_is_missing_for_the_score() {
    let mut runs = runs();
    runs[1].rows[0].samples = 3;
    let options = MachineOptions { suites: vec![suite(false)], ..MachineOptions::default() };
    let comparison = compared(&runs, options);
    let of_new = comparison.scores.iter().filter(|it| it.machine == 1);
    let values: Vec<bool> = of_new.map(|it| it.value.is_ok()).collect();
    assert_eq!(values, [false, true, false]);
    let text = comparison.render(Format::Table, Screen::default()).expect("a text");
    assert!(text.contains("2.00 × ?"), "{text}");
}

#[test]
fn energy_and_prices_are_shown_where_they_are_known() {
    let node = NodePrice {
        name: "node".into(),
        eur: 1000.0,
        gpus: 2,
        measured_on: vec![MachineId::Gpu { model: "GPU 100".into() }],
    };
    let options = MachineOptions { prices: vec![node], ..MachineOptions::default() };
    let comparison = compared(&runs(), options);
    let text = comparison.render(Format::Table, Screen::default()).expect("a text");
    assert!(text.contains("energy per digi") && text.contains("20.0 nJ"), "{text}");
    // 500 € for 2 M items per second.
    assert!(text.contains("€ for a million digis per second") && text.contains("250"), "{text}");
    let json = comparison.render(Format::Json, Screen::default()).expect("a text");
    let document: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(document["machines"][2]["price_eur"], 500.0);
    let points = document["points"].as_array().expect("a list");
    assert_eq!(points.iter().filter(|it| it["j_per_item"] == 2e-8).count(), 1);
    assert_eq!(document["tasks"][1]["ratio"], 2.0);
    let csv = comparison.render(Format::Csv, Screen::default()).expect("a text");
    assert!(csv.starts_with("algorithm,machine,variant,") && csv.lines().count() == 6, "{csv}");
}

#[test]
fn a_busy_machine_is_marked() {
    let mut runs = runs();
    runs[1].record.environment.load_1min = Some(2.0);
    let comparison = compared(&runs, MachineOptions::default());
    let text = comparison.render(Format::Table, Screen::default()).expect("a text");
    assert!(text.contains("WARNING: new, 2 CPUs was busy at the start of runs/new"), "{text}");
}

#[test]
fn machines_with_other_variants_are_marked() {
    let mut all = runs();
    let comparison = compared(&all, MachineOptions::default());
    let is_marked = |comparison: &MachineComparison, machine: usize| {
        comparison.warnings(machine).iter().any(|it| it.contains("different numbers of variants"))
    };
    assert!(![0, 1, 2].into_iter().any(|machine| is_marked(&comparison, machine)));
    let slow = SummaryRow { variant: "slow".into(), ..measured("sort", "n=1", 9.0) };
    let mut further = measured_run("runs/further", "new", vec![slow]);
    further.record.started = "2026-06-01T00:00:00Z".into();
    all.push(further);
    let comparison = compared(&all, MachineOptions::default());
    let marked = [0, 1, 2].map(|machine| is_marked(&comparison, machine));
    assert_eq!(marked, [false, true, false], "GPUs have variants of their own");
}
