//! `bench report` on the runs that the documents show.

use std::path::PathBuf;

use crate::common::{copy_documented, folder, in_repository};
use reports::history::{Store, Unfinished};
use reports::store::{RunFolder, read_run};

/// A run folder among the documents.
fn documented(name: &str) -> PathBuf {
    in_repository("docs/results").join(name)
}

/// The command that reports a documented run.
fn report(name: &str, flags: &str) -> String {
    format!("report {} {flags}", documented(name).display())
}

#[track_caller]
fn assert_has(text: &str, words: &[&str]) {
    for words in words {
        assert!(text.contains(words), "\"{words}\" is not in {text}");
    }
}

#[test]
fn a_run_becomes_a_page() {
    let folder = folder();
    folder.bench(report("sort-cpu", "")).exits(0);
    let page = folder.read("report.html");
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert!(page.contains("channel-bucket is the fastest at"));
}

#[test]
fn the_extension_sets_the_format() {
    let folder = folder();
    let line = report("sort-cpu-skew", "--title Night --out night.md");
    folder.bench(line).exits(0);
    assert!(folder.read("night.md").starts_with("## Night\n"));
    let run = folder.bench(report("sort-cpu-skew", "--out night.txt"));
    run.exits(2).says("add --format");
}

#[test]
fn history_comes_from_runs_and_store_and_each_run_counts_once() {
    let folder = folder();
    let at = |name: &str| folder.join(name);
    let store = Store::create_or_open(&at("store")).expect("a store");
    let stored = |name: &str| store.add(&at(name), Unfinished::Allow).expect("stored");
    for (name, day) in [("given", 1), ("kept", 2), ("new", 4)] {
        copy_documented("sort-cpu", &at(name), &format!("2026-01-0{day}T00:00:00Z"));
    }
    copy_documented("sort-cpu", &at("other-day"), "2026-01-03T00:00:00Z");
    // The reported run is in the store already.
    for name in ["kept", "new", "other-day"] {
        stored(name);
    }
    folder.bench("report given new --store store").exits(0);
    let page = folder.read("report.html");
    assert_has(&page, &["4 runs, 2026-01-01 to 2026-01-04"]);
}

#[test]
fn runs_that_cannot_be_reported_are_refused_by_name() {
    let folder = folder();
    let missing = folder.bench("report ./nowhere");
    missing.exits(1).says("nowhere does not exist");
    folder.bench("report nowhere").exits(2);
    let record = read_run(&documented("sort-cpu")).expect("a record");
    RunFolder::create(&folder.join("empty"), &record).expect("a folder");
    folder.bench("report empty").exits(5);
    assert!(!folder.join("report.html").exists());
    let unwritable = folder.bench(report("sort-cpu-skew", "--out no/such/folder.html"));
    unwritable.exits(1).says("no/such/folder.html");
}

#[test]
fn a_base_adds_the_changes() {
    let folder = folder();
    for (name, day) in [("base", 1), ("new", 2)] {
        let started = format!("2026-01-0{day}T00:00:00Z");
        copy_documented("sort-cpu", &folder.join(name), &started);
    }
    folder.bench("report new --base base").exits(0);
    // The gate's own errors are not known.
    let page = folder.read("report.html");
    assert_has(&page, &["What changed", "bench selftest"]);
}

#[test]
fn only_the_points_that_were_asked_for_are_reported() {
    let folder = folder();
    let line = report("sort-cpu", "--variant std-* --axis order=time --out r.md");
    folder.bench(line).exits(0);
    let text = folder.read("r.md");
    assert_has(&text, &["std-stable"]);
    assert!(!text.contains("channel-bucket") && !text.contains("order random"));
    let none = report("sort-cpu", "--variant none-* --out s.md");
    folder.bench(none).exits(5);
    folder.bench(report("sort-cpu", "--axis order")).exits(2);
}

#[test]
fn a_report_replaces_reports_and_nothing_else() {
    let folder = folder();
    let line = report("sort-cpu", "");
    for out in ["r.html", "r.md"] {
        for _ in 0..2 {
            folder.bench(format!("{line} --out {out}")).exits(0);
        }
    }
    folder.write("thesis.md", "# Mine\n");
    let line = format!("{line} --out thesis.md");
    folder.bench(&line).exits(2).says("--force");
    assert_eq!(folder.read("thesis.md"), "# Mine\n");
    folder.bench(format!("{line} --force")).exits(0);
}

#[test]
fn a_report_on_a_gpu_ranks_by_what_is_asked_for() {
    let folder = folder();
    // End to end the stable variant is too close for a verdict, and CUB has too few samples of kernels.
    let end_to_end = report("sort-cuda", "--variant channel-bucket,cub-* --out t.md");
    folder.bench(end_to_end).exits(0);
    let by_kernels = report("sort-cuda", "--variant channel-bucket* --rank kernel --out k.md");
    folder.bench(by_kernels).exits(0);
    for (file, of, by) in [("t.md", "end to end", "end to end"), ("k.md", "by kernels", "kernels")]
    {
        let best = format!("**sort, {of}: channel-bucket");
        assert_has(&folder.read(file), &[&best, &format!("ranked by: {by}")]);
    }
}
