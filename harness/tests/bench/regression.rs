//! A variant that got slower is caught: measured, stored, compared, exit code 4.
//!
//! The variant is a part of this test and of nothing else.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use algorithms::device::gpu::DeviceError;
use algorithms::timing::Stages;
use harness::request::SampleRange;
use reports::history::{Store, Unfinished};

use crate::common::fake::{FakeCandidate, FakeTask, measure, request};
use crate::common::{calm, measuring};

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
