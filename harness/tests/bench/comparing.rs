//! `bench compare` on the command line: exit codes, files, bad input.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Run, bench_in, calm, edit, edit_record, folder, scale};
use harness::cli::Request;
use reports::record::{SampleRow, SummaryRow, flags};
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
    let later = |record: &mut serde_json::Value| record["started"] = "2027-01-01T00:00:00Z".into();
    edit_record(&folder.path().join("new"), later);
    for name in ["base", "new"] {
        calm(&folder.path().join(name));
    }
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
    assert!(request.confirm && request.judging.min_effect == 0.02);
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
fn what_is_not_clear_fails_where_that_is_asked_for() {
    // By somewhat more than the minimum effect: some points can't be clear.
    let folder = runs(|_| 1.012);
    let run = compare(&folder, "--format json");
    let json: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let points = json["points"].as_array().expect("points");
    let open = points
        .iter()
        .filter(|point| point["verdict"] == "INCONCLUSIVE");
    let open: Vec<_> = open.collect();
    assert!(!open.is_empty() && run.code == Some(0), "{}", run.stdout);
    assert!(
        open.iter()
            .all(|point| point["detectable"].as_f64() > Some(0.01))
    );
    assert!(
        open[0]["reason"]
            .as_str()
            .is_some_and(|reason| reason.contains("would have been found"))
    );
    assert_eq!(compare(&folder, "--fail-on inconclusive").code, Some(4));
    let one = only_clearest(1.0);
    let folder = runs(one);
    assert_eq!(compare(&folder, "--fail-on inconclusive").code, Some(0));
}

#[test]
fn points_are_filtered() {
    let folder = runs(only_clearest(1.10));
    let rows = reports::store::read_summary(Path::new(SOURCE)).expect("readable");
    let slower = rows
        .iter()
        .find(|row| row.point().id() == clearest())
        .expect("a row");
    let (variant, segments) = (
        &slower.variant,
        slower.params.get("segments").expect("an axis"),
    );
    let with = compare(
        &folder,
        &format!("--variant {variant} --axis segments={segments}"),
    );
    assert_eq!(with.code, Some(4), "{}{}", with.stdout, with.stderr);
    let others = rows
        .iter()
        .map(|row| row.variant.clone())
        .filter(|other| other != variant);
    let others: std::collections::BTreeSet<String> = others.collect();
    let others = Vec::from_iter(others).join(",");
    let without = compare(&folder, &format!("--variant {others} --task so*"));
    assert_eq!(
        without.code,
        Some(0),
        "{}{}",
        without.stdout,
        without.stderr
    );
    let none = compare(&folder, "--task sts");
    assert_eq!(none.code, Some(5), "{}", none.stderr);
}

#[test]
fn a_variant_that_is_wrong_now_exits_with_3() {
    let folder = runs(|_| 1.0);
    let path = folder.path().join("new/summary.csv");
    let mut reader = csv::Reader::from_path(&path).expect("readable");
    let rows: Result<Vec<SummaryRow>, _> = reader.deserialize().collect();
    let mut rows = rows.expect("rows");
    let right = rows.iter_mut().find(|row| row.valid_median().is_some());
    let right = right.expect("a valid row");
    right.valid = reports::record::YesNo::No;
    right.note = "wrong output: digi 7".into();
    let mut writer = csv::Writer::from_path(&path).expect("writable");
    rows.iter()
        .for_each(|row| writer.serialize(row).expect("written"));
    writer.flush().expect("written");
    let run = compare(&folder, "--format markdown");
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(
        run.stdout.contains("### 1 point is wrong or failed"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("wrong output: digi 7"),
        "{}",
        run.stdout
    );
}

#[test]
fn a_run_is_not_compared_with_itself() {
    let folder = runs(|_| 1.0);
    fs::rename(folder.path().join("base"), folder.path().join("other")).expect("renamed");
    let path = folder.path();
    for line in ["compare new new", "compare new other/../new"] {
        let run = bench_in(path, line);
        assert_eq!(run.code, Some(2), "{line}: {}", run.stderr);
        assert!(run.stderr.contains("the same run"), "{}", run.stderr);
    }
    for line in [
        "history add new --store results/store",
        "history accept latest",
    ] {
        assert_eq!(bench_in(path, line).code, Some(0), "{line}");
    }
    // A job that failed to store its run must not be green.
    let run = bench_in(path, "compare");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let run = bench_in(path, "compare accepted new");
    assert_eq!(run.code, Some(2), "a copy: {}", run.stderr);
    assert_eq!(bench_in(path, "history add other").code, Some(0));
    let run = bench_in(path, "compare");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
}

/// Two runs of one code on a machine with unlike loads, of which most samples are disturbed.
#[test]
fn runs_of_a_busy_machine_raise_no_alarm() {
    let folder = runs(|_| 2.2);
    for (name, load) in [("base", 3.0), ("new", 7.5)] {
        let run = folder.path().join(name);
        edit_record(&run, |record| {
            record["environment"]["load_1min"] = load.into()
        });
        edit(&run, |row| {
            if row.sample % 3 > 0 {
                let joint = if row.flags.is_empty() { "" } else { "+" };
                row.flags = format!("{}{joint}{}", row.flags, flags::DISTURBED);
            }
        });
    }
    for line in ["compare base new", "compare new base"] {
        let run = bench_in(folder.path(), line);
        assert_eq!(run.code, Some(0), "{}", run.stdout);
        assert!(
            run.stdout.contains("0 SLOWER") && run.stdout.contains("0 FASTER"),
            "{}",
            run.stdout
        );
        assert!(
            run.stdout.contains("the machine was busy"),
            "{}",
            run.stdout
        );
    }
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
