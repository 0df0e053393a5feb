//! `bench report` on the runs that the documents show.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{bench_in, folder};
use reports::history::{Store, Unfinished};
use reports::record::RunRecord;
use reports::store::{RunFolder, read_run};

/// A run folder among the documents.
fn documented(name: &str) -> PathBuf {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/results");
    results.join(name)
}

/// A copy of a documented run that was started at another time.
fn copy(name: &str, to: &Path, started: &str) {
    let from = documented(name);
    fs::create_dir_all(to).expect("made");
    for file in ["samples.csv", "summary.csv"] {
        fs::copy(from.join(file), to.join(file)).expect("copied");
    }
    let record = RunRecord {
        started: started.to_owned(),
        ..read_run(&from).expect("a record")
    };
    let text = serde_json::to_string(&record).expect("JSON");
    fs::write(to.join("run.json"), text).expect("written");
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect("the report is there")
}

#[test]
fn a_run_becomes_a_page() {
    let folder = folder();
    let line = format!("report {}", documented("sort-cpu").display());
    let run = bench_in(folder.path(), &line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let page = read(folder.path(), "report.html");
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(page.contains("channel-bucket is the fastest at"));
}

#[test]
fn the_ending_decides_what_it_is_written_as() {
    let folder = folder();
    let run = documented("sort-cpu-skew");
    let line = format!("report {} --title Night --out night.md", run.display());
    assert_eq!(bench_in(folder.path(), &line).code, Some(0));
    assert!(read(folder.path(), "night.md").starts_with("## Night\n"));
    let line = format!("report {} --out night.txt", run.display());
    let refused = bench_in(folder.path(), &line);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("add --format"),
        "{}",
        refused.stderr
    );
}

#[test]
fn history_comes_from_runs_and_store_and_each_run_counts_once() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let store = Store::create_or_open(&at("store")).expect("a store");
    let stored = |name: &str| store.add(&at(name), Unfinished::Allow).expect("stored");
    for (name, day) in [("given", 1), ("kept", 2), ("new", 4)] {
        copy("sort-cpu", &at(name), &format!("2026-01-0{day}T00:00:00Z"));
    }
    copy("sort-cpu-skew", &at("other-day"), "2026-01-03T00:00:00Z");
    // The reported run is in the store already.
    for name in ["kept", "new", "other-day"] {
        stored(name);
    }
    let run = bench_in(folder.path(), "report given new --store store");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let page = read(folder.path(), "report.html");
    assert!(page.contains("4 runs, 2026-01-01 to 2026-01-04"), "{page}");
}

#[test]
fn what_cannot_be_reported_is_refused_by_name() {
    let folder = folder();
    let missing = bench_in(folder.path(), "report ./nowhere");
    assert_eq!(missing.code, Some(1));
    assert!(
        missing.stderr.contains("nowhere does not exist"),
        "{}",
        missing.stderr
    );
    let no_store = bench_in(folder.path(), "report nowhere");
    assert_eq!(no_store.code, Some(2), "{}", no_store.stderr);
    let record = read_run(&documented("sort-cpu")).expect("a record");
    RunFolder::create(&folder.path().join("empty"), &record).expect("a folder");
    let empty = bench_in(folder.path(), "report empty");
    assert_eq!(empty.code, Some(5), "{}", empty.stderr);
    assert!(!folder.path().join("report.html").exists());
    let run = documented("sort-cpu-skew");
    let line = format!("report {} --out no/such/folder.html", run.display());
    let unwritable = bench_in(folder.path(), &line);
    assert_eq!(unwritable.code, Some(1));
    let error = &unwritable.stderr;
    assert!(error.contains("no/such/folder.html"), "{error}");
}

#[test]
fn a_base_tells_what_changed() {
    let folder = folder();
    for (name, day) in [("base", 1), ("new", 2)] {
        let started = format!("2026-01-0{day}T00:00:00Z");
        copy("sort-cpu", &folder.path().join(name), &started);
    }
    let run = bench_in(folder.path(), "report new --base base");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let page = read(folder.path(), "report.html");
    assert!(page.contains("What changed"), "{page}");
    assert!(
        page.contains("bench selftest"),
        "the gate's own errors are not known"
    );
}

#[test]
fn only_the_points_that_were_asked_for_are_reported() {
    let folder = folder();
    let run = documented("sort-cpu");
    let line = format!(
        "report {} --variant std-* --axis order=time --out r.md",
        run.display()
    );
    let made = bench_in(folder.path(), &line);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let text = read(folder.path(), "r.md");
    assert!(
        text.contains("std-stable") && !text.contains("channel-bucket"),
        "{text}"
    );
    assert!(!text.contains("order random"), "{text}");
    let line = format!("report {} --variant none-* --out s.md", run.display());
    let refused = bench_in(folder.path(), &line);
    assert_eq!(refused.code, Some(5), "{}", refused.stderr);
    let line = format!("report {} --axis order", run.display());
    assert_eq!(bench_in(folder.path(), &line).code, Some(2));
}

#[test]
fn a_report_replaces_reports_and_nothing_else() {
    let folder = folder();
    let line = format!("report {}", documented("sort-cpu").display());
    for out in ["r.html", "r.md"] {
        for _ in 0..2 {
            let run = bench_in(folder.path(), &format!("{line} --out {out}"));
            assert_eq!(run.code, Some(0), "{}", run.stderr);
        }
    }
    fs::write(folder.path().join("thesis.md"), "# Mine\n").expect("written");
    let run = bench_in(folder.path(), &format!("{line} --out thesis.md"));
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("--force"), "{}", run.stderr);
    assert_eq!(read(folder.path(), "thesis.md"), "# Mine\n");
    let run = bench_in(folder.path(), &format!("{line} --out thesis.md --force"));
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
fn a_report_on_a_gpu_ranks_by_what_is_asked_for() {
    let folder = folder();
    let line = format!("report {}", documented("sort-cuda").display());
    assert_eq!(
        bench_in(folder.path(), &format!("{line} --out t.md")).code,
        Some(0)
    );
    let line = format!("{line} --rank kernel --out k.md");
    assert_eq!(bench_in(folder.path(), &line).code, Some(0));
    let (total, kernel) = (read(folder.path(), "t.md"), read(folder.path(), "k.md"));
    assert!(
        total.contains("**sort, end to end: channel-bucket"),
        "{total}"
    );
    assert!(total.contains("ranked by: end to end"), "{total}");
    assert!(
        kernel.contains("**sort, by kernels: channel-bucket"),
        "{kernel}"
    );
    assert!(kernel.contains("ranked by: kernels"), "{kernel}");
}
