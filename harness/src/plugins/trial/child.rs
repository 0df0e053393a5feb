//! Main function of the trial process.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use crate::registry;
use nix::libc;
use portable_gpu::DeviceError;
use reports::units::counted;
use tasks::device::{Device, Target, Team};
use tasks::plugin::{Call, Watch, set_available_memory, set_watch};
use tasks::task::{Case, VariantInfo};

use super::report::{Event, Problem, ProblemKind, Verdict};
use crate::measure::{CheckError, check_candidate};
use crate::platform::Exit;
use crate::platform::gpus::Gpus;
use crate::plugins::{PluginFailure, memory_budget};
use crate::workers::line;

/// Seed that differs from that of measurements by default.
const SEED: u64 = 20;

/// Request of a trial.
#[derive(Clone, Debug)]
pub struct TrialRequest {
    /// Path of the plugin.
    pub plugin: PathBuf,
    /// Variant to try after loading.
    pub variant: Option<VariantTrial>,
}

/// A variant to try.
#[derive(Clone, Debug)]
pub struct VariantTrial {
    /// Task of the variant, which may be one of the plugin.
    pub task: String,
    /// Name of the variant.
    pub variant: String,
    /// Device to run on.
    pub device: Device,
    /// Numbers of threads.
    pub threads: Vec<usize>,
}

/// Tries a plugin, and writes a report.
pub(crate) fn run(request: &TrialRequest) -> Result<Exit, PluginFailure> {
    let report: &'static Report = Box::leak(Box::new(Report(Mutex::new(standard_output()?))));
    set_watch(report);
    set_available_memory(memory_budget);
    let verdict = match registry::load_plugin(&request.plugin, String::new()) {
        Err(error) => Err(Problem::new(ProblemKind::Refused, error)),
        Ok(_) => match &request.variant {
            Some(variant) => variant.run(report)?,
            None => Ok(()),
        },
    };
    report.write(&Event::Verdict(verdict));
    Ok(Exit::Success)
}

/// Takes standard output for the report alone, and redirects output of the plugin to standard
/// error.
fn standard_output() -> io::Result<File> {
    let own = io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: both descriptors are open standard streams, which no Rust object owns exclusively.
    let replaced = unsafe { libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) };
    if replaced == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(File::from(own))
}

/// Report to the parent process.
struct Report(Mutex<File>);

impl Report {
    fn write(&self, event: &Event) {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let line = line(event);
        // Without a reader the report is not needed.
        let _ = file.write_all(line.as_bytes());
    }
}

impl Watch for Report {
    fn enter(&self, call: &'static Call) {
        self.write(&Event::Enter(call.function.to_owned()));
    }

    fn leave(&self) {
        self.write(&Event::Leave);
    }
}

impl VariantTrial {
    fn run(&self, report: &Report) -> Result<Verdict, PluginFailure> {
        let is_it =
            |info: &VariantInfo| info.name == self.variant && info.backend == self.device.backend();
        let task = registry::task(&self.task);
        let found = task.and_then(|task| Some((task, task.variants().iter().position(is_it)?)));
        let Some((task, number)) = found else {
            let problem = format!("it has no variant {} for {}", self.variant, self.task);
            return Ok(Err(Problem::new(ProblemKind::Refused, problem)));
        };
        let gpus = Gpus::default();
        for &threads in &self.threads {
            let team = Team::new(threads)?;
            // An unusable GPU is reported where it is measured.
            let Ok(target) = gpus.target(self.device, &team) else {
                return Ok(Ok(()));
            };
            for (name, case) in task.hard_cases(SEED) {
                let input = format!("{name}, {}", counted(threads, "thread"));
                report.write(&Event::Input(input.clone()));
                if let Err(error) = cycle(case.as_ref(), number, &target)
                    && let Some(problem) = problem(error, &input)
                {
                    return Ok(Err(problem));
                }
            }
        }
        Ok(Ok(()))
    }
}

/// Makes all calls in the order of a measurement.
fn cycle(case: &dyn Case, number: usize, target: &Target<'_>) -> Result<(), CheckError> {
    // The variant may refuse a shape.
    let Ok(mut candidate) = case.prepare(number, target) else {
        return Ok(());
    };
    check_candidate(candidate.as_mut(), target)?;
    target.team.run(|| candidate.reset())?;
    target.team.run(|| candidate.run())?;
    candidate.release();
    Ok(())
}

fn problem(error: CheckError, input: &str) -> Option<Problem> {
    let (kind, problem) = match error {
        CheckError::Wrong(problem) => (ProblemKind::Wrong, problem),
        CheckError::Device(DeviceError::Plugin { problem, .. }) => (ProblemKind::Failed, problem),
        CheckError::Device(error @ DeviceError::Kernel { .. }) => {
            (ProblemKind::Failed, format!("failed: {error}"))
        }
        // Insufficient memory, or no GPU: reported where it is measured.
        CheckError::Device(_) => return None,
    };
    Some(Problem::new(kind, format!("{problem} ({input})")))
}
