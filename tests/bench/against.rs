//! `bench run --against`: paired runs of a suite with a baseline.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::{BENCH, Folder, Run, measuring, program};
use reports::record::SummaryRow;
use serde_json::Value;

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

fn suite() -> Option<Folder> {
    let folder = measuring()?;
    folder.write("pair.toml", SUITE);
    Some(folder)
}

/// Measures a paired run whose baseline is a script instead of `bench`.
fn against_script(folder: &Folder, script: &str, flags: &str) -> Run {
    program(folder, "base.sh", script);
    let line = "run pair.toml --against base.sh --out r";
    folder.bench(format!("{line} {flags}"))
}

#[test]
fn both_sides_leave_a_run_that_names_the_pair() {
    let Some(folder) = suite() else { return };
    let line = format!("run pair.toml --against {BENCH} --out r --format json --quiet");
    let run = folder.bench(line);
    assert!(matches!(run.code, Some(0 | 4)), "{}", run.stderr);
    let comparison: Value = run.json();
    assert_eq!(comparison["points"].as_array().map(Vec::len), Some(2));
    let new = folder.record("r");
    let base = folder.record("r/base");
    assert!(new.pair.is_some() && new.pair == base.pair);
    assert!(new.finished.is_some() && new.effort.is_some_and(|effort| effort.timed_s > 0.0));
    let is_whole = |row: &SummaryRow| row.samples > 10 && row.memory_bytes.is_some();
    assert!(folder.rows("r").iter().all(is_whole));
    // The same rounds give the same verdicts.
    let again: Value = folder.bench("compare r/base r --format json").json();
    for point in 0..2 {
        let ratio = |of: &Value| of["points"][point]["ratio"].clone();
        assert_eq!(ratio(&again), ratio(&comparison));
    }
}

#[test]
fn a_base_that_does_not_speak_the_protocol_is_refused() {
    let Some(folder) = suite() else { return };
    // It prints the reason some time after it closed its pipes.
    let script = "exec <&- >&-; sleep 0.2; echo 'error: unrecognized subcommand' >&2; exit 2";
    let run = against_script(&folder, script, "").exits(2);
    run.says("unrecognized subcommand").says("choose a later base");
    assert!(!folder.join("r").exists(), "nothing was begun");
    folder.check("2 | run pair.toml --against no-such-base | no-such-base");
}

/// Runs a command of git, where there is one.
fn git(folder: &Folder, line: &str) -> bool {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]);
    let ended = git.args(line.split(' ')).current_dir(folder.path()).output();
    ended.is_ok_and(|output| output.status.success())
}

#[test]
fn revisions_are_those_of_the_checkout_and_the_new_side_is_the_bench_that_runs() {
    let Some(folder) = suite() else { return };
    if !git(&folder, "init --quiet origin") {
        eprintln!("skipped: git can't be run");
        return;
    }
    for content in ["first", "second"] {
        folder.write("origin/file", content);
        assert!(git(&folder, "-C origin add file"));
        assert!(git(&folder, "-C origin commit --quiet --no-gpg-sign -m message"));
    }
    let origin = format!("file://{}", folder.join("origin").display());
    assert!(git(&folder, &format!("clone --quiet --depth 1 {origin} shallow")));
    program(&folder, "cargo", "echo 'no cargo here' >&2; exit 1");
    let against = |checkout: &str| {
        let mut command = folder.command("run ../pair.toml --against HEAD~1 --no-store --quiet");
        let path = std::env::var("PATH").expect("a search path");
        command.env("PATH", format!("{}:{path}", folder.path().display()));
        Run::from_command(command.current_dir(folder.join(checkout)))
    };
    let shallow = against("shallow").exits(2);
    shallow.says("--against HEAD~1").says("this is a shallow clone: fetch more history");
    let whole = against("origin").exits(1);
    whole.says("note: the new side is the bench that runs: it ").says("no cargo here");
}

#[test]
fn points_of_the_base_that_the_suite_lost_are_named() {
    let Some(folder) = suite() else { return };
    let line = "run pair.toml --no-charts --no-ceilings --quiet --store s --out";
    folder.bench(format!("{line} a")).exits(0);
    folder.write("pair.toml", SUITE.replace("\"std-stable\", ", ""));
    let run = folder.bench(format!("{line} b --against a"));
    assert!(matches!(run.code, Some(4 | 5)), "{}", run.story());
    run.prints("not judged: 1 point of the base's run: sort std-stable");
    assert_eq!(folder.rows("b").len(), 1);
}

/// First line of a child that implements the protocol.
const HELLO: &str = r#"{"hello":{"protocol":1,"software":{"version":"0","git_commit":null,"compiler":"","build_profile":"release","target":"","target_features":"","fingerprint":"code:0"}}}"#;

#[test]
fn a_child_that_dies_is_named_and_what_there_is_is_kept() {
    let Some(folder) = suite() else { return };
    let script = format!("read ask; echo '{HELLO}'; read ask; echo 'out of order' >&2; kill -9 $$");
    let run = against_script(&folder, &script, "").exits(1);
    for expected in ["the base side", "out of order", "signal: 9", "is kept in r"] {
        run.says(expected);
    }
    assert_eq!(folder.record("r").finished, None);
}

#[test]
fn a_child_that_hangs_is_ended_when_the_budget_is_over() {
    let Some(folder) = suite() else { return };
    let script = format!("read ask; echo '{HELLO}'; exec sleep 600");
    let start = Instant::now();
    // On a busy machine a second may be over before it is asked anything.
    let asked = |budget: &str| {
        let _ = fs::remove_dir_all(folder.join("r"));
        let run = against_script(&folder, &script, &format!("--budget {budget}"));
        (run.code == Some(1)).then_some(run)
    };
    let run = ["1s", "4s", "16s", "64s"].iter().find_map(|budget| asked(budget));
    let run = run.expect("a budget is enough");
    for expected in ["the base side", "did not find the points", "is kept in r"] {
        run.says(expected);
    }
    // Less than the ten minutes that a child may take without a budget.
    assert!(start.elapsed() < Duration::from_secs(300));
    assert_eq!(folder.record("r").finished, None);
}
