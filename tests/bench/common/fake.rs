//! A task that does what a test wants it to, and fabricated runs.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Duration;

use generators_common::DataError;
use harness::measure::{RunResult, RunSpec, Session};
use harness::plan::Plan;
use harness::platform::Interrupt;
use harness::request::{AxisValues, MeasureRequest, SampleRange, Settings, Source};
use portable_gpu::DeviceError;
use portable_gpu::timing::Stages;
use reports::record::{SampleRow, SummaryRow};
use tasks::algorithm::{self, CheckError, InputFiles, Semantics, TaskInfo, Work};
use tasks::axis::Params;
use tasks::device::{Backend, Device, Target, Unavailable};
use tasks::task::{Candidate, Case, Task, VariantInfo};

use super::Folder;

/// A task without axes, whose variants are made up.
#[derive(Clone, Copy)]
pub struct FakeTask {
    /// The subcommand's name.
    pub name: &'static str,
    /// The names of its variants.
    pub variants: &'static [&'static str],
    /// Gets a variant ready, by its name.
    pub prepare: fn(&str) -> Result<FakeCandidate, Unavailable>,
}

/// A variant that is ready.
pub struct FakeCandidate {
    run: fn() -> Result<Stages, DeviceError>,
    is_right: bool,
    stages: Stages,
}

impl FakeCandidate {
    /// A variant of which this is timed, and whose output is right or not.
    pub fn new(run: fn() -> Result<Stages, DeviceError>, is_right: bool) -> Self {
        FakeCandidate { run, is_right, stages: Stages::new() }
    }
}

/// The only input of a task.
struct FakeCase(FakeTask, Params);

impl Task for FakeTask {
    fn info(&self) -> TaskInfo {
        TaskInfo {
            name: self.name,
            summary: "do what a test wants",
            input: self.name,
            file_endings: &["csv", "bin"],
            axes: &[],
            file_axes: &[],
            metrics: &[],
        }
    }

    fn variants(&self) -> Vec<VariantInfo> {
        let info = |name: &&'static str| VariantInfo {
            name,
            summary: "",
            backend: Backend::Cpu,
            stable: true,
            semantics_supported: &[Semantics::Exact],
            nested: None,
            native: None,
            plugin: None,
            unavailable_reason: None,
            code: 0,
        };
        self.variants.iter().map(info).collect()
    }

    fn plan(&self, params: Params) -> Result<algorithm::Plan, DataError> {
        let memory_bytes = 0;
        Ok(algorithm::Plan { params, memory_bytes })
    }

    fn generate(&self, _: &Params, _: u64) -> Result<Box<dyn Case>, DataError> {
        Ok(Box::new(FakeCase(*self, Params::default())))
    }

    fn read(&self, files: &InputFiles, _: &Params) -> Result<Box<dyn Case>, DataError> {
        Err(DataError::UnknownFileType(files.first().to_owned()))
    }

    fn hard_cases(&self, _: u64) -> Vec<(String, Box<dyn Case>)> {
        Vec::new()
    }
}

impl Case for FakeCase {
    fn params(&self) -> &Params {
        &self.1
    }

    fn work(&self) -> Work {
        Work {
            items: 1,
            item_unit: "act",
            bytes_min: 1,
            input_bytes: 1,
            has_reference: true,
            ..Work::default()
        }
    }

    fn prepare<'c>(
        &'c self,
        variant: usize,
        _: &Target<'_>,
    ) -> Result<Box<dyn Candidate + 'c>, Unavailable> {
        let task = &self.0;
        Ok(Box::new((task.prepare)(task.variants[variant])?))
    }

    fn drop_buffers(&self) {}

    fn write(&self, path: &Path) -> Result<(), DataError> {
        Err(DataError::UnknownFileType(path.to_owned()))
    }

    fn check_reference(&self) -> Result<(), CheckError> {
        Ok(())
    }

    fn refused_mutants(&self, _: u64) -> Result<usize, String> {
        Ok(0)
    }

    fn rejects_no_op(&self) -> bool {
        true
    }
}

impl Candidate for FakeCandidate {
    fn reset(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        self.stages = (self.run)()?;
        Ok(())
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        Ok(self.stages.clone())
    }

    fn check(&mut self) -> Result<(), Box<dyn Error + Send + Sync>> {
        if !self.is_right {
            return Err("not what was asked for".into());
        }
        Ok(())
    }

    fn release(&mut self) {}

    fn buffer_bytes(&self) -> u64 {
        0
    }
}

/// Measures what is asked for.
pub fn measure(request: &MeasureRequest) -> RunResult {
    let plan = Plan::new(request).expect("a plan");
    let run_spec = RunSpec::for_task(request, &plan);
    Session::run(&run_spec, &Interrupt::default()).expect("a run")
}

/// Returns the request of `bench TASK --threads 1 --out DIR` with three samples per variant.
pub fn request(task: &'static FakeTask, out: &Path) -> MeasureRequest {
    let settings = Settings {
        devices: vec![Device::Cpu],
        threads: vec![vec![1.into()]],
        samples: Some(SampleRange::exactly(3)),
        max_time: Duration::from_secs(1),
        ..Settings::default()
    };
    let source = Source::Generated(AxisValues::default());
    let mut request = MeasureRequest::new(task, source, settings);
    request.session.output.out = Some(out.to_owned());
    request.session.output.quiet = true;
    request.command = vec!["bench".into(), task.name.into()];
    request
}

const RECORD: &str = r#"{"schema_version": 1, "command": ["bench", "sort"],
  "started": "STARTED", "finished": "2027-01-01T00:01:00Z", "seed": SEED,
  "software": {"version": "0.1.0", "git_commit": "abc123", "compiler": "rustc",
    "build_profile": "release", "target": "x86_64", "target_features": ""},
  "machine_key": "00ff",
  "machine": {"cpu_model": "Model", "architecture": "x86_64", "packages": 1, "cores": 2,
    "hardware_threads": 2, "numa_nodes": 1, "caches": [], "memory_bytes": 1024, "gpus": []},
  "environment": {"kernel": "Linux", "governor": null, "transparent_huge_pages": null,
    "load_1min": 0.5, "available_memory_bytes": 1024, "usable_threads": 2},
  "ceilings": {}, "notes": []}"#;

/// A run folder as `bench sort` leaves it, with a row_of for each variant and its median; the
/// fingerprint is always the same.
pub fn write_run(folder: &Folder, name: &str, started: &str, seed: usize, medians: &[(&str, f64)]) {
    fs::create_dir(folder.join(name)).expect("made");
    let record = RECORD.replace("STARTED", started);
    let record = record.replace("SEED", &seed.to_string());
    let rows = medians.iter().map(|(variant, median)| row_of(variant, *median));
    let rows: String = rows.collect();
    folder.write(format!("{name}/run.json"), record);
    folder.write(format!("{name}/summary.csv"), format!("{}\n{rows}", SummaryRow::COLUMNS));
    folder.write(format!("{name}/samples.csv"), format!("{}\n", SampleRow::COLUMNS));
}

fn row_of(variant: &str, median: f64) -> String {
    format!(
        "sort,{variant},total,cpu,cpu,2,none,false,hot,digis=1000;segments=24,1000,digi,16000,\
         10,samples,{median},{median},0,{median},{median},{median},{median},,,1e6,1.6e7,,16000,2,\
         yes,yes,abc,,,,,,,,,\n"
    )
}
