//! `bench run --against`: a suite measured in turn with a base.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::{BENCH, bench_in, can_measure, folder};
use reports::store::{read_run, read_summary};
use tempfile::TempDir;

const SUITE: &str = r#"
name = "pair"
[defaults]
threads = 1
max-time = "100ms"
[[task]]
name = "sort"
variants = ["std-stable", "std-unstable"]
[task.axes]
digis = "2k"
segments = 3
"#;

fn suite() -> TempDir {
    let folder = folder();
    fs::write(folder.path().join("pair.toml"), SUITE).expect("written");
    folder
}

/// A base that is no `bench`, but a script.
fn script(folder: &Path, text: &str) {
    let path = folder.join("base.sh");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
}

#[test]
fn both_sides_leave_a_run_that_names_the_pair() {
    if !can_measure() {
        return;
    }
    let folder = suite();
    let line = format!("run pair.toml --against {BENCH} --out r --format json --quiet");
    let run = bench_in(folder.path(), &line);
    assert!(matches!(run.code, Some(0 | 4)), "{}", run.stderr);
    let comparison: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(comparison["points"].as_array().map(Vec::len), Some(2));
    let record = |name: &str| read_run(&folder.path().join(name)).expect("a run");
    let (new, base) = (record("r"), record("r/base"));
    assert!(new.pair.is_some() && new.pair == base.pair);
    assert!(new.finished.is_some() && new.effort.is_some_and(|effort| effort.timed_s > 0.0));
    let rows = read_summary(&folder.path().join("r")).expect("readable");
    assert!(
        rows.iter()
            .all(|row| row.samples > 10 && row.memory_bytes.is_some())
    );
    // The same rounds say the same again.
    let again = bench_in(folder.path(), "compare r/base r --format json");
    let again: serde_json::Value = serde_json::from_str(&again.stdout).expect("JSON");
    for point in 0..2 {
        let ratio = |of: &serde_json::Value| of["points"][point]["ratio"].clone();
        assert_eq!(ratio(&again), ratio(&comparison));
    }
}

#[test]
fn a_base_that_does_not_speak_the_protocol_is_refused() {
    if !can_measure() {
        return;
    }
    let folder = suite();
    script(
        folder.path(),
        "echo 'error: unrecognized subcommand' >&2; exit 2",
    );
    let run = bench_in(folder.path(), "run pair.toml --against base.sh --out r");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.contains("unrecognized subcommand"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("choose a later base"), "{}", run.stderr);
    assert!(!folder.path().join("r").exists(), "nothing was begun");
    let unknown = bench_in(folder.path(), "run pair.toml --against no-such-base");
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
    assert!(
        unknown.stderr.contains("no-such-base"),
        "{}",
        unknown.stderr
    );
}

/// What a child says that speaks the protocol.
const HELLO: &str = r#"{"hello":{"protocol":1,"software":{"version":"0","git_commit":null,"compiler":"","build_profile":"release","target":"","target_features":"","fingerprint":"code:0"}}}"#;

#[test]
fn a_child_that_dies_is_named_and_what_there_is_is_kept() {
    if !can_measure() {
        return;
    }
    let folder = suite();
    let text = format!("read ask; echo '{HELLO}'; read ask; echo 'out of order' >&2; kill -9 $$");
    script(folder.path(), &text);
    let run = bench_in(folder.path(), "run pair.toml --against base.sh --out r");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    for expected in ["the base side", "out of order", "signal: 9", "is kept in r"] {
        assert!(run.stderr.contains(expected), "{expected}: {}", run.stderr);
    }
    let record = read_run(&folder.path().join("r")).expect("readable");
    assert_eq!(record.finished, None);
}

#[test]
fn a_child_that_hangs_is_ended_when_the_budget_is_over() {
    if !can_measure() {
        return;
    }
    let folder = suite();
    script(
        folder.path(),
        &format!("read ask; echo '{HELLO}'; exec sleep 600"),
    );
    let start = Instant::now();
    let line = "run pair.toml --against base.sh --out r --budget 2s";
    let run = bench_in(folder.path(), line);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    for expected in ["the base side", "did not find the points", "is kept in r"] {
        assert!(run.stderr.contains(expected), "{expected}: {}", run.stderr);
    }
    // Far from the minutes that a child may take without a budget.
    assert!(start.elapsed() < Duration::from_secs(60));
    assert_eq!(
        read_run(&folder.path().join("r"))
            .expect("readable")
            .finished,
        None
    );
}
