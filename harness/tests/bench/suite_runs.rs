//! `bench run`: stopped and gone on with, in shards, within a budget.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{BENCH, Run, bench_in, can_measure, folder};
use reports::record::SummaryRow;
use reports::store::{read_run, read_samples, read_summary};
use tempfile::TempDir;

/// Twelve points that take a fifth of a second each: they are never precise.
const SUITE: &str = r#"
name = "little"

[defaults]
samples = "10..5000"
max-time = "200ms"
precision = "0.001%"
threads = 1

[[task]]
name = "sort"
variants = ["std-*", "block-merge"]
[task.axes]
digis = ["10k", "20k"]
segments = [24, 100]
order = "random"
"#;

const POINTS: usize = 12;

fn suite() -> TempDir {
    let folder = folder();
    fs::write(folder.path().join("little.toml"), SUITE).expect("written");
    folder
}

fn little(folder: &Path, flags: &str) -> Run {
    bench_in(
        folder,
        &format!("run little.toml --no-charts --no-ceilings --quiet {flags}"),
    )
}

/// Every point once, with as many samples as its row says.
fn assert_complete(run: &Path) {
    let rows = read_summary(run).expect("readable");
    let mut samples: BTreeMap<String, usize> = BTreeMap::new();
    for sample in read_samples(run).expect("readable") {
        *samples.entry(sample.point_id).or_default() += 1;
    }
    let expected = rows.iter().map(|row| (row.point().id(), row.samples));
    assert_eq!(samples, expected.collect());
    assert_eq!((rows.len(), samples.len()), (POINTS, POINTS));
}

#[test]
fn a_run_killed_again_and_again_loses_and_repeats_nothing() {
    if !can_measure() {
        return;
    }
    let folder = suite();
    let run = folder.path().join("r");
    let deadline = Instant::now() + Duration::from_secs(120);
    let (mut kills, mut done): (_, Vec<SummaryRow>) = (0, Vec::new());
    loop {
        let line = "run little.toml --no-charts --no-ceilings --quiet --out r";
        let mut child = Command::new(BENCH)
            .args(line.split_whitespace())
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .expect("the binary runs");
        // Ever later, so that it comes to an end.
        std::thread::sleep(Duration::from_millis(100).mul_f64(1.4_f64.powi(kills)));
        if let Some(status) = child.try_wait().expect("waited for") {
            assert!(status.success(), "{status}");
            break;
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        kills += 1;
        assert!(Instant::now() < deadline, "no end after {kills} kills");
        if let Ok(rows) = read_summary(&run) {
            assert_eq!(rows[..done.len()], done[..], "what was done is kept");
            done = rows;
        }
    }
    assert!(kills > 2, "it was too fast to be killed: {kills}");
    assert_complete(&run);
    let record = read_run(&run).expect("readable");
    assert!(record.finished.is_some());
    let went_on = |note: &&String| note.starts_with("went on at");
    assert_eq!(record.notes.iter().filter(went_on).count(), 1);
}

#[test]
fn ctrl_c_and_the_same_command_again_complete_the_run() {
    if !can_measure() {
        return;
    }
    let folder = suite();
    let line = "run little.toml --no-charts --no-ceilings --quiet";
    let child = Command::new(BENCH)
        .args(line.split_whitespace())
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    std::thread::sleep(Duration::from_millis(600));
    let id = child.id().to_string();
    let signalled = Command::new("kill").args(["-s", "INT", &id]).status();
    assert!(signalled.expect("kill runs").success());
    let output = child.wait_with_output().expect("ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("the same command goes on"), "{said}");
    // Without a folder given it finds the run by itself.
    let again = little(folder.path(), "");
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(
        again.stderr.contains("going on with results/"),
        "{}",
        again.stderr
    );
    let entries = fs::read_dir(folder.path().join("results")).expect("runs");
    let is_run = |entry: &io::Result<DirEntry>| {
        entry
            .as_ref()
            .is_ok_and(|entry| entry.file_name() != "store")
    };
    let runs: Vec<_> = entries.filter(is_run).collect();
    assert_eq!(runs.len(), 1, "no second folder");
    assert_complete(&runs[0].as_ref().expect("a run").path());
    // A complete run is not gone on with.
    let anew = little(folder.path(), "");
    assert!(!anew.stderr.contains("going on"), "{}", anew.stderr);
}

#[test]
fn what_is_not_the_same_is_not_gone_on_with() {
    if !can_measure() {
        return;
    }
    let folder = suite();
    assert_eq!(little(folder.path(), "--out r --shard 1/2").code, Some(0));
    let other = little(folder.path(), "--out r");
    assert_eq!(other.code, Some(2), "{}", other.stderr);
    assert!(other.stderr.contains("another shard"), "{}", other.stderr);
    fs::write(
        folder.path().join("little.toml"),
        SUITE.replace("20k", "30k"),
    )
    .expect("written");
    let other = little(folder.path(), "--out r --shard 1/2");
    assert!(
        other.stderr.contains("another version of little"),
        "{}",
        other.stderr
    );
    let fresh = little(folder.path(), "--out r --shard 1/2 --fresh");
    assert_eq!(
        fresh.code,
        Some(2),
        "a run is never written over: {}",
        fresh.stderr
    );
}

#[test]
fn shards_are_merged_into_the_whole() {
    if !can_measure() {
        return;
    }
    let folder = suite();
    for shard in 1..=3 {
        let run = little(
            folder.path(),
            &format!("--shard {shard}/3 --out part{shard}"),
        );
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    let incomplete = little(folder.path(), "--out whole --merge part1 part3");
    assert_eq!(incomplete.code, Some(2), "{}", incomplete.stderr);
    assert!(
        incomplete.stderr.contains("given were the shards 1/3, 3/3"),
        "{}",
        incomplete.stderr
    );
    fs::create_dir(folder.path().join("part4")).expect("created");
    for file in ["run.json", "samples.csv", "summary.csv"] {
        let path = |part: &str| folder.path().join(part).join(file);
        fs::copy(path("part1"), path("part4")).expect("copied");
    }
    let twice = little(folder.path(), "--out whole --merge part1 part2 part3 part4");
    assert!(
        twice.stderr.contains("is in an earlier shard"),
        "{}",
        twice.stderr
    );
    let whole = little(folder.path(), "--out whole --merge part1 part2 part3");
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    assert_complete(&folder.path().join("whole"));
    let compared = bench_in(folder.path(), "compare part1 whole");
    assert_eq!(
        compared.code,
        Some(0),
        "{}{}",
        compared.stdout,
        compared.stderr
    );
}

#[test]
fn a_budget_is_kept_and_every_point_gets_something() {
    if !can_measure() {
        return;
    }
    let folder = suite();
    let start = Instant::now();
    let run = little(folder.path(), "--out r --budget 1s");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    // The budget is for sampling; starting and checking come on top.
    assert!(
        start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
    let rows = read_summary(&folder.path().join("r")).expect("readable");
    assert_eq!(rows.len(), POINTS);
    assert!(rows.iter().all(|row| row.samples > 0));
}
