//! `bench submission`, on kept runs, forged ones, and new ones.

use std::fs;
use std::path::Path;

use reports::record::{SampleRow, SummaryRow, YesNo};
use serde_json::Value;

use crate::common::{
    Folder, copy_run, edit, edit_record, edit_rows, folder, in_repository, measuring,
};

/// A kept run that is fit.
const FIT: &str = "docs/results/sort-cuda";

/// A folder with a copy of a fit run.
fn original() -> Folder {
    let folder = folder();
    copy_run(&in_repository(FIT), &folder.join("run"));
    folder
}

fn edit_summary(run: &Path, change: impl FnMut(&mut SummaryRow)) {
    edit_rows(&run.join("summary.csv"), change);
}

/// Removes or repeats lines of a file.
fn edit_lines(path: &Path, change: impl FnOnce(&mut Vec<String>)) {
    let text = fs::read_to_string(path).expect("readable");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    change(&mut lines);
    fs::write(path, lines.join("\n") + "\n").expect("written");
}

#[track_caller]
fn is_found(folder: &Folder, words: &str) {
    folder.bench("submission check run --format json").exits(1).prints(words);
}

#[test]
fn a_kept_run_is_fit_and_can_be_packed() {
    let folder = original();
    folder.bench("submission check run").exits(0).prints("1 of 1 run fit");
    folder.bench("submission pack run --out packed").exits(0);
    folder.has("packed/run.json packed/samples.csv packed/summary.csv packed/manifest.json");
    folder.bench("submission check packed").exits(0);
    folder.bench("submission pack run --out packed").exits(2).says("choose another folder");
    folder.bench("submission pack run").exits(0);
    folder.has("results/submissions/run/manifest.json");
}

/// Change of the folder of a run.
type Forgery = fn(&Path);

#[test]
fn forgeries_are_found() {
    let forgeries: [(&str, &str, Forgery); 8] = [
        ("edited sample", "by samples.csv", |run| {
            let mut is_first = true;
            edit(run, |sample: &mut SampleRow| {
                if std::mem::take(&mut is_first) {
                    sample.seconds *= 0.5;
                }
            });
        }),
        ("edited median", "median_s is", |run| {
            edit_summary(run, |row| row.median_s = row.median_s.map(|median| 0.9 * median));
        }),
        ("swapped fingerprint", "the fingerprint is code:ffff instead of", |run| {
            let mut rows = 0;
            edit_summary(run, |row| {
                rows += 1;
                if rows == 30 {
                    row.fingerprint = "code:ffff".into();
                }
            });
        }),
        ("fewer samples", "samples.csv has", |run| {
            edit_lines(&run.join("samples.csv"), |lines| {
                lines.pop();
            });
        }),
        ("duplicate row", "again", |run| {
            edit_lines(&run.join("summary.csv"), |lines| lines.push(lines[1].clone()));
        }),
        ("missing file", "samples.csv does not exist", |run| {
            fs::remove_file(run.join("samples.csv")).expect("removed");
        }),
        ("failed variant", "marked valid", |run| {
            edit_summary(run, |row| {
                if row.valid == YesNo::No {
                    row.valid = YesNo::Yes;
                }
            });
        }),
        ("other machine", "is not that of its machine", |run| {
            edit_record(run, |record| record["machine"]["cores"] = 128.into());
        }),
    ];
    for (what, words, forge) in forgeries {
        let folder = original();
        forge(&folder.join("run"));
        eprintln!("{what}");
        is_found(&folder, words);
        folder.bench("submission pack run --out packed").exits(1).says("not fit");
        assert!(!folder.join("packed").exists(), "{what}");
    }
}

#[test]
fn a_file_that_was_changed_after_packing_is_found() {
    let folder = original();
    folder.bench("submission pack run --out packed").exits(0);
    // A change that contradicts nothing.
    edit_record(&folder.join("packed"), |record| record["seed"] = 7.into());
    folder.bench("submission check packed").exits(1).prints("changed after packing");
}

#[test]
fn each_kept_run_is_fit_or_has_a_reason() {
    let folder = folder();
    let all = in_repository("docs/results");
    let line = format!("submission check {} --format json", all.display());
    let checks: Value = folder.bench(line).exits(1).json();
    let checks = checks.as_array().expect("a list");
    let fit = checks.iter().filter(|it| it["fit"] == true).count();
    assert!(fit >= 10, "only {fit} are fit");
    for check in checks {
        let has_reason = check["reason"].as_str().is_some_and(|reason| !reason.is_empty());
        assert!(has_reason != check["fit"].as_bool().expect("a flag"), "{check}");
    }
}

/// The build of a test may be of modified files, and the machine busy.
#[test]
fn a_new_run_has_no_contradictions() {
    let Some(folder) = measuring() else { return };
    let line =
        "sort --segments 24 --digis 20k --threads 1,2 --samples 6..8 --max-time 50ms --out r";
    folder.bench(line).exits(0);
    assert!(!folder.record("r").planned.is_empty());
    let run = folder.bench("submission check r --format json");
    let checks: Value = serde_json::from_str(&run.stdout).expect("JSON");
    for check in checks.as_array().expect("a list") {
        let rule = check["rule"].as_str().expect("a rule");
        assert!(["", "build", "load"].contains(&rule), "{check}");
    }
}

#[test]
fn a_site_has_pages_of_the_machines_of_fit_submissions() {
    let folder = original();
    folder.bench("history add run --store store").exits(0);
    let line = "site --store store --submissions run --out site";
    folder.bench(line).exits(0);
    folder.has("site/index.html site/machines.html");
    assert!(folder.read("site/index.html").contains("href=\"machines.html\""));
    assert!(folder.read("site/machines.html").contains("H200"));
    let pages = fs::read_dir(folder.join("site/machines")).expect("listed").count();
    assert_eq!(pages, 1);
    edit_summary(&folder.join("run"), |row| row.mean_s = None);
    folder.bench(format!("{line} --force")).exits(5).says("no submission is fit");
}
