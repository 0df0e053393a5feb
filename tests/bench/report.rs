//! `bench report` on the runs that the documents show, `bench site` and `bench winners`.

use std::path::PathBuf;

use reports::history::{Store, Unfinished};
use reports::store::{RunFolder, read_run};

use crate::common::{copy_documented, folder, in_repository, measuring};

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

#[test]
fn a_store_becomes_pages_with_links_to_each_other() {
    let Some(folder) = measuring() else { return };
    for seed in [1, 2] {
        let line = format!(
            "sort --digis 2k --segments 4 --variant std-* --threads 1 --samples 8 --quiet \
             --device cpu --out r{seed} --no-charts --seed {seed} --store s"
        );
        folder.bench(line).exits(0);
    }
    folder.bench("site --store s --out site").exits(0).says("pages of 2 points and 2 runs");
    let index = folder.read("site/index.html");
    let links: Vec<&str> =
        index.split("href=\"").skip(1).filter_map(|it| it.split('"').next()).collect();
    let files: Vec<&&str> = links.iter().filter(|link| !link.starts_with('#')).collect();
    assert_eq!(files.len(), 2 + 2, "{files:?}");
    for file in files {
        assert!(folder.read(format!("site/{file}")).starts_with("<!DOCTYPE html>"), "{file}");
    }
    folder.bench("site --store s --out site --variant std-stable").exits(0);
    folder.write("site/index.html", "mine");
    folder.bench("site --store s --out site").exits(2).says("--force");
    folder.bench("site --store s --out site --variant none-*").exits(5);
}

#[test]
fn winners_are_reported_and_drawn() {
    let Some(folder) = measuring() else { return };
    let line = "sort --digis 2k --segments 4,8 --order random,time --variant std-* --threads 1 \
                --samples 8 --quiet --device cpu --out run --no-charts";
    folder.bench(line).exits(0);
    let line = "winners run --out maps --format table --format csv=winners.csv";
    let reported = folder.bench(line).exits(0);
    let lines: Vec<&str> = reported.stdout.lines().collect();
    assert!(lines[1].contains("segments") && lines[1].contains("winner"), "{lines:?}");
    assert_eq!(lines.len(), 2 + 4, "{lines:?}");
    folder.has("maps/winners.svg maps/winners.png winners.csv");
    assert_eq!(folder.read("winners.csv").lines().count(), 1 + 4);
}

#[test]
fn points_that_are_not_there_have_no_winner() {
    let Some(folder) = measuring() else { return };
    let line = "sort --digis 2k --segments 4 --variant std-stable --threads 1 --samples 3 --quiet \
                --device cpu --out run --no-charts";
    folder.bench(line).exits(0);
    folder.bench("winners run --out maps").exits(0).says("no map was drawn");
    folder.bench("winners run --over orders").exits(2).says("no such axis varies");
    let none = folder.bench("winners run --variant no-such-*").exits(5);
    none.says("has no such point");
}
