//! `bench compare` on the command line: exit codes, files, bad input.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{
    Folder, Run, assert_understood, calm, copy_documented, edit, edit_record, edit_rows, folder,
};
use harness::cli::Request;
use reports::record::{SampleRow, SummaryRow, YesNo, flags};
use reports::store::read_summary;
use serde_json::Value;

/// A run that was made elsewhere and is kept with the documents.
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/results/sort-cpu");

/// Returns a folder with the run as `base`, and as `new` with samples multiplied by `factor`.
fn runs(factor: impl Fn(&SampleRow) -> f64) -> Folder {
    let folder = folder();
    for (name, year) in [("base", 2026), ("new", 2027)] {
        let started = format!("{year}-01-01T00:00:00Z");
        copy_documented("sort-cpu", &folder.join(name), &started);
        calm(&folder.join(name));
    }
    edit(&folder.join("new"), |row| row.seconds *= factor(row));
    folder
}

fn compare(folder: &Folder, flags: &str) -> Run {
    folder.bench(format!("compare base new {flags}"))
}

/// The id of the point that is known best.
fn clearest() -> String {
    let rows = read_summary(Path::new(SOURCE)).expect("readable");
    let width = |row: &SummaryRow| {
        let (low, high) = row.ci95_low_s.zip(row.ci95_high_s)?;
        Some((high - low) / row.median_s?)
    };
    let known = rows.iter().filter_map(|row| Some((width(row)?, row.point().id())));
    let (_, id) = known.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a point");
    id
}

/// The points of a comparison with a verdict.
fn points(run: &Run, verdict: &str) -> Vec<Value> {
    let mut json: Value = run.json();
    let points = json["points"].as_array_mut().expect("points");
    assert!(points.len() > 60);
    points.retain(|point| point["verdict"] == verdict);
    std::mem::take(points)
}

fn has(point: &Value, key: &str, words: &str) -> bool {
    point[key].as_str().is_some_and(|text| text.contains(words))
}

/// A factor for that point alone.
fn only_clearest(factor: f64) -> impl Fn(&SampleRow) -> f64 {
    let id = clearest();
    move |row| if row.point_id == id { factor } else { 1.0 }
}

#[test]
fn one_slower_point_is_found_with_exit_code_4() {
    let folder = runs(only_clearest(1.10));
    let run = compare(&folder, "--format json").exits(4);
    let slower = points(&run, "SLOWER");
    assert_eq!(slower.len(), 1);
    assert!(has(&slower[0], "reason", "environment") && has(&slower[0], "next", "--confirm"));
}

#[test]
fn advice_is_understood_as_it_stands() {
    let folder = runs(|_| 1.3);
    let run = compare(&folder, "--format json --store my-store --min-effect 2%");
    let json: Value = run.json();
    let command = json["points"][0]["next"].as_str().expect("advice");
    let Request::Compare(request) = assert_understood(command) else {
        panic!("not a comparison: {command}");
    };
    assert!(request.confirm && request.judging.min_effect == 0.02);
    assert_eq!(request.store, Path::new("my-store"));
}

#[test]
fn nothing_changed_is_the_same() {
    let folder = runs(|_| 1.0);
    let run = compare(&folder, "").exits(0);
    run.prints("0 SLOWER, 0 INCONCLUSIVE, 0 FASTER");
}

#[test]
fn faster_is_no_regression_and_a_larger_minimum_hides_small_changes() {
    let folder = runs(only_clearest(0.8));
    compare(&folder, "").exits(0);
    let folder = runs(only_clearest(1.10));
    compare(&folder, "--min-effect 50%").exits(0);
}

#[test]
fn inconclusive_points_fail_if_requested() {
    // By somewhat more than the minimum effect: some points can't be clear.
    let folder = runs(|_| 1.012);
    let open = points(&compare(&folder, "--format json").exits(0), "INCONCLUSIVE");
    let detectable = |point: &Value| point["detectable"].as_f64();
    assert!(open.iter().all(|point| detectable(point) > Some(0.01)));
    assert!(has(&open[0], "reason", "would have been detected"));
    compare(&folder, "--fail-on inconclusive").exits(4);
    let folder = runs(|_| 1.0);
    compare(&folder, "--fail-on inconclusive").exits(0);
}

#[test]
fn points_are_filtered() {
    let folder = runs(only_clearest(1.10));
    let rows = read_summary(Path::new(SOURCE)).expect("readable");
    let clearest = clearest();
    let slower = rows.iter().find(|row| row.point().id() == clearest);
    let slower = slower.expect("a row");
    let segments = slower.params.get("segments").expect("an axis");
    let variant = slower.variant.as_str();
    let flags = format!("--variant {variant} --axis segments={segments}");
    compare(&folder, &flags).exits(4);
    let others = rows.iter().map(|row| row.variant.as_str());
    let others: BTreeSet<_> = others.filter(|other| *other != variant).collect();
    let others = Vec::from_iter(others).join(",");
    compare(&folder, &format!("--variant {others} --task so*")).exits(0);
    compare(&folder, "--task sts").exits(5);
}

/// Takes the rows of a variant from the new run, but not those of the clearest point.
fn lose_a_variant(folder: &Folder) -> String {
    let rows = read_summary(Path::new(SOURCE)).expect("readable");
    let clearest = rows.iter().find(|row| row.point().id() == clearest()).expect("a row");
    let others = |row: &&SummaryRow| row.variant != clearest.variant && row.valid == YesNo::Yes;
    let lost = rows.iter().find(others).expect("another variant").variant.clone();
    let path = folder.join("new/summary.csv");
    let text = folder.read(&path);
    let kept = text.lines().filter(|line| !line.contains(&format!(",{lost},")));
    folder.write(&path, kept.map(|line| line.to_owned() + "\n").collect::<String>());
    lost
}

#[test]
fn points_that_vanished_are_named_and_exit_with_5() {
    let folder = runs(|_| 1.0);
    let lost = lose_a_variant(&folder);
    let run = compare(&folder, "").exits(5);
    run.prints("not judged: ").prints(format!("sort {lost}"));
    compare(&folder, "--format markdown").prints("**not judged: ");
    compare(&folder, "--format junit").prints("<error message=\"not measured\"");
    // Another command was not asked for them.
    edit_record(&folder.join("new"), |record| record["command"] = Value::Array(vec![]));
    compare(&folder, "").exits(0);
    // A regression comes first.
    let folder = runs(only_clearest(1.10));
    lose_a_variant(&folder);
    compare(&folder, "").exits(4);
}

#[test]
fn a_variant_that_is_wrong_now_exits_with_3() {
    let folder = runs(|_| 1.0);
    let mut is_right = true;
    edit_rows(&folder.join("new/summary.csv"), |row: &mut SummaryRow| {
        if is_right && row.valid_median().is_some() {
            (row.valid, is_right) = (YesNo::No, false);
            row.note = "wrong output: digi 7".into();
        }
    });
    let run = compare(&folder, "--format markdown").exits(3);
    run.prints("### 1 point is wrong or failed");
    run.prints("wrong output: digi 7");
}

#[test]
fn a_run_is_not_compared_with_itself() {
    let folder = runs(|_| 1.0);
    fs::rename(folder.join("base"), folder.join("other")).expect("renamed");
    for line in ["compare new new", "compare new other/../new"] {
        folder.bench(line).exits(2).says("the same run");
    }
    // A job that failed to store its run must not be green; and the store has a copy.
    for (code, line) in [
        (0, "history add new --store results/store"),
        (0, "history accept latest"),
        (2, "compare"),
        (2, "compare accepted new"),
        (0, "history add other"),
        (0, "compare"),
    ] {
        folder.bench(line).exits(code);
    }
}

/// Two runs of one code on a machine with unlike loads, of which most samples are disturbed.
#[test]
fn runs_of_a_busy_machine_raise_no_alarm() {
    let folder = runs(|_| 2.2);
    for (name, load) in [("base", 3.0), ("new", 7.5)] {
        let run = folder.join(name);
        edit_record(&run, |record| record["environment"]["load_1min"] = load.into());
        edit(&run, |row| {
            if row.sample % 3 > 0 {
                let joint = if row.flags.is_empty() { "" } else { "+" };
                row.flags = format!("{}{joint}{}", row.flags, flags::DISTURBED);
            }
        });
    }
    for line in ["compare base new", "compare new base"] {
        let run = folder.bench(line).exits(0);
        run.prints("0 SLOWER").prints("0 FASTER");
        run.prints("the machine was busy");
    }
}

#[test]
fn points_that_cannot_be_compared_exit_with_5() {
    let folder = runs(|_| 1.0);
    let elsewhere = |record: &mut Value| record["machine_key"] = "elsewhere".into();
    edit_record(&folder.join("new"), elsewhere);
    compare(&folder, "").exits(5).says("--across-machines");
    compare(&folder, "--across-machines").exits(0);
    // An empty run is never a success.
    folder.write("new/summary.csv", format!("{}\n", SummaryRow::COLUMNS));
    compare(&folder, "--across-machines").exits(5);
}

#[test]
fn damaged_runs_are_errors_with_file_and_line() {
    let folder = runs(|_| 1.0);
    let path = folder.join("new/samples.csv");
    let text = folder.read(&path);
    folder.write(&path, &text[..text.len() / 2]);
    compare(&folder, "").exits(1).says("new/samples.csv: line ");
    fs::remove_file(&path).expect("removed");
    compare(&folder, "").exits(1).says("does not exist");
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo runs").success());
    for line in ["compare base new", "report new", "history add new"] {
        folder.bench(line).exits(1).says("samples.csv is a pipe");
    }
    let run = folder.bench("compare base ./nowhere");
    run.says("nowhere does not exist");
    let run = folder.bench("compare accepted latest --store nowhere");
    run.exits(2).says("no store of runs");
}
