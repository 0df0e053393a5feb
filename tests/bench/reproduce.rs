//! `bench reproduce` from the outside.

use crate::common::{folder, measuring};
use serde_json::Value;

/// A suite of the same name with far less to do goes before the one that is built in.
const THESIS: &str = r#"
name = "thesis"
description = "a little of it"
[defaults]
samples = "6..10"
max-time = "300ms"
[[task]]
name = "sort"
variants = ["block-merge", "segmented-radix"]
threads = "all"
axes = { segments = [24, 1792], digis = "100k", order = "random" }
[[task]]
name = "sts"
variants = ["offline", "online"]
threads = 1
axes = { preset = "cbm-auau", scale = 0.001 }
[[task]]
name = "decode"
variants = ["scalar"]
threads = "all"
device = ["cuda:9"]
axes = { zs = "link", sectors = 1, orbits = 1 }
"#;

#[test]
fn figures_are_measured_and_compared_with_published_values() {
    let Some(folder) = measuring() else { return };
    let path = folder.path();
    folder.write("thesis", THESIS);
    let line = "reproduce fig5.5 tab5.1 --budget 1h --out r --quiet";
    let run = folder.bench(line).exits(0);
    for (label, words) in [
        ("cluster, online, 1 thread", "2.48 s"),
        ("cluster, online, 1 thread", "2.14 ×"),
        ("cluster, online, 1 thread", " per digi"),
        ("block-merge, CPU", " per digi"),
    ] {
        let row = run.stdout.lines().find(|line| line.starts_with(label));
        let has = row.is_some_and(|row| row.contains(words));
        assert!(has, "{label}, {words}: {}", run.stdout);
    }
    run.prints("(published: 4.67 ×): The stage presort is");
    // Only what the figures need: neither 24 segments nor pages.
    let summary = folder.read("r/summary.csv");
    assert!(!summary.contains("segments=24") && !summary.contains("decode"));
    let page = folder.read("r/reproduce.html");
    assert!(page.contains("tab5.1: The STS chain stage by stage") && page.contains("<svg"));
    assert!(path.join("r/published-tab5.1.png").exists());

    let line = "reproduce tab5.1 fig3.6 --run r --format json --out o";
    let json: Value = folder.bench(line).exits(0).json();
    assert_eq!(json[0]["values"][0]["why_missing"], "not measured");
    assert!(json[1]["values"][0]["here_s"].is_number());
    assert!(path.join("o/published-fig3.6.svg").exists() && path.join("o/reproduce.html").exists());
    // The runs of others stay as they are.
    assert!(!path.join("r/published-fig3.6.svg").exists());
    folder.bench("report r --out report.md").exits(0);
    let report = folder.read("report.md");
    assert!(report.contains("### fig5.5: Sorting 1.5 GB"));
}

/// Streams are measured in addition to the points of the suite, which these figures do not need.
#[test]
fn figures_about_streams_are_measured_and_drawn() {
    let Some(folder) = measuring() else { return };
    let run = folder.bench("reproduce fig5.11 allen.plateau --budget 1s --out r --quiet").exits(0);
    for (label, words) in [
        ("digis a timeslice", "20 M digis"),
        ("a timeslice takes, CPU", " per digi"),
        ("one stream, CPU", "events a second"),
    ] {
        let row = run.stdout.lines().find(|line| line.starts_with(label));
        let has = row.is_some_and(|row| row.contains(words) && !row.contains("not measured"));
        assert!(has, "{label}, {words}: {}", run.stdout);
    }
    folder.has("r/data-challenge-cpu/stream.csv r/velo-events-cpu/throughput.csv r/summary.csv");
    folder.has("r/published-fig5.11.png r/published-allen.plateau.png");
    let page = folder.read("r/reproduce.html");
    assert!(page.contains("fig5.11: Digis, clusters and hits") && page.contains("<svg"));
    let line = "reproduce fig5.11 fig5.13 --run r --format json";
    let json: Value = folder.bench(line).exits(0).json();
    assert!(json[0]["values"][0]["here_count"].is_number(), "{json}");
    assert_eq!(json[1]["values"][0]["why_missing"], "not measured");
}

/// Four streams one after the other.
#[test]
#[ignore = "takes long; .ci/nightly runs it"]
fn data_rates_in_spills_and_pauses_are_measured() {
    let Some(folder) = measuring() else { return };
    let run =
        folder.bench("reproduce fig5.13 fig5.14 fig5.15 --budget 8s --out r --quiet").exits(0);
    let row = run.stdout.lines().find(|line| line.starts_with("STS, mean, CPU"));
    let has_both = row.is_some_and(|row| row.matches("bytes a second").count() == 2);
    assert!(has_both, "{}", run.stdout);
    for speed in ["0.25", "1", "4", "12"] {
        folder.has(&format!("r/beam-time-cpu-{speed}/stream.csv"));
    }
    folder.has("r/published-fig5.13.png r/published-fig5.14.png r/published-fig5.15.png");
    run.prints("Holds here, ");
}

#[test]
fn invalid_or_empty_input_is_reported() {
    folder().check(
        r#"
            2 | reproduce fig5.9 | did you mean "fig5.
            2 | reproduce --run gone | there is no store
            1 | reproduce --run a/b | a/b
        "#,
    );
}
