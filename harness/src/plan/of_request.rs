//! The plan for a request.

use std::path::Path;

use algorithms::device::Device;
use algorithms::task::{Task, VariantInfo};

use super::{CandidateSpec, Input, Origin, Plan, PlanError, memory, select_variants, teams};
use crate::platform::available_memory;
use crate::platform::gpus::problem_of;
use crate::request::{AxisValues, CacheMode, MeasureRequest, Source};

impl Plan {
    /// The plan for a request.
    ///
    /// # Errors
    /// If a variant is unknown, no variant is left to run, a point makes no
    /// sense, or a point does not fit into memory.
    pub fn new(request: &MeasureRequest) -> Result<Self, PlanError> {
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
        let input =
            |(origin, memory_bytes)| Input { origin, memory_bytes, candidates: candidates.clone() };
        Ok(Plan {
            notes,
            inputs: origins.into_iter().map(input).collect(),
            teams,
            task: request.task,
            infos: request.task.variants(),
        })
    }
}

/// Inputs to be made, with the bytes of memory that each takes.
fn generated(task: &dyn Task, axes: &AxisValues) -> Result<Vec<(Origin, u64)>, PlanError> {
    let available = available_memory();
    let origin = |params| {
        let plan = task.plan(params)?;
        memory::check(&plan, available)?;
        Ok((Origin::Generated(plan.params), plan.memory_bytes))
    };
    axes.combinations().into_iter().map(origin).collect()
}

fn read(
    task: &dyn Task,
    path: &Path,
    options: &AxisValues,
) -> Result<Vec<(Origin, u64)>, PlanError> {
    let origin = |options| {
        let (path, case) = (path.to_owned(), task.read(path, &options)?);
        Ok((Origin::Read { path, case }, 0))
    };
    options.combinations().into_iter().map(origin).collect()
}

fn candidates(request: &MeasureRequest, teams: usize) -> Result<Vec<CandidateSpec>, PlanError> {
    let infos = request.task.variants();
    let selected = select_variants(&infos, &request.settings.variants).map_err(PlanError::Usage)?;
    let runs = |&&number: &&usize| {
        let is_its = |device: &Device| device.backend() == infos[number].backend;
        request.settings.devices.iter().any(is_its)
    };
    if request.session.profile && selected.iter().filter(runs).count() != 1 {
        let problem = "--profile runs one variant at a time; name it with --variant";
        return Err(PlanError::Usage(problem.to_owned()));
    }
    let mut candidates = Vec::new();
    let usable = request.settings.devices.iter().copied();
    for device in usable.filter(|&device| problem_of(device).is_none()) {
        let backend = device.backend();
        for &variant in selected.iter().filter(|&&i| infos[i].backend == backend) {
            check_levels(request, &infos[variant])?;
            let spec = |(team, cache)| CandidateSpec { variant, device, team, cache };
            candidates.extend(ways(request, device, teams).map(spec));
        }
    }
    if candidates.is_empty() {
        return Err(PlanError::NothingToMeasure(nothing_to_run(request)));
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
    teams.flat_map(|team| request.settings.caches.iter().map(move |&cache| (team, cache)))
}

/// A note for each device that was named but has nothing to run.
fn idle_devices(request: &MeasureRequest, candidates: &[CandidateSpec]) -> Vec<String> {
    let is_idle = |device: &&Device| candidates.iter().all(|spec| spec.device != **device);
    let note = |device: &Device| why_idle(request, *device);
    request.settings.devices.iter().filter(is_idle).map(note).collect()
}

/// Refuses bindings for more levels of teams than a variant has.
fn check_levels(request: &MeasureRequest, info: &VariantInfo) -> Result<(), PlanError> {
    let (name, levels) = (info.name, info.team_levels);
    let wanted = request.settings.binds.iter().map(|bind| bind.0.len()).max();
    let Some(wanted) = wanted.filter(|wanted| *wanted > levels) else {
        return Ok(());
    };
    Err(PlanError::Usage(format!(
        "--bind has {wanted} levels, but {name} has {levels} level of teams; give as many policies"
    )))
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
    let devices = request.settings.devices.iter();
    let reasons: Vec<_> = devices.map(|&device| why_idle(request, device)).collect();
    format!("nothing was measured: {}", reasons.join("; "))
}
