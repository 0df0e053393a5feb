//! Variants that are wrong, panic or can't run: reported, and never timed. One that got slower is
//! caught: measured, stored, compared, exit code 4.
//!
//! The variant is a part of this test and of nothing else.

use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use harness::failure::Exit;
use harness::request::{SampleRange, Settings};
use portable_gpu::DeviceError;
use portable_gpu::timing::{StageTiming, Stages};
use reports::history::{Store, Unfinished};
use reports::record::YesNo;
use tasks::device::Unavailable;

use crate::common::fake::{FakeCandidate, FakeTask, measure, request};
use crate::common::{Folder, calm, folder, measuring, row};

/// A task whose variants behave according to their names.
static BEHAVIOURS: FakeTask = FakeTask {
    name: "behave",
    variants: &["right", "wrong", "panicking", "unavailable", "failing"],
    prepare: behaving,
};

fn behaving(variant: &str) -> Result<FakeCandidate, Unavailable> {
    match variant {
        "unavailable" => Err(Unavailable("it needs another shape".into())),
        "panicking" => Ok(FakeCandidate::new(|| panic!("it lost its head"), true)),
        "failing" => Ok(FakeCandidate::new(failing_in_time, true)),
        name => Ok(FakeCandidate::new(|| Ok(stages()), name == "right")),
    }
}

fn stages() -> Stages {
    let stage = |name: &'static str, seconds| StageTiming {
        name: name.into(),
        seconds,
        calls: 1,
        bytes: 0,
        start_s: None,
    };
    vec![stage("first", 0.25), stage("second", 0.5)]
}

/// After the check, the warm-up, and a sample at least.
const RUNS_BEFORE_FAILURE: usize = 4;

/// Fails in the end, however its runs are divided into blocks. For a single test,
/// as tests may share a process.
fn failing_in_time() -> Result<Stages, DeviceError> {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    if RUNS.fetch_add(1, Ordering::Relaxed) < RUNS_BEFORE_FAILURE {
        return Ok(stages());
    }
    Err(DeviceError::Kernel {
        device: "cuda:0".to_owned(),
        kernels: "spoil".to_owned(),
        problem: "an illegal address".to_owned(),
    })
}

fn exit_of(variants: &[&str]) -> (Exit, Folder) {
    exit_after(variants, 3)
}

/// Takes `samples` samples of each variant.
fn exit_after(variants: &[&str], samples: usize) -> (Exit, Folder) {
    let folder = folder();
    let mut request = request(&BEHAVIOURS, folder.path());
    request.settings = Settings {
        samples: Some(SampleRange::exactly(samples)),
        // On a busy machine samples wait for a quiet moment.
        max_time: Duration::from_secs(60),
        variants: variants.iter().map(ToString::to_string).collect(),
        ..request.settings
    };
    (measure(&request).exit(), folder)
}

#[test]
fn only_right_variants_are_timed() {
    let (exit, folder) = exit_of(&["right", "wrong", "panicking", "unavailable"]);
    assert_eq!(exit, Exit::WrongOutput);
    let samples = folder.samples("");
    assert!(samples.iter().all(|sample| sample.variant == "right"));
    let rows = folder.rows("");
    let note = |variant: &str| {
        let row = row(&rows, variant);
        assert_eq!((row.valid, row.median_s, row.samples), (YesNo::No, None, 0));
        row.note.clone()
    };
    assert_eq!(note("wrong"), "wrong output: not what was asked for");
    assert!(note("panicking").contains("it lost its head"));
    assert_eq!(note("unavailable"), "not run: it needs another shape");
}

#[test]
fn a_kernel_that_fails_is_reported_and_ends_no_other() {
    let (exit, folder) = exit_after(&["failing", "right"], 30);
    assert_eq!(exit, Exit::WrongOutput);
    let rows = folder.rows("");
    let failed = row(&rows, "failing");
    assert_eq!((failed.valid, failed.median_s), (YesNo::No, None));
    let expected = "failed: a kernel failed on cuda:0 (spoil): an illegal address";
    assert_eq!(failed.note, expected);
    assert_eq!(row(&rows, "right").valid, YesNo::Yes);
    // Earlier measurements are kept.
    let samples = folder.samples("");
    assert!(samples.iter().any(|sample| sample.variant == "failing"));
}

#[test]
fn stages_have_rows_of_their_own() {
    let (exit, folder) = exit_of(&["right"]);
    assert_eq!(exit, Exit::Success);
    let rows = folder.rows("");
    let stages = rows.iter().map(|row| (row.stage.as_str(), row.samples));
    assert!(stages.eq([("total", 3), ("first", 3), ("second", 3)]));
    assert_eq!(rows[1].median_s, Some(0.25));
    assert_eq!(rows[2].median_s, Some(0.5));
    assert_eq!(folder.samples("").len(), 9);
}

#[test]
fn refused_shapes_are_no_failure_unless_nothing_is_left() {
    assert_eq!(exit_of(&["right", "unavailable"]).0, Exit::Success);
    assert_eq!(exit_of(&["unavailable"]).0, Exit::NothingMeasured);
}

/// Turns of a loop: some 50 µs.
const TURNS: u64 = 100_000;
/// Larger than what concurrent tests can hide.
const SLOWDOWN: u64 = 8;

/// A task with one variant, which goes round in circles.
static BEFORE: FakeTask = FakeTask {
    name: "loop",
    variants: &["round"],
    prepare: |_| Ok(FakeCandidate::new(|| turn(TURNS), true)),
};

/// The task with slower code.
static SLOWED: FakeTask = FakeTask {
    name: "loop",
    variants: &["round"],
    prepare: |_| Ok(FakeCandidate::new(|| turn(SLOWDOWN * TURNS), true)),
};

fn turn(turns: u64) -> Result<Stages, DeviceError> {
    for turn in 0..turns {
        black_box(turn);
    }
    Ok(Stages::new())
}

/// Measures the task and stores the run; returns its name.
fn measured(task: &'static FakeTask, out: &Path, store: &Store) -> String {
    let mut request = request(task, out);
    request.settings.samples = Some(SampleRange::exactly(40));
    request.settings.max_time = Duration::from_secs(20);
    request.session.profile = true;
    measure(&request);
    calm(out);
    let added = store.add(out, Unfinished::Refuse).expect("stored");
    added.id().to_owned()
}

#[test]
fn a_slowed_variant_is_caught_end_to_end() {
    let Some(folder) = measuring() else { return };
    let store = Store::create_or_open(&folder.join("store")).expect("a store");
    let before = measured(&BEFORE, &folder.join("before"), &store);
    store.accept(&before, "the baseline").expect("accepted");
    let slowed = measured(&SLOWED, &folder.join("slowed"), &store);

    let line = "compare accepted latest --store store --junit verdict.xml --markdown verdict.md";
    let run = folder.bench(line).exits(4);
    run.prints("SLOWER");
    run.prints(&slowed);
    assert!(folder.read("verdict.xml").contains("<failure"));
    assert!(folder.read("verdict.md").contains("### 1 point is slower"));

    // The other way round it is faster, which is no regression.
    let run = folder.bench(format!("compare {slowed} {before} --store store"));
    run.exits(0).prints("FASTER");
}
