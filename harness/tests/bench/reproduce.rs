//! `bench reproduce` from the outside.

use std::fs;
use std::path::Path;

use crate::common::{bench_in, can_measure, folder};

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

fn file(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).expect(name)
}

#[test]
fn figures_are_measured_and_stand_beside_what_was_published() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("thesis"), THESIS).expect("written");
    let run = bench_in(path, "reproduce fig5.5 tab5.1 --budget 5s --out r --quiet");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let row = |label: &str| {
        let mut lines = run.stdout.lines();
        let line = lines.find(|line| line.starts_with(label));
        line.unwrap_or_else(|| panic!("{label}: {}", run.stdout))
            .to_owned()
    };
    let cluster = row("cluster, online, 1 thread");
    assert!(
        cluster.contains("2.48 s") && cluster.contains("2.14 ×"),
        "{cluster}"
    );
    assert!(cluster.contains(" a digi"), "{cluster}");
    assert!(
        row("block-merge, CPU").contains(" a digi"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains("(published: 4.67 ×): The stage presort is"),
        "{}",
        run.stdout
    );
    // Only what the figures need: neither 24 segments nor pages.
    let summary = file(path, "r/summary.csv");
    assert!(
        !summary.contains("segments=24") && !summary.contains("decode"),
        "{summary}"
    );
    let page = file(path, "r/reproduce.html");
    assert!(page.contains("tab5.1: The STS chain stage by stage") && page.contains("<svg"));
    assert!(path.join("r/published-tab5.1.png").exists());

    let json = bench_in(
        path,
        "reproduce tab5.1 fig3.6 --run r --format json --out o",
    );
    assert_eq!(json.code, Some(0), "{}", json.stderr);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert_eq!(json[0]["values"][0]["why_missing"], "not measured");
    assert!(json[1]["values"][0]["here_s"].is_number());
    assert!(path.join("o/published-fig3.6.svg").exists() && path.join("o/reproduce.html").exists());
    assert!(
        !path.join("r/published-fig3.6.svg").exists(),
        "others' runs stay as they are"
    );
    let report = bench_in(path, "report r --out report.md");
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    assert!(
        file(path, "report.md").contains("### fig5.5: Sorting 1.5 GB"),
        "in reports too"
    );
}

#[test]
fn what_makes_no_sense_or_has_nothing_is_told() {
    let folder = folder();
    let refused = |line: &str, code: i32, message: &str| {
        let run = bench_in(folder.path(), line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(message), "{line}: {}", run.stderr);
    };
    refused("reproduce fig5.9", 2, "did you mean \"fig5.");
    refused("reproduce --run gone", 2, "there is no store");
    refused("reproduce --run a/b", 1, "a/b");
}
