//! What the process does that tries a plugin.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use algorithms::device::gpu::DeviceError;
use algorithms::device::{Device, Target, Team};
use algorithms::plugin::{Call, Watch, set_room, set_watch};
use algorithms::registry;
use algorithms::task::{Case, Task, VariantInfo};
use nix::libc;
use reports::units::counted;

use super::report::{Event, Problem, ProblemKind, Verdict};
use crate::measure::{CheckError, check_candidate};
use crate::platform::Exit;
use crate::platform::gpus::Gpus;
use crate::platform::worker::line;
use crate::plugins::{PluginFailure, room};

/// Different data than those that are measured by default.
const SEED: u64 = 20;

/// What to try.
#[derive(Clone, Debug)]
pub struct TrialRequest {
    /// The plugin.
    pub plugin: PathBuf,
    /// What to try beyond loading it.
    pub variant: Option<VariantTrial>,
}

/// A variant to try.
#[derive(Clone)]
pub struct VariantTrial {
    /// The task.
    pub task: &'static dyn Task,
    /// The variant's name.
    pub variant: String,
    /// Where to run.
    pub device: Device,
    /// Numbers of threads.
    pub threads: Vec<usize>,
}

impl std::fmt::Debug for VariantTrial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (task, variant) = (self.task.name(), &self.variant);
        write!(f, "{task} {variant} on {} with {:?}", self.device, self.threads)
    }
}

/// Tries a plugin, and writes down how it goes.
pub(crate) fn run(request: &TrialRequest) -> Result<Exit, PluginFailure> {
    let report: &'static Report = Box::leak(Box::new(Report(Mutex::new(standard_output()?))));
    set_watch(report);
    set_room(room::room);
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

/// Standard output for the report alone. What the plugin prints goes to standard error.
fn standard_output() -> io::Result<File> {
    let own = io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: both are open, and stay so.
    let replaced = unsafe { libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) };
    if replaced == -1 {
        return Err(io::Error::last_os_error());
    }
    Ok(File::from(own))
}

/// Lines for whoever started this process.
struct Report(Mutex<File>);

impl Report {
    fn write(&self, event: &Event) {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let line = line(event);
        // If nobody listens any more, nobody needs to know.
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
        let Some(number) = self.task.variants().iter().position(is_it) else {
            let problem = format!("it has no variant {}", self.variant);
            return Ok(Err(Problem::new(ProblemKind::Refused, problem)));
        };
        let gpus = Gpus::default();
        for &threads in &self.threads {
            let team = Team::new(threads)?;
            // A GPU that can't be used is told where it is to be used.
            let Ok(place) = gpus.place(self.device, &team) else {
                return Ok(Ok(()));
            };
            for (name, case) in self.task.hard_cases(SEED) {
                let input = format!("{name}, {}", counted(threads, "thread"));
                report.write(&Event::Input(input.clone()));
                if let Err(error) = cycle(case.as_ref(), number, &place)
                    && let Some(problem) = problem(error, &input)
                {
                    return Ok(Err(problem));
                }
            }
        }
        Ok(Ok(()))
    }
}

/// All calls in the order in which they are measured.
fn cycle(case: &dyn Case, number: usize, place: &Target<'_>) -> Result<(), CheckError> {
    // It may refuse a shape.
    let Ok(mut candidate) = case.prepare(number, place) else {
        return Ok(());
    };
    check_candidate(candidate.as_mut(), place)?;
    place.team.run(|| candidate.reset())?;
    place.team.run(|| candidate.run())?;
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
        // No room, or no GPU: told where it is measured.
        CheckError::Device(_) => return None,
    };
    Some(Problem::new(kind, format!("{problem} ({input})")))
}
