//! Plan of a measurement: its points, and whether they fit into memory.
//!
//! | module | holds |
//! |---|---|
//! | this | a plan: inputs, candidates, teams |
//! | `of_request` | plan for a request |
//! | `of_points` | plan for points named by another process |
//! | `quantities` | declarations of axes and metrics for records |
//! | `selection` | variants by name or glob |
//! | `teams` | teams of threads, and teams within teams |
//! | `memory` | memory check of points, and of files |

mod memory;
mod of_points;
mod of_request;
pub(crate) mod quantities;
mod selection;
mod teams;

use std::path::Path;

use generators_common::DataError;
use reports::record::{InputRecord, PluginRecord, Point};
use tasks::algorithm::InputFiles;
use tasks::axis::Params;
use tasks::device::Device;
use tasks::task::{Case, Task, VariantInfo};

use crate::platform::Exit;
use crate::request::CacheMode;
pub(crate) use memory::check_memory;
pub(crate) use memory::{check_events, check_free_memory};
pub(crate) use of_points::Candidates;
pub(crate) use of_request::{missing_devices, read_case, unknown_levels};
pub(crate) use quantities::record_params;
pub(crate) use selection::device_names;
pub(crate) use selection::{matching_variants, select_variants};
pub(crate) use teams::check_threads;
pub use teams::{TeamLayout, TeamSpec};

/// A request for which nothing can be measured.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The request is invalid, or needs more than the machine has.
    #[error("{0}")]
    Usage(String),
    /// Nothing can be run here, for the given reason.
    #[error("{0}")]
    NothingToMeasure(String),
    /// A file with a missing or damaged part, with `--strict`.
    #[error("{files}, {defect}; without --strict such parts are left out")]
    Defect {
        /// The files.
        files: String,
        /// The first defect.
        defect: String,
    },
    /// Data that can't be generated or read.
    #[error(transparent)]
    Data(#[from] DataError),
}

impl PlanError {
    /// Exit code for scripts.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            PlanError::Usage(_) => Exit::Usage,
            PlanError::NothingToMeasure(_) => Exit::NothingMeasured,
            PlanError::Defect { .. } => Exit::Failed,
            PlanError::Data(error) => error.into(),
        }
    }
}

/// Inputs to be measured, and the candidates that are interleaved on each of them.
pub struct Plan {
    /// Inputs.
    pub inputs: Vec<Input>,
    /// Teams of threads that the candidates run on.
    pub teams: Vec<TeamSpec>,
    /// Notes on requested items that are not available here.
    pub notes: Vec<String>,
    /// Requested devices that can't be used; the notes have the reasons.
    pub missing_devices: Vec<Device>,
    task: &'static dyn Task,
    infos: Vec<VariantInfo>,
}

/// An input with the candidates that are measured on it.
pub struct Input {
    /// Origin of the data.
    pub origin: Origin,
    /// Bytes of memory for the input, its reference and the buffers of a candidate; 0 if it was
    /// read from a file, because it is in memory already.
    pub memory_bytes: u64,
    /// Candidates.
    pub candidates: Vec<CandidateSpec>,
}

/// Origin of an input.
pub enum Origin {
    /// To be generated from complete parameters when it is needed.
    Generated(Params),
    /// Read from a file before anything is measured, so that a damaged file is reported immediately
    /// and leaves no empty run behind.
    Read {
        /// The files.
        files: InputFiles,
        /// Options for reading the file again.
        options: Params,
        /// Contents of the file.
        case: Box<dyn Case>,
    },
}

impl Origin {
    /// Notes for readers on the input.
    fn notes(&self) -> Vec<String> {
        match self {
            Origin::Generated(_) => Vec::new(),
            Origin::Read { case, .. } => case.notes(),
        }
    }
}

/// A variant with its execution configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CandidateSpec {
    /// Index of the variant in its task.
    pub variant: usize,
    /// Device that it runs on.
    pub device: Device,
    /// Index of its team.
    pub team: usize,
    /// State of the cache at the start of a sample.
    pub cache: CacheMode,
}

impl Plan {
    /// Identifies a candidate on an input.
    pub fn point(&self, input: &Input, spec: &CandidateSpec) -> Point {
        let team = &self.teams[spec.team].layout;
        Point {
            algorithm: self.task.name().to_owned(),
            variant: self.infos[spec.variant].name.to_owned(),
            device: spec.device.to_string(),
            threads: team.threads,
            cpu_sets: team.placement.cpu_sets_name(),
            bind: team.bind_name(),
            cache: spec.cache.name().to_owned(),
            params: record_params(input.params()),
        }
    }

    /// All points, input by input.
    pub fn points(&self) -> impl Iterator<Item = Point> {
        self.inputs.iter().flat_map(move |input| {
            let specs = input.candidates.iter();
            specs.map(move |spec| self.point(input, spec))
        })
    }

    /// Removes the points that `keep` rejects, and inputs without remaining points.
    pub fn retain(&mut self, mut keep: impl FnMut(&Point) -> bool) {
        for mut input in std::mem::take(&mut self.inputs) {
            let specs = std::mem::take(&mut input.candidates);
            let kept = specs.into_iter().filter(|spec| keep(&self.point(&input, spec)));
            input.candidates = kept.collect();
            if !input.candidates.is_empty() {
                self.inputs.push(input);
            }
        }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.inputs.iter().map(|input| input.candidates.len()).sum()
    }

    /// True if there is nothing to measure.
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// Task of the plan.
    pub fn task(&self) -> &'static dyn Task {
        self.task
    }

    /// Description of a candidate's variant.
    pub fn variant(&self, spec: &CandidateSpec) -> &VariantInfo {
        &self.infos[spec.variant]
    }
}

impl Input {
    /// Complete parameters of the input.
    pub fn params(&self) -> &Params {
        match &self.origin {
            Origin::Generated(params) => params,
            Origin::Read { case, .. } => case.params(),
        }
    }
}

/// Records of the files that inputs of plans were read from.
pub(crate) fn input_records<'a>(plans: impl Iterator<Item = &'a Plan>) -> Vec<InputRecord> {
    let mut records: Vec<InputRecord> = Vec::new();
    for input in plans.flat_map(|plan| &plan.inputs) {
        let Origin::Read { files, options, case } = &input.origin else { continue };
        let record = InputRecord {
            params: record_params(case.params()),
            path: text_of(files.first()),
            further_paths: files.others().iter().map(|path| text_of(path)).collect(),
            options: options.iter().map(|(name, value)| (name.into(), value.into())).collect(),
        };
        if !records.contains(&record) {
            records.push(record);
        }
    }
    records
}

fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Records of the plugins that have variants in plans.
pub(crate) fn plugin_records<'a>(plans: impl Iterator<Item = &'a Plan>) -> Vec<PluginRecord> {
    let mut records: Vec<PluginRecord> = Vec::new();
    for plan in plans {
        let specs = plan.inputs.iter().flat_map(|input| &input.candidates);
        for plugin in specs.filter_map(|spec| plan.variant(spec).plugin) {
            let record = PluginRecord {
                file: plugin.file.clone(),
                name: plugin.name.clone(),
                version: plugin.version.clone(),
                fingerprint: plugin.fingerprint.clone(),
                path: plugin.path.to_string_lossy().into_owned(),
            };
            if !records.contains(&record) {
                records.push(record);
            }
        }
    }
    records
}
