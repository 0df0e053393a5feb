//! A variant that got slower is caught: measured, stored, compared, exit code 4.
//!
//! The variant is a part of this test and of nothing else.

mod common;

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use algorithms::algorithm::{Plan as PointPlan, Unavailable, Work};
use algorithms::axis::{Axis, Params};
use algorithms::device::gpu::DeviceError;
use algorithms::device::{Backend, Device, Place};
use algorithms::task::{Candidate, Case, Task, VariantInfo};
use common::{bench_in, can_measure, folder};
use generators::DataError;
use harness::cli::{AxisValues, CacheMode, MeasureRequest, SampleRange, Source};
use harness::measure::{Assignment, Session};
use harness::plan::Plan;
use harness::platform::Interrupt;
use reports::history::{Store, Unfinished};
use reports::table::Format;

/// Turns of a loop: some 50 µs.
const TURNS: u64 = 100_000;

/// A task with one variant, which takes so many turns.
struct Loop {
    turns: u64,
}

static BEFORE: Loop = Loop { turns: TURNS };
/// Far more than other tests beside this one can hide.
static SLOWED: Loop = Loop { turns: 8 * TURNS };

impl Task for Loop {
    fn name(&self) -> &'static str {
        "loop"
    }

    fn summary(&self) -> &'static str {
        "go round in circles"
    }

    fn axes(&self) -> &'static [Axis] {
        &[]
    }

    fn variants(&self) -> Vec<VariantInfo> {
        vec![VariantInfo {
            name: "round",
            summary: "",
            backend: Backend::Cpu,
            stable: true,
            team_levels: 1,
        }]
    }

    fn plan(&self, params: Params) -> Result<PointPlan, DataError> {
        Ok(PointPlan {
            params,
            memory_bytes: 0,
        })
    }

    fn generate(&self, _: &Params, _: u64) -> Result<Box<dyn Case>, DataError> {
        Ok(Box::new(Circle(Params::default(), self.turns)))
    }

    fn read(&self, path: &Path) -> Result<Box<dyn Case>, DataError> {
        Err(DataError::UnknownFileType(path.to_owned()))
    }

    fn hard_cases(&self, _: u64) -> Vec<(String, Box<dyn Case>)> {
        Vec::new()
    }
}

struct Circle(Params, u64);

impl Case for Circle {
    fn params(&self) -> &Params {
        &self.0
    }

    fn work(&self) -> Work {
        Work {
            items: TURNS,
            item_unit: "turn",
            bytes_min: 1,
            input_bytes: 1,
            has_reference: true,
        }
    }

    fn prepare<'c>(
        &'c self,
        _: usize,
        _: &Place<'_>,
    ) -> Result<Box<dyn Candidate + 'c>, Unavailable> {
        Ok(Box::new(Walker(self.1)))
    }

    fn drop_buffers(&self) {}

    fn write(&self, path: &Path) -> Result<(), DataError> {
        Err(DataError::UnknownFileType(path.to_owned()))
    }

    fn rejects_no_op(&self) -> bool {
        true
    }
}

struct Walker(u64);

impl Candidate for Walker {
    fn reset(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        for turn in 0..self.0 {
            black_box(turn);
        }
        Ok(())
    }

    fn check(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        Ok(())
    }

    fn release(&mut self) {}

    fn buffer_bytes(&self) -> u64 {
        0
    }
}

/// Measures the task and stores the run; returns its name.
fn measured(task: &'static Loop, out: &Path, store: &Store) -> String {
    let request = MeasureRequest {
        task,
        source: Source::Generated(AxisValues::default()),
        variants: vec![],
        devices: vec![Device::Cpu],
        threads: vec![1],
        places: vec![],
        binds: vec![],
        caches: vec![CacheMode::Hot],
        seed: 1,
        samples: SampleRange { min: 40, max: 40 },
        max_time: Duration::from_secs(20),
        precision: 0.01,
        out: Some(out.to_owned()),
        format: Format::Table,
        charts: false,
        quiet: true,
        profile: true,
        command: vec!["bench".into(), "loop".into()],
    };
    let plan = Plan::new(&request).expect("a plan");
    let assignment = Assignment::of(&request, &plan);
    Session::run(&assignment, &Interrupt::default()).expect("a run");
    let added = store.add(out, Unfinished::Refuse).expect("stored");
    added.id().to_owned()
}

#[test]
fn a_slowed_variant_is_caught_end_to_end() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let store = Store::create_or_open(&folder.path().join("store")).expect("a store");
    let before = measured(&BEFORE, &folder.path().join("before"), &store);
    store.accept(&before, "the baseline").expect("accepted");
    let slowed = measured(&SLOWED, &folder.path().join("slowed"), &store);

    let line = "compare accepted latest --store store --junit verdict.xml --markdown verdict.md";
    let run = bench_in(folder.path(), line);
    assert_eq!(run.code, Some(4), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("SLOWER"), "{}", run.stdout);
    assert!(run.stdout.contains(&slowed), "{}", run.stdout);
    let read = |file: &str| std::fs::read_to_string(folder.path().join(file)).expect("written");
    assert!(read("verdict.xml").contains("<failure"));
    assert!(read("verdict.md").contains("### 1 point is slower"));

    // The other way round it is faster, which is no regression.
    let run = bench_in(
        folder.path(),
        &format!("compare {slowed} {before} --store store"),
    );
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("FASTER"), "{}", run.stdout);
}
