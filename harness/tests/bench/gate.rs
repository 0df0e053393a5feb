//! The gate of comparisons: its self-test, and measuring again.

use std::fs;
use std::path::Path;

use crate::common::{bench_in, calm, can_measure, edit, folder};
use reports::compare::Comparison;
use reports::history::Store;
use reports::record::Trial;
use reports::store::read_run;
use tempfile::TempDir;

/// Two points of some microseconds.
const SUITE: &str = "name = \"tiny\"\n[defaults]\nsamples = \"10\"\nmax-time = \"300ms\"\nthreads = 1\n\
    [[task]]\nname = \"sort\"\nvariants = [\"std-*\"]\naxes = { digis = \"2k\", segments = 24 }\n";

/// How much slower than the base the made up run is.
const MADE_UP: f64 = 100.0;

fn suite() -> TempDir {
    let folder = folder();
    fs::write(folder.path().join("tiny.toml"), SUITE).expect("written");
    folder
}

#[test]
fn a_self_test_is_kept_and_stands_below_comparisons() {
    if !can_measure() {
        return;
    }
    let folder = suite();
    let line = "selftest --suite tiny.toml --store store --out runs --quiet";
    let run = bench_in(folder.path(), line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("run after run"), "{}", run.stdout);
    assert!(run.stdout.contains("in turn"), "{}", run.stdout);
    let key = read_run(&folder.path().join("runs/run-0"))
        .expect("a run")
        .machine_key;
    let store = Store::open(&folder.path().join("store")).expect("a store");
    let test = store.self_test(&key).expect("readable").expect("kept");
    let slowdowns: Vec<_> = test.trials.iter().map(|trial| trial.slowdown).collect();
    assert_eq!(slowdowns, [0.0, 0.01, 0.02, 0.05, 0.1]);
    // Two points: ten pairs of five plain runs, each slowed run with all of them.
    let points = |trials: &[Trial]| trials.iter().map(|trial| trial.points).collect::<Vec<_>>();
    assert_eq!(points(&test.trials), [20, 10, 10, 10, 10]);
    // Each of the two points has one slowdown in turn, and none.
    let in_turn = points(&test.in_turn);
    assert_eq!((in_turn[0], in_turn[1..].iter().sum::<usize>()), (2, 2));
    let runs: Vec<_> = test.scatter.iter().map(|point| point.runs).collect();
    assert_eq!(runs, [9, 9]);
    let compared = bench_in(folder.path(), "compare runs/run-0 runs/run-1 --store store");
    assert!(matches!(compared.code, Some(0 | 4)), "{}", compared.stderr);
    for expected in ["selftest of 20", "run after run: ", "in turn: "] {
        assert!(compared.stdout.contains(expected), "{}", compared.stdout);
    }
}

/// Puts samples in the place of those that were measured, as a machine without
/// any other load would have taken them: 0.5 % around the middle.
fn make_up(run: &Path, middle: f64) {
    edit(run, |row| {
        row.seconds = middle * (1.0 + 0.001 * (row.sample % 5) as f64);
    });
    calm(run);
}

#[test]
fn what_is_doubtful_is_measured_again_by_both_executables() {
    if !can_measure() {
        return;
    }
    let folder = suite();
    for line in [
        "run tiny.toml --out base --store store",
        "run tiny.toml --out new",
    ] {
        let run = bench_in(folder.path(), &format!("{line} --no-charts --quiet"));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    // Nothing really takes a hundred times as long: measuring again shows it,
    // whatever else the machine does meanwhile.
    make_up(&folder.path().join("base"), 1e-5);
    make_up(&folder.path().join("new"), MADE_UP * 1e-5);
    let slower = bench_in(folder.path(), "compare base new --store store");
    assert_eq!(slower.code, Some(4), "{}{}", slower.stdout, slower.stderr);
    let line = "compare base new --confirm --confirm-time 1m --store store --all --format json";
    let run = bench_in(folder.path(), line);
    assert!(
        run.stderr
            .contains("again, in turn with store/executables/"),
        "{}",
        run.stderr
    );
    let comparison: Comparison = serde_json::from_str(&run.stdout).expect("JSON");
    for point in &comparison.points {
        let reason = &point.reason;
        let again = reason.starts_with("confirmed: ")
            || reason.starts_with("SLOWER at first; measured again: ");
        assert!(again, "{reason}");
        assert!(point.ratio < MADE_UP / 4.0, "{}: {reason}", point.ratio);
    }
    let confirmed = fs::read_dir(folder.path().join("results"))
        .expect("a folder")
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.join("base").is_dir());
    let confirmed = confirmed.expect("the new samples are kept");
    assert!(confirmed.join("base/samples.csv").exists());
    assert!(confirmed.join("samples.csv").exists());
    // Without the time for it the first verdict stays.
    let run = bench_in(
        folder.path(),
        "compare base new --confirm --confirm-time 1ms --store store",
    );
    assert_eq!(run.code, Some(4), "{}{}", run.stdout, run.stderr);
    assert!(
        run.stdout.contains("did not fit into --confirm-time 1ms"),
        "{}",
        run.stdout
    );
}
