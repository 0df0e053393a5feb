//! Which points are to be measured, and whether they fit into memory.

mod memory;
mod of_points;
mod selection;
mod teams;

use std::path::{Path, PathBuf};

use algorithms::axis::Params;
use algorithms::device::Device;
use algorithms::task::{Case, Task, VariantInfo};
use reports::record::Point;

use crate::failure::Failure;
use crate::platform::available_memory;
use crate::platform::gpus::problem_of;
use crate::request::{AxisValues, CacheMode, MeasureRequest, Source};

pub use selection::{matching_variants, select_variants};
pub use teams::TeamSpec;

/// Refuses a point that does not fit into the memory that is available now.
///
/// # Errors
/// How much is needed and how much there is.
pub fn check_memory(plan: &algorithms::algorithm::Plan) -> Result<(), Failure> {
    memory::check(plan, available_memory())
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
    /// The plan for a request.
    ///
    /// # Errors
    /// If a variant is unknown, no variant is left to run, a point makes no
    /// sense, or a point does not fit into memory.
    pub fn new(request: &MeasureRequest) -> Result<Self, Failure> {
        let teams = teams::teams(request)?;
        let candidates = candidates(request, teams.len())?;
        let origins = match &request.source {
            Source::File { path, options } => read(request.task, path, options)?,
            Source::Generated(axes) => generated(request.task, axes)?,
        };
        let mut notes = idle_devices(request, &candidates);
        let defaults = request.config.iter();
        notes.extend(defaults.map(|file| format!("defaults of flags from {}", file.display())));
        notes.extend(origins.iter().flat_map(|(origin, _)| origin.notes()));
        notes.dedup();
        let input = |(origin, memory_bytes)| Input {
            origin,
            memory_bytes,
            candidates: candidates.clone(),
        };
        Ok(Plan {
            notes,
            inputs: origins.into_iter().map(input).collect(),
            teams,
            task: request.task,
            infos: request.task.variants(),
        })
    }

    /// What identifies a candidate on an input.
    pub fn point(&self, input: &Input, spec: &CandidateSpec) -> Point {
        let team = &self.teams[spec.team];
        Point {
            algorithm: self.task.name().to_owned(),
            variant: self.infos[spec.variant].name.to_owned(),
            device: spec.device.to_string(),
            threads: team.threads,
            places: team.placement.places_name(),
            bind: team.placement.bind_name(),
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
            let kept = specs
                .into_iter()
                .filter(|spec| keep(&self.point(&input, spec)));
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

/// Parameters as records have them.
pub(crate) fn record_params(params: &Params) -> reports::record::Params {
    let mut record = reports::record::Params::default();
    for (name, value) in params.iter() {
        record.set(name, value);
    }
    record
}

/// Inputs to be made, with the bytes of memory that each takes.
fn generated(task: &dyn Task, axes: &AxisValues) -> Result<Vec<(Origin, u64)>, Failure> {
    let available = available_memory();
    let origins = axes.combinations().into_iter().map(|params| {
        let plan = task.plan(params)?;
        memory::check(&plan, available)?;
        Ok((Origin::Generated(plan.params), plan.memory_bytes))
    });
    origins.collect()
}

fn read(task: &dyn Task, path: &Path, options: &AxisValues) -> Result<Vec<(Origin, u64)>, Failure> {
    let origins = options.combinations().into_iter().map(|options| {
        let read = Origin::Read {
            path: path.to_owned(),
            case: task.read(path, &options)?,
        };
        Ok((read, 0))
    });
    origins.collect()
}

fn candidates(request: &MeasureRequest, teams: usize) -> Result<Vec<CandidateSpec>, Failure> {
    let infos = request.task.variants();
    let selected = select_variants(&infos, &request.variants).map_err(Failure::Usage)?;
    let runs = |&&number: &&usize| {
        let backend = infos[number].backend;
        let mut devices = request.devices.iter();
        devices.any(|device| device.backend() == backend)
    };
    if request.profile && selected.iter().filter(runs).count() != 1 {
        let problem = "--profile runs one variant at a time; name it with --variant";
        return Err(Failure::Usage(problem.to_owned()));
    }
    let mut candidates = Vec::new();
    let usable = request.devices.iter().copied();
    for device in usable.filter(|&device| problem_of(device).is_none()) {
        let here = selected
            .iter()
            .filter(|&&i| infos[i].backend == device.backend());
        for &variant in here {
            check_levels(request, &infos[variant])?;
            candidates.extend(
                ways(request, device, teams).map(|(team, cache)| CandidateSpec {
                    variant,
                    device,
                    team,
                    cache,
                }),
            );
        }
    }
    if candidates.is_empty() {
        return Err(Failure::NothingMeasured(nothing_to_run(request)));
    }
    Ok(candidates)
}

/// The teams and states of the cache that a device's variants are run with. A
/// GPU has one team: the host's threads do no more than serve it.
fn ways(
    request: &MeasureRequest,
    device: Device,
    teams: usize,
) -> impl Iterator<Item = (usize, CacheMode)> {
    let teams = match device {
        Device::Cpu => 0..teams,
        _ => 0..teams.min(1),
    };
    teams.flat_map(|team| request.caches.iter().map(move |&cache| (team, cache)))
}

/// A note for each device that was named but has nothing to run.
fn idle_devices(request: &MeasureRequest, candidates: &[CandidateSpec]) -> Vec<String> {
    let is_idle = |device: &&Device| candidates.iter().all(|spec| spec.device != **device);
    let note = |device: &Device| why_idle(request, *device);
    request.devices.iter().filter(is_idle).map(note).collect()
}

/// Refuses bindings for more levels of teams than a variant has.
fn check_levels(request: &MeasureRequest, info: &VariantInfo) -> Result<(), Failure> {
    let (name, levels) = (info.name, info.team_levels);
    let wanted = request.binds.iter().map(|bind| bind.0.len()).max();
    match wanted {
        Some(wanted) if wanted > levels => Err(Failure::Usage(format!(
            "--bind has {wanted} levels, but {name} has {levels} level of teams; give as many \
             policies"
        ))),
        _ => Ok(()),
    }
}

fn why_idle(request: &MeasureRequest, device: Device) -> String {
    match problem_of(device) {
        Some(problem) => format!("{device} can't be used: {problem}"),
        None => {
            let task = request.task.name();
            format!("no selected variant of {task} runs on {device}; see `bench list`")
        }
    }
}

fn nothing_to_run(request: &MeasureRequest) -> String {
    let devices = request.devices.iter();
    let reasons: Vec<_> = devices.map(|&device| why_idle(request, device)).collect();
    format!("nothing was measured: {}", reasons.join("; "))
}
