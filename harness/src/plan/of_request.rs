//! Plan for a request.

use tasks::algorithm::InputFiles;
use tasks::axis::Params;
use tasks::device::Device;
use tasks::task::{Case, Task, VariantInfo};
use text::Untrusted;

use super::memory::{self, FileMemory};
use super::teams::TeamList;
use super::{CandidateSpec, Input, Origin, Plan, PlanError, select_variants};
use crate::platform::available_memory;
use crate::platform::gpus::why_not_measured;
use crate::request::{AxisValues, DamagePolicy, MeasureRequest, Settings, Source};

impl Plan {
    /// Creates the plan for a request.
    ///
    /// # Errors
    /// If a variant is unknown, no variant is left to run, a point is invalid, or a point does not
    /// fit into memory.
    pub fn new(request: &MeasureRequest) -> Result<Self, PlanError> {
        let mut teams = TeamList::new();
        let candidates = candidates(request, &mut teams)?;
        let origins = match &request.source {
            Source::File { files, options, damage } => read(request.task, files, options, *damage)?,
            Source::Generated(axes) => generated(request.task, axes)?,
        };
        let mut notes = idle_devices(request, &candidates);
        notes.extend(with_one_level(request, &candidates));
        let defaults = request.config.iter();
        notes.extend(defaults.map(|file| format!("defaults of flags from {}", file.escaped())));
        notes.extend(origins.iter().flat_map(|(origin, _)| origin.notes()));
        notes.dedup();
        let input =
            |(origin, memory_bytes)| Input { origin, memory_bytes, candidates: candidates.clone() };
        Ok(Plan {
            notes,
            missing_devices: missing_devices(&request.settings.devices),
            inputs: origins.into_iter().map(input).collect(),
            teams: teams.teams,
            task: request.task,
            infos: request.task.variants(),
        })
    }
}

/// Inputs to be generated, with their bytes of memory.
fn generated(task: &dyn Task, axes: &AxisValues) -> Result<Vec<(Origin, u64)>, PlanError> {
    axes.check_count().map_err(PlanError::Usage)?;
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
    files: &InputFiles,
    options: &AxisValues,
    damage: DamagePolicy,
) -> Result<Vec<(Origin, u64)>, PlanError> {
    options.check_count().map_err(PlanError::Usage)?;
    let origin = |options| {
        let files = files.clone();
        let case = read_case(task, &files, &options, damage)?;
        Ok((Origin::Read { files, options, case }, 0))
    };
    options.combinations().into_iter().map(origin).collect()
}

/// Reads the input of a task within the memory that is available.
pub(crate) fn read_case(
    task: &dyn Task,
    files: &InputFiles,
    options: &Params,
    damage: DamagePolicy,
) -> Result<Box<dyn Case>, PlanError> {
    let memory = FileMemory::available_to(task);
    let case = memory.read(files, options, || task.read(files, options))?;
    // Only pages that are decoded show their damage.
    if damage == DamagePolicy::Refuse
        && let Some(defect) = case.defects().into_iter().next()
    {
        return Err(PlanError::Defect { files: files.to_string(), defect });
    }
    Ok(case)
}

fn candidates(
    request: &MeasureRequest,
    teams: &mut TeamList,
) -> Result<Vec<CandidateSpec>, PlanError> {
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
    if let Some((key, problem)) = unknown_levels(&request.settings, &infos, &selected) {
        return Err(PlanError::Usage(format!("--{key} {problem}")));
    }
    let mut candidates = Vec::new();
    let usable = request.settings.devices.iter().copied();
    for device in usable.filter(|&device| why_not_measured(device).is_none()) {
        let backend = device.backend();
        for &variant in selected.iter().filter(|&&i| infos[i].backend == backend) {
            let mut wanted = teams.wanted(&request.settings, infos[variant].nested)?;
            if device != Device::Cpu {
                // With a GPU, the host's threads only serve it.
                wanted.truncate(1);
            }
            let caches = &request.settings.caches;
            let ways =
                wanted.iter().flat_map(|&team| caches.iter().map(move |&cache| (team, cache)));
            let spec = |(team, cache)| CandidateSpec { variant, device, team, cache };
            candidates.extend(ways.map(spec));
        }
    }
    if candidates.is_empty() {
        return Err(PlanError::NothingToMeasure(nothing_to_run(request)));
    }
    Ok(candidates)
}

/// Devices among these that can't be used here.
pub(crate) fn missing_devices(asked: &[Device]) -> Vec<Device> {
    asked.iter().copied().filter(|&device| why_not_measured(device).is_some()).collect()
}

/// A note for each device that was requested but has nothing to run.
fn idle_devices(request: &MeasureRequest, candidates: &[CandidateSpec]) -> Vec<String> {
    let is_idle = |device: &&Device| candidates.iter().all(|spec| spec.device != **device);
    let note = |device: &Device| why_idle(request, *device);
    request.settings.devices.iter().filter(is_idle).map(note).collect()
}

/// Error message for settings of nested teams if none of the selected variants supports them: the
/// setting, and what is wrong with it.
pub(crate) fn unknown_levels(
    settings: &Settings,
    infos: &[VariantInfo],
    selected: &[usize],
) -> Option<(&'static str, String)> {
    let key = said_of_inner_teams(settings)?;
    let first = &infos[*selected.first()?];
    let problem = format!("has 2 levels, but {} has 1 level of teams; use 1 level", first.name);
    selected.iter().all(|&number| infos[number].nested.is_none()).then_some((key, problem))
}

/// The setting that specifies nested teams, if any.
fn said_of_inner_teams(settings: &Settings) -> Option<&'static str> {
    if settings.binds.iter().any(|bind| bind.inner.is_some()) {
        return Some("bind");
    }
    settings.thread_counts().iter().any(|threads| threads.inner.is_some()).then_some("threads")
}

/// Note on variants that use only the settings of the outer team, if there are others.
fn with_one_level(request: &MeasureRequest, candidates: &[CandidateSpec]) -> Option<String> {
    said_of_inner_teams(&request.settings)?;
    let infos = request.task.variants();
    let on_host = candidates.iter().filter(|spec| spec.device == Device::Cpu);
    let one_level = on_host.map(|spec| &infos[spec.variant]).filter(|info| info.nested.is_none());
    let mut names: Vec<_> = one_level.map(|info| info.name).collect();
    names.dedup();
    (!names.is_empty()).then(|| {
        let names = names.join(", ");
        format!("one level of teams, placed by the outer policy: {names}")
    })
}

fn why_idle(request: &MeasureRequest, device: Device) -> String {
    match why_not_measured(device) {
        Some(problem) => format!("{device} can't be used: {problem}; run bench devices"),
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
