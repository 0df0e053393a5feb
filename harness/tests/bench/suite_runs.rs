//! `bench run`: interrupted and resumed, in shards, within a budget.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{Folder, Run, copy_run, measuring, signal, wait_until};
use reports::record::SummaryRow;
use reports::store::read_summary;

/// Twelve points that take a tenth of a second each: they are never precise.
const SUITE: &str = r#"
name = "little"

[defaults]
samples = "10..5000"
max-time = "100ms"
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

fn suite() -> Option<Folder> {
    let folder = measuring()?;
    folder.write("little.toml", SUITE);
    Some(folder)
}

/// The command that measures it.
const LITTLE: &str = "run little.toml --no-charts --no-ceilings --quiet";

fn little(folder: &Folder, flags: &str) -> Run {
    folder.bench(format!("{LITTLE} {flags}"))
}

/// Asserts that every point is there once, with the number of samples in its row.
fn assert_complete(folder: &Folder, run: impl AsRef<Path>) {
    let rows = folder.rows(&run);
    let mut samples: BTreeMap<String, usize> = BTreeMap::new();
    for sample in folder.samples(run) {
        *samples.entry(sample.point_id).or_default() += 1;
    }
    let expected = rows.iter().map(|row| (row.point().id(), row.samples));
    assert_eq!(samples, expected.collect());
    assert_eq!((rows.len(), samples.len()), (POINTS, POINTS));
}

#[test]
fn a_run_killed_again_and_again_loses_and_repeats_nothing() {
    let Some(folder) = suite() else { return };
    let deadline = Instant::now() + Duration::from_secs(120);
    let mut kills = 0;
    let mut done: Vec<SummaryRow> = Vec::new();
    loop {
        let mut child = folder.start(&format!("{LITTLE} --out r"));
        // Ever later, so that it comes to an end.
        sleep(Duration::from_millis(100).mul_f64(1.6_f64.powi(kills)));
        if child.try_wait().expect("waited for").is_some() {
            Run::end_of(child).exits(0);
            break;
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        kills += 1;
        assert!(Instant::now() < deadline, "no end after {kills} kills");
        if let Ok(rows) = read_summary(&folder.join("r")) {
            assert_eq!(rows[..done.len()], done[..], "what was done is kept");
            done = rows;
        }
    }
    assert!(kills > 2, "it was too fast to be killed: {kills}");
    assert_complete(&folder, "r");
    let record = folder.record("r");
    assert!(record.finished.is_some());
    let went_on = |note: &&String| note.starts_with("resumed at");
    assert_eq!(record.notes.iter().filter(went_on).count(), 1);
}

/// The runs below `results/` that have measured a point.
fn runs(folder: &Folder) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("results")).into_iter().flatten();
    let runs = entries.flatten().map(|entry| entry.path());
    let is_begun = |run: &PathBuf| read_summary(run).is_ok_and(|rows| !rows.is_empty());
    runs.filter(is_begun).collect()
}

#[test]
fn ctrl_c_and_the_same_command_again_complete_the_run() {
    let Some(folder) = suite() else { return };
    let child = folder.start(LITTLE);
    wait_until(|| !runs(&folder).is_empty());
    signal(&child, "INT");
    let run = Run::end_of(child).exits(130);
    run.says("rerun the same command to resume: ");
    // Without a folder given it finds the run by itself.
    little(&folder, "").exits(0).says("resuming results/");
    let runs = runs(&folder);
    assert_eq!(runs.len(), 1, "no second folder");
    assert_complete(&folder, &runs[0]);
    // A complete run is not resumed.
    let anew = little(&folder, "--budget 1s");
    assert!(!anew.stderr.contains("going on"), "{}", anew.stderr);
}

#[test]
fn different_runs_are_not_resumed() {
    let Some(folder) = suite() else { return };
    little(&folder, "--out r --shard 1/2").exits(0);
    little(&folder, "--out r").exits(2).says("another shard");
    folder.write("little.toml", SUITE.replace("20k", "30k"));
    let other = little(&folder, "--out r --shard 1/2");
    other.says("another version of little");
    // A run is never written over.
    little(&folder, "--out r --shard 1/2 --fresh").exits(2);
}

#[test]
fn shards_are_merged_into_the_whole() {
    let Some(folder) = suite() else { return };
    for shard in 1..=3 {
        little(&folder, &format!("--shard {shard}/3 --out part{shard}")).exits(0);
    }
    let some = little(&folder, "--out whole --merge part1 part3").exits(2);
    some.says("given were the shards 1/3, 3/3");
    copy_run(&folder.join("part1"), &folder.join("part4"));
    let twice = little(&folder, "--out whole --merge part1 part2 part3 part4");
    twice.says("is in an earlier shard");
    little(&folder, "--out whole --merge part1 part2 part3").exits(0);
    assert_complete(&folder, "whole");
    folder.bench("compare part1 whole").exits(0);
}

#[test]
fn a_budget_is_kept_and_every_point_gets_something() {
    let Some(folder) = suite() else { return };
    // Only the budget ends it. On a busy machine a second may be over before the first sample.
    let endless = SUITE.replace("5000", "1000000000").replace("200ms", "1h");
    folder.write("little.toml", endless);
    let sampled = |budget: &&str| {
        little(&folder, &format!("--out {budget} --budget {budget}"));
        let rows = folder.rows(budget);
        rows.len() == POINTS && rows.iter().all(|row| row.samples > 0)
    };
    let budgets = ["1s", "4s", "16s", "64s"];
    assert!(budgets.iter().any(sampled), "no budget is enough");
}
