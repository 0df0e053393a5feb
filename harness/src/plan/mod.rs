//! Which points are to be measured, and whether they fit into memory.

mod memory;
mod selection;
mod teams;

use std::path::PathBuf;

use algorithms::axis::Params;
use algorithms::device::Device;
use algorithms::task::{Case, Task, VariantInfo};

use crate::cli::{AxisValues, CacheMode, MeasureRequest, Source};
use crate::failure::Failure;
use crate::platform::available_memory;

pub use selection::select_variants;
pub use teams::TeamSpec;

/// Refuses a point that does not fit into the memory that is available now.
///
/// # Errors
/// How much is needed and how much there is.
pub fn check_memory(plan: &algorithms::algorithm::Plan) -> Result<(), Failure> {
    memory::check(plan, available_memory())
}

/// The inputs to be measured, one after the other, and the candidates that
/// are measured on each of them, interleaved.
pub struct Plan {
    /// The inputs.
    pub inputs: Vec<Input>,
    /// The teams of threads that they run on.
    pub teams: Vec<TeamSpec>,
    /// The candidates.
    pub candidates: Vec<CandidateSpec>,
    /// What was asked for and can't be had here.
    pub notes: Vec<String>,
}

/// Where an input comes from.
pub enum Input {
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
        Ok(Plan {
            notes: idle_devices(request, &candidates),
            candidates,
            teams,
            inputs: match &request.source {
                Source::File(path) => vec![Input::Read {
                    path: path.clone(),
                    case: request.task.read(path)?,
                }],
                Source::Generated(axes) => generated(request.task, axes)?,
            },
        })
    }
}

fn generated(task: &dyn Task, axes: &AxisValues) -> Result<Vec<Input>, Failure> {
    let available = available_memory();
    let inputs = axes.combinations().into_iter().map(|params| {
        let plan = task.plan(params)?;
        memory::check(&plan, available)?;
        Ok(Input::Generated(plan.params))
    });
    inputs.collect()
}

fn candidates(request: &MeasureRequest, teams: usize) -> Result<Vec<CandidateSpec>, Failure> {
    let infos = request.task.variants();
    let selected = select_variants(&infos, &request.variants).map_err(Failure::Usage)?;
    if request.profile && selected.len() != 1 {
        let problem = "--profile runs one variant at a time; name it with --variant";
        return Err(Failure::Usage(problem.to_owned()));
    }
    let mut candidates = Vec::new();
    for &device in &request.devices {
        let here = selected
            .iter()
            .filter(|&&i| infos[i].backend == device.backend());
        for &variant in here {
            check_levels(request, &infos[variant])?;
            for team in 0..teams {
                candidates.extend(request.caches.iter().map(|&cache| CandidateSpec {
                    variant,
                    device,
                    team,
                    cache,
                }));
            }
        }
    }
    if candidates.is_empty() {
        return Err(Failure::NothingMeasured(nothing_to_run(request)));
    }
    Ok(candidates)
}

/// A note for each device that was named but has nothing to run.
fn idle_devices(request: &MeasureRequest, candidates: &[CandidateSpec]) -> Vec<String> {
    let is_idle = |device: &&Device| candidates.iter().all(|spec| spec.device != **device);
    let note = |device: &Device| {
        let task = request.task.name();
        format!("no selected variant of {task} runs on {device}")
    };
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

fn nothing_to_run(request: &MeasureRequest) -> String {
    let names: Vec<_> = request.devices.iter().map(ToString::to_string).collect();
    let (task, names) = (request.task.name(), names.join(", "));
    format!("nothing was measured: no selected variant of {task} runs on {names}; see `bench list`")
}
