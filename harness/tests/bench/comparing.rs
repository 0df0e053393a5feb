//! `bench compare` on the command line: exit codes, files, bad input.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Run, bench_in, folder, scale};
use harness::cli::Request;
use reports::record::{SampleRow, SummaryRow};
use tempfile::TempDir;

/// A run that was made elsewhere and is kept with the documents.
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/results/sort-cpu");

/// A folder with the run as `base`, and `new` with samples multiplied where
/// `factor` says so.
fn runs(factor: impl Fn(&SampleRow) -> f64) -> TempDir {
    let folder = folder();
    for name in ["base", "new"] {
        let path = folder.path().join(name);
        fs::create_dir(&path).expect("created");
        for file in ["run.json", "summary.csv", "samples.csv"] {
            fs::copy(Path::new(SOURCE).join(file), path.join(file)).expect("copied");
        }
    }
    scale(&folder.path().join("new"), factor);
    folder
}

fn compare(folder: &TempDir, flags: &str) -> Run {
    bench_in(folder.path(), &format!("compare base new {flags}"))
}

/// The id of the point that is known best.
fn clearest() -> String {
    let rows = reports::store::read_summary(Path::new(SOURCE)).expect("readable");
    let width = |row: &SummaryRow| {
        let (low, high) = row.ci95_low_s.zip(row.ci95_high_s)?;
        Some((high - low) / row.median_s?)
    };
    let known = rows
        .iter()
        .filter_map(|row| Some((width(row)?, row.point().id())));
    let (_, id) = known.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a point");
    id
}

/// A factor for that point alone.
fn only_clearest(factor: f64) -> impl Fn(&SampleRow) -> f64 {
    let id = clearest();
    move |row| if row.point_id == id { factor } else { 1.0 }
}

#[test]
fn one_slower_point_is_found_with_exit_code_4() {
    let folder = runs(only_clearest(1.10));
    let run = compare(&folder, "--format json");
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let points = json["points"].as_array().expect("points");
    let slower: Vec<_> = points
        .iter()
        .filter(|point| point["verdict"] == "SLOWER")
        .collect();
    assert_eq!(slower.len(), 1);
    assert!(points.len() > 60);
    assert!(
        slower[0]["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("environment"))
    );
    assert!(
        slower[0]["next"]
            .as_str()
            .is_some_and(|next| next.contains("--confirm"))
    );
}

#[test]
fn advice_is_understood_as_it_stands() {
    let folder = runs(|_| 1.3);
    let run = compare(&folder, "--format json --store my-store --min-effect 2%");
    let json: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let next = json["points"][0]["next"].as_str().expect("advice");
    let (_, command) = next.split_once("then bench").expect("a command");
    let words = format!("bench{command}");
    let parsed = harness::cli::parse(words.split_whitespace().map(Into::into));
    let Ok(Request::Compare(request)) = parsed else {
        panic!("not understood: {words}");
    };
    assert!(request.confirm && request.thresholds.min_effect == 0.02);
    assert_eq!(request.store, Path::new("my-store"));
}

#[test]
fn nothing_changed_is_the_same() {
    let folder = runs(|_| 1.0);
    let run = compare(&folder, "");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stdout.contains("0 SLOWER, 0 INCONCLUSIVE, 0 FASTER"),
        "{}",
        run.stdout
    );
}

#[test]
fn faster_is_no_regression_and_a_larger_minimum_hides_small_changes() {
    let folder = runs(only_clearest(0.8));
    assert_eq!(compare(&folder, "").code, Some(0));
    let folder = runs(only_clearest(1.10));
    assert_eq!(compare(&folder, "--min-effect 50%").code, Some(0));
}

#[test]
fn what_cannot_be_compared_exits_with_5() {
    let folder = runs(|_| 1.0);
    let path = folder.path().join("new/run.json");
    let text = fs::read_to_string(&path).expect("read");
    let key = text
        .lines()
        .find(|line| line.contains("machine_key"))
        .expect("a key");
    fs::write(
        &path,
        text.replace(key, "  \"machine_key\": \"elsewhere\","),
    )
    .expect("written");
    let run = compare(&folder, "");
    assert_eq!(run.code, Some(5), "{}", run.stderr);
    assert!(run.stderr.contains("--across-machines"), "{}", run.stderr);
    assert_eq!(compare(&folder, "--across-machines").code, Some(0));
    let summary = folder.path().join("new/summary.csv");
    let header = fs::read_to_string(&summary).expect("read");
    let header = header.lines().next().expect("a header");
    fs::write(&summary, format!("{header}\n")).expect("written");
    let run = compare(&folder, "--across-machines");
    assert_eq!(
        run.code,
        Some(5),
        "an empty run is never a success: {}",
        run.stderr
    );
}

#[test]
fn damaged_runs_are_errors_with_file_and_line() {
    let folder = runs(|_| 1.0);
    let path = folder.path().join("new/samples.csv");
    let text = fs::read_to_string(&path).expect("read");
    fs::write(&path, &text[..text.len() / 2]).expect("written");
    let run = compare(&folder, "");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(
        run.stderr.contains("new/samples.csv: line "),
        "{}",
        run.stderr
    );
    fs::remove_file(&path).expect("removed");
    let run = compare(&folder, "");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("does not exist"), "{}", run.stderr);
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.expect("mkfifo runs").success());
    for line in ["compare base new", "report new", "history add new"] {
        let run = bench_in(folder.path(), line);
        assert_eq!(run.code, Some(1), "{line}: {}", run.stderr);
        assert!(
            run.stderr.contains("samples.csv is a pipe"),
            "{}",
            run.stderr
        );
    }
    let run = bench_in(folder.path(), "compare base ./nowhere");
    assert!(
        run.stderr.contains("nowhere does not exist"),
        "{}",
        run.stderr
    );
    let run = bench_in(folder.path(), "compare accepted latest --store nowhere");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("no store of runs"), "{}", run.stderr);
}
