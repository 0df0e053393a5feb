//! The gate of comparisons: its self-test, and measuring again.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::common::{BENCH, Folder, Run, calm, edit, edit_record, measuring, signal, wait_until};
use reports::compare::Comparison;
use reports::history::Store;
use reports::record::Trial;

/// Two points of some microseconds.
const SUITE: &str = r#"
name = "tiny"
[defaults]
samples = "10"
max-time = "300ms"
threads = 1
[[task]]
name = "sort"
variants = ["std-*"]
axes = { digis = "2k", segments = 24 }
"#;

/// Slowdown of the fabricated run relative to the base.
const MADE_UP: f64 = 100.0;
/// Smaller differences are SAME at the first comparison, even on a busy machine.
const CONFIRM: &str = "compare base new --confirm --min-effect 99% --store store";

fn suite() -> Option<Folder> {
    let folder = measuring()?;
    folder.write("tiny.toml", SUITE);
    Some(folder)
}

#[test]
fn a_self_test_is_kept_and_stands_below_comparisons() {
    let Some(folder) = suite() else { return };
    let line = "selftest --suite tiny.toml --store store --out runs --quiet";
    let run = folder.bench(line).exits(0);
    run.prints("separate runs").prints("paired runs");
    let run = folder.record("runs/run-0");
    let store = Store::open(&folder.join("store")).expect("a store");
    let test = store.self_test(&run).expect("readable").expect("kept");
    let slowdowns: Vec<_> = test.trials.iter().map(|trial| trial.slowdown).collect();
    assert_eq!(slowdowns, [0.0, 0.01, 0.02, 0.05, 0.1]);
    // Two points: ten pairs of five plain runs, each slowed run with all of them.
    let points = |trials: &[Trial]| trials.iter().map(|trial| trial.points).collect::<Vec<_>>();
    assert_eq!(points(&test.trials), [20, 10, 10, 10, 10]);
    // In paired runs each of the two points has one slowdown, and none.
    let paired = points(&test.paired);
    assert_eq!((paired[0], paired[1..].iter().sum::<usize>()), (2, 2));
    let runs: Vec<_> = test.scatter.iter().map(|point| point.runs).collect();
    assert_eq!(runs, [9, 9]);
    let compared = folder.bench("compare runs/run-0 runs/run-1 --store store");
    assert!(matches!(compared.code, Some(0 | 4)), "{}", compared.stderr);
    for expected in ["selftest of 20", "separate runs: ", "paired runs: "] {
        compared.prints(expected);
    }
    let line = "run tiny.toml --store store --out pair --no-charts --no-ceilings --quiet --against";
    let paired = folder.bench(format!("{line} {BENCH}"));
    assert!(matches!(paired.code, Some(0 | 4 | 5)), "{}", paired.story());
    paired.prints("selftest of 20");
}

/// Replaces the measured samples by those of an idle machine: within 0.5 % of `middle`.
fn make_up(run: &Path, middle: f64) {
    edit(run, |row| {
        row.seconds = middle * (1.0 + 0.001 * (row.sample % 5) as f64);
    });
    calm(run);
}

/// Runs `base` and `new` without a store, the second of which is made up to be much slower.
fn base_and_slower() -> Option<Folder> {
    let folder = suite()?;
    let line = "run tiny.toml --no-charts --no-ceilings --quiet --no-store --out";
    for (out, middle) in [("base", 1e-5), ("new", MADE_UP * 1e-5)] {
        folder.bench(format!("{line} {out}")).exits(0);
        make_up(&folder.join(out), middle);
    }
    Some(folder)
}

#[test]
fn doubtful_points_are_measured_again_by_both_executables() {
    let Some(folder) = suite() else { return };
    let line = "run tiny.toml --no-charts --no-ceilings --quiet --out";
    for out in ["base --store store", "new"] {
        folder.bench(format!("{line} {out}")).exits(0);
    }
    // Nothing really takes a hundred times as long: measuring again shows it,
    // whatever else the machine does meanwhile.
    make_up(&folder.join("base"), 1e-5);
    make_up(&folder.join("new"), MADE_UP * 1e-5);
    folder.bench("compare base new --store store").exits(4);
    let run = folder.bench(format!("{CONFIRM} --confirm-time 1h --all --format json"));
    run.says("again, interleaved with store/executables/");
    let comparison: Comparison = run.json();
    for point in &comparison.points {
        let reason = &point.reason;
        let again = reason.starts_with("confirmed: ")
            || reason.starts_with("SLOWER at first; measured again: ");
        assert!(again, "{reason}");
        assert!(point.ratio < MADE_UP / 4.0, "{}: {reason}", point.ratio);
    }
    let results = fs::read_dir(folder.join("results")).expect("a folder");
    let mut results = results.flatten().map(|entry| entry.path());
    let confirmed = results.find(|path| path.join("base").is_dir());
    let confirmed = confirmed.expect("the new samples are kept");
    assert!(confirmed.join("base/samples.csv").exists());
    assert!(confirmed.join("samples.csv").exists());
    // Without the time for it the first verdict stays.
    let run = folder.bench(format!("{CONFIRM} --confirm-time 1ms"));
    run.exits(4).prints("did not fit into --confirm-time 1ms");
}

#[test]
fn points_that_cannot_be_measured_again_are_not_advised_again() {
    let Some(folder) = base_and_slower() else { return };
    edit_record(&folder.join("base"), |record| {
        record["software"]["fingerprint"] = "build:lost".into();
    });
    let run = folder.bench("compare base new --confirm").exits(4);
    run.prints("not measured again: the executable that made the base was not kept");
    assert!(!run.stdout.contains("next: bench compare base new --confirm"), "{}", run.story());
    // Nothing is slower, but the requested confirmation was not possible.
    make_up(&folder.join("new"), 1e-6);
    folder.bench("compare base new").exits(0);
    folder.bench("compare base new --confirm").exits(5);
}

#[test]
fn an_interrupt_while_measuring_again_is_reported() {
    let Some(folder) = base_and_slower() else { return };
    // The made up base makes each point take its whole time.
    let mut command = folder.command("compare base new --confirm --confirm-time 1h");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the binary runs");
    wait_until(|| folder.join("results").is_dir());
    signal(&child, "INT");
    let run = Run::end_of(child).exits(130);
    assert!(!run.stdout.contains("did not fit"), "{}", run.story());
}

#[test]
fn a_run_by_this_very_executable_is_measured_again_without_a_store() {
    let Some(folder) = base_and_slower() else { return };
    let run = folder.bench("compare base new --confirm --confirm-time 1h --min-effect 99%");
    run.says("measuring 2 points again");
    assert!(!run.stdout.contains("was not kept"), "{}", run.story());
}
