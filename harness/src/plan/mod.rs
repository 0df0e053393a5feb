//! Which points are to be measured, and whether they fit into memory.
//!
//! | module | holds |
//! |---|---|
//! | this | a plan: inputs, candidates, teams |
//! | `of_request` | the plan for a request |
//! | `of_points` | the plan for points that another process names |
//! | `quantities` | what records say of axes and metrics |
//! | `selection` | variants by name or glob |
//! | `teams`, `team_layout` | teams of threads, and teams within teams |
//! | `memory` | whether a point fits into memory |

mod memory;
mod of_points;
mod of_request;
pub(crate) mod quantities;
mod selection;
mod team_layout;
mod teams;

use std::path::PathBuf;

use algorithms::axis::Params;
use algorithms::device::Device;
use algorithms::task::{Case, Task, VariantInfo};
use generators::DataError;
use reports::record::{InputRecord, PluginRecord, Point};

use crate::platform::Exit;
use crate::request::CacheMode;

pub use memory::check_memory;
pub(crate) use memory::{check_events, check_free_memory};
pub(crate) use of_points::Candidates;
pub(crate) use of_request::{missing_devices, unknown_levels};
pub(crate) use quantities::record_params;
pub(crate) use selection::device_names;
pub use selection::{matching_variants, select_variants};
pub use team_layout::{InnerTeams, TeamLayout};
pub use teams::TeamSpec;
pub(crate) use teams::check_threads;

/// A request that nothing can be measured for.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// It makes no sense, or asks for more than the machine has.
    #[error("{0}")]
    Usage(String),
    /// There is nothing to run here, and why.
    #[error("{0}")]
    NothingToMeasure(String),
    /// Data that can't be made or read.
    #[error(transparent)]
    Data(#[from] DataError),
}

impl PlanError {
    /// The exit code that tells scripts.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            PlanError::Usage(_) => Exit::Usage,
            PlanError::NothingToMeasure(_) => Exit::NothingMeasured,
            PlanError::Data(error) => error.into(),
        }
    }
}

/// The inputs to be measured, and the candidates that are measured on each of
/// them, interleaved.
pub struct Plan {
    /// The inputs.
    pub inputs: Vec<Input>,
    /// The teams of threads that the candidates run on.
    pub teams: Vec<TeamSpec>,
    /// What was asked for and can't be had here.
    pub notes: Vec<String>,
    /// Devices that were asked for and can't be used; the notes say why.
    pub missing_devices: Vec<Device>,
    task: &'static dyn Task,
    infos: Vec<VariantInfo>,
}

/// An input with the candidates that are measured on it.
pub struct Input {
    /// Where it comes from.
    pub origin: Origin,
    /// Bytes of memory that it takes with its reference and the buffers of a candidate;
    /// 0 if it was read from a file, and is in memory already.
    pub memory_bytes: u64,
    /// The candidates.
    pub candidates: Vec<CandidateSpec>,
}

/// Where an input comes from.
pub enum Origin {
    /// To be generated from complete parameters, when its turn comes.
    Generated(Params),
    /// Read from a file, before anything is measured: a damaged file is told
    /// at once and leaves no empty run behind.
    Read {
        /// The file.
        path: PathBuf,
        /// What was said of it: to read it once more.
        options: Params,
        /// What it holds.
        case: Box<dyn Case>,
    },
}

impl Origin {
    /// What a reader of results should know of it.
    fn notes(&self) -> Vec<String> {
        match self {
            Origin::Generated(_) => Vec::new(),
            Origin::Read { case, .. } => case.notes(),
        }
    }
}

/// A variant with a way to run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CandidateSpec {
    /// The variant's number in its task.
    pub variant: usize,
    /// Where it runs.
    pub device: Device,
    /// The number of its team.
    pub team: usize,
    /// What is in the cache when a sample begins.
    pub cache: CacheMode,
}

impl Plan {
    /// What identifies a candidate on an input.
    pub fn point(&self, input: &Input, spec: &CandidateSpec) -> Point {
        let team = &self.teams[spec.team].layout;
        Point {
            algorithm: self.task.name().to_owned(),
            variant: self.infos[spec.variant].name.to_owned(),
            device: spec.device.to_string(),
            threads: team.threads,
            places: team.placement.places_name(),
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

    /// Leaves out the points that `keep` refuses, and inputs without any left.
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

    /// The number of points.
    pub fn len(&self) -> usize {
        self.inputs.iter().map(|input| input.candidates.len()).sum()
    }

    /// Whether there is nothing to measure.
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty()
    }

    /// The task.
    pub fn task(&self) -> &'static dyn Task {
        self.task
    }

    /// What is known of a candidate's variant.
    pub fn variant(&self, spec: &CandidateSpec) -> &VariantInfo {
        &self.infos[spec.variant]
    }
}

impl Input {
    /// The complete parameters of the input.
    pub fn params(&self) -> &Params {
        match &self.origin {
            Origin::Generated(params) => params,
            Origin::Read { case, .. } => case.params(),
        }
    }
}

/// The files that inputs of plans were read from, for the record.
pub(crate) fn input_records<'a>(plans: impl Iterator<Item = &'a Plan>) -> Vec<InputRecord> {
    let mut records: Vec<InputRecord> = Vec::new();
    for input in plans.flat_map(|plan| &plan.inputs) {
        let Origin::Read { path, options, case } = &input.origin else { continue };
        let record = InputRecord {
            params: record_params(case.params()),
            path: path.to_string_lossy().into_owned(),
            options: options.iter().map(|(name, value)| (name.into(), value.into())).collect(),
        };
        if !records.contains(&record) {
            records.push(record);
        }
    }
    records
}

/// The plugins that have variants in plans, for the record.
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
