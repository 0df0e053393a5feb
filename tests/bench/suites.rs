//! `bench run`: suites as files and by name, interrupted and resumed, in shards, within a budget.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use harness::suite::Suite;
use reports::record::SummaryRow;
use reports::store::read_summary;
use serde_json::Value;

use crate::common::{
    BENCH, Folder, Run, copy_run, folder, in_repository, measuring, signal, toml_example,
    wait_until,
};

#[test]
fn a_dry_run_lists_inputs_and_measures_nothing() {
    let folder = folder();
    let dry_run = |flags: &str| folder.bench(format!("run smoke --dry-run {flags}")).exits(0);
    dry_run("").prints("smoke: 23 inputs, 74 candidates, at most 44s of sampling; inputs, checks and charts take more");
    let part =
        "smoke, shard 2/2: 11 inputs, 31 candidates, at most 19s of sampling; 20s for all of it\n";
    dry_run("--shard 2/2 --budget 20s").prints(part);
    folder.check("5 | run smoke --dry-run --shard 24/24 | fewer inputs than shards");
    let json: Value = dry_run("--format json").json();
    assert_eq!(json["inputs"].as_array().map(Vec::len), Some(23));
    let csv = dry_run("--format csv").stdout;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows = reader.records().map(|row| row.expect("a row"));
    let candidates = rows.map(|row| row[2].parse::<usize>());
    assert_eq!(candidates.sum::<Result<usize, _>>(), Ok(74));
    let left = fs::read_dir(folder.path()).expect("readable").count();
    assert_eq!(left, 0);
}

#[test]
fn a_suite_is_read_once_as_a_pipe_has_to_be() {
    let folder = folder();
    let suite = "name = \"piped\"\n[[task]]\nname = \"sort\"\nvariants = \"std-stable\"\n\
        [task.axes]\ndigis = 1000\n";
    folder.write("suite.toml", suite);
    let script = format!("cat suite.toml | {BENCH} run /dev/stdin --dry-run");
    let run =
        Run::from_command(Command::new("sh").args(["-c", &script]).current_dir(folder.path()));
    run.exits(0).prints("piped: 1 input, 1 candidate");
}

#[test]
fn a_suite_with_unknown_names_is_refused_with_all_of_them() {
    let folder = folder();
    let text =
        "name = \"t\"\n[[task]]\nname = \"sort\"\nvariants = \"rdts\"\n[task.axes]\nsegmets = 24\n";
    folder.write("bad.toml", text);
    for line in ["run bad.toml", "run bad.toml --dry-run"] {
        let run = folder.bench(line).exits(2);
        run.says("bench: 2 problems in bad.toml\n")
            .says("\nbad.toml:4:12: unknown variant \"rdts\"; did you mean \"rdst\"?")
            .says("\nbad.toml:6:1: unknown axis \"segmets\" of sort; did you mean \"segments\"?");
    }
}

#[test]
fn an_invalid_suite_is_refused() {
    let folder = folder();
    fs::create_dir(folder.join("folder")).expect("made");
    folder.write("binary.toml", [0xff, 0xfe]);
    folder.check(
        r#"
            2 | run smok | did you mean "smoke"?
            2 | run missing/suite.toml | there is no file missing/suite.toml
            1 | run folder | folder:
            1 | run binary.toml | binary.toml:
            2 | run smoke --shard 3/2 | 1 ≤ I ≤ N
            2 | run smoke --merge a --shard 1/2 | --shard
        "#,
    );
}

#[test]
fn a_file_goes_before_a_built_in_suite() {
    let folder = folder();
    let text = "name = \"mine\"\n[[task]]\nname = \"sort\"\nvariants = \"rdst\"\nthreads = 1\n";
    folder.write("smoke", text);
    let run = folder.bench("run smoke --dry-run");
    run.prints("mine: 1 input, 1 candidate, ");
}

#[test]
fn the_documented_example_is_a_suite() {
    let page = fs::read_to_string(in_repository("docs/suites.md")).expect("readable");
    crate::common::set_tasks();
    let suite = Suite::parse("example", toml_example(&page));
    assert!(suite.is_ok(), "{:?}", suite.err());
}

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
