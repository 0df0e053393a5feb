//! Variants that are wrong, panic or can't run: told, and never timed.

mod common;

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use algorithms::algorithm::{Plan as PointPlan, Stage, Stages, Unavailable, Work};
use algorithms::axis::{Axis, Params};
use algorithms::device::gpu::DeviceError;
use algorithms::device::{Backend, Device, Place};
use algorithms::task::{Candidate, Case, Task, VariantInfo};
use common::folder;
use generators::DataError;
use harness::cli::{AxisValues, CacheMode, MeasureRequest, SampleRange, Source};
use harness::failure::Exit;
use harness::measure::{Assignment, Session};
use harness::plan::Plan;
use harness::platform::Interrupt;
use reports::record::YesNo;
use reports::store::{read_samples, read_summary};
use reports::table::Format;

/// A task whose variants behave as their names say.
struct Behaviours;

const VARIANTS: [&str; 5] = ["right", "wrong", "panicking", "unavailable", "failing"];

impl Task for Behaviours {
    fn name(&self) -> &'static str {
        "behave"
    }

    fn summary(&self) -> &'static str {
        "behave in different ways"
    }

    fn axes(&self) -> &'static [Axis] {
        &[]
    }

    fn variants(&self) -> Vec<VariantInfo> {
        let info = |name| VariantInfo {
            name,
            summary: "",
            backend: Backend::Cpu,
            stable: true,
            team_levels: 1,
        };
        VARIANTS.map(info).to_vec()
    }

    fn plan(&self, params: Params) -> Result<PointPlan, DataError> {
        Ok(PointPlan {
            params,
            memory_bytes: 0,
        })
    }

    fn generate(&self, _: &Params, _: u64) -> Result<Box<dyn Case>, DataError> {
        Ok(Box::new(Situation(Params::default())))
    }

    fn read(&self, path: &Path) -> Result<Box<dyn Case>, DataError> {
        Err(DataError::UnknownFileType(path.to_owned()))
    }

    fn hard_cases(&self, _: u64) -> Vec<(String, Box<dyn Case>)> {
        Vec::new()
    }
}

struct Situation(Params);

impl Case for Situation {
    fn params(&self) -> &Params {
        &self.0
    }

    fn work(&self) -> Work {
        Work {
            items: 1,
            item_unit: "act",
            bytes_min: 1,
            input_bytes: 1,
            has_reference: true,
        }
    }

    fn prepare<'c>(
        &'c self,
        variant: usize,
        _: &Place<'_>,
    ) -> Result<Box<dyn Candidate + 'c>, Unavailable> {
        match VARIANTS[variant] {
            "unavailable" => Err(Unavailable("it needs another shape".into())),
            name => Ok(Box::new(Behaviour { name, runs: 0 })),
        }
    }

    fn drop_buffers(&self) {}

    fn write(&self, path: &Path) -> Result<(), DataError> {
        Err(DataError::UnknownFileType(path.to_owned()))
    }

    fn rejects_no_op(&self) -> bool {
        true
    }
}

struct Behaviour {
    name: &'static str,
    runs: usize,
}

impl Candidate for Behaviour {
    fn reset(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        assert_ne!(self.name, "panicking", "it lost its head");
        self.runs += 1;
        match self.name {
            // The check and the warm-up are the first two.
            "failing" if self.runs > 4 => Err(DeviceError::Kernel {
                device: "cuda:0".to_owned(),
                kernels: "spoil".to_owned(),
                problem: "an illegal address".to_owned(),
            }),
            _ => Ok(()),
        }
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        let stage = |name, seconds| Stage {
            name,
            seconds,
            calls: 1,
            bytes: 0,
        };
        Ok(vec![stage("first", 0.25), stage("second", 0.5)])
    }

    fn check(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        if self.name == "wrong" {
            Err("not what was asked for".into())
        } else {
            Ok(())
        }
    }

    fn release(&mut self) {}

    fn buffer_bytes(&self) -> u64 {
        2
    }
}

fn request(out: &Path, variants: &[&str]) -> MeasureRequest {
    MeasureRequest {
        task: &Behaviours,
        source: Source::Generated(AxisValues::default()),
        variants: variants.iter().map(ToString::to_string).collect(),
        devices: vec![Device::Cpu],
        threads: vec![1],
        places: vec![],
        binds: vec![],
        caches: vec![CacheMode::Hot],
        seed: 1,
        samples: SampleRange { min: 3, max: 3 },
        max_time: Duration::from_secs(1),
        precision: 0.01,
        out: Some(out.to_owned()),
        format: Format::Table,
        charts: false,
        quiet: true,
        profile: false,
        command: vec!["bench".into()],
    }
}

fn exit_of(variants: &[&str]) -> (Exit, tempfile::TempDir) {
    let folder = folder();
    let request = request(folder.path(), variants);
    let plan = Plan::new(&request).expect("a plan");
    let outcome =
        Session::run(&Assignment::of(&request, &plan), &Interrupt::default()).expect("a run");
    (outcome.exit(), folder)
}

#[test]
fn only_right_variants_are_timed() {
    let (exit, folder) = exit_of(&[]);
    assert_eq!(exit, Exit::WrongOutput);
    let samples = read_samples(folder.path()).expect("readable");
    let timed = |variant: &str| ["right", "failing"].contains(&variant);
    assert!(samples.iter().all(|sample| timed(&sample.variant)));
    let rows = read_summary(folder.path()).expect("readable");
    let note = |variant: &str| {
        let row = rows
            .iter()
            .find(|row| row.variant == variant)
            .expect("a row");
        assert_eq!((row.valid, row.median_s, row.samples), (YesNo::No, None, 0));
        row.note.clone()
    };
    assert_eq!(note("wrong"), "wrong output: not what was asked for");
    assert!(note("panicking").contains("it lost its head"));
    assert_eq!(note("unavailable"), "not run: it needs another shape");
}

#[test]
fn a_kernel_that_fails_is_told_and_ends_no_other() {
    let (exit, folder) = exit_of(&["failing", "right"]);
    assert_eq!(exit, Exit::WrongOutput);
    let rows = read_summary(folder.path()).expect("readable");
    let row = |variant: &str| rows.iter().find(|row| row.variant == variant);
    let failed = row("failing").expect("a row");
    assert_eq!((failed.valid, failed.median_s), (YesNo::No, None));
    let expected = "failed: a kernel failed on cuda:0 (spoil): an illegal address";
    assert_eq!(failed.note, expected);
    assert_eq!(row("right").map(|row| row.samples), Some(3));
    // What was measured before is kept.
    let samples = read_samples(folder.path()).expect("readable");
    assert!(samples.iter().any(|sample| sample.variant == "failing"));
}

#[test]
fn stages_have_rows_of_their_own() {
    let (exit, folder) = exit_of(&["right"]);
    assert_eq!(exit, Exit::Success);
    let rows = read_summary(folder.path()).expect("readable");
    let stages: Vec<_> = rows
        .iter()
        .map(|row| (row.stage.as_str(), row.samples))
        .collect();
    assert_eq!(stages, [("total", 3), ("first", 3), ("second", 3)]);
    assert_eq!(
        (rows[1].median_s, rows[2].median_s),
        (Some(0.25), Some(0.5))
    );
    assert_eq!(read_samples(folder.path()).expect("readable").len(), 9);
}

#[test]
fn refused_shapes_are_no_failure_unless_nothing_is_left() {
    assert_eq!(exit_of(&["right", "unavailable"]).0, Exit::Success);
    assert_eq!(exit_of(&["unavailable"]).0, Exit::NothingMeasured);
}
