//! What the process does that tries a plugin.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use algorithms::device::gpu::DeviceError;
use algorithms::device::{Device, Target, Team};
use algorithms::plugin::{self, Call, Watch, set_watch};
use algorithms::task::{Case, Task};
use nix::libc;
use reports::units::counted;

use super::line::{Line, Verdict};
use crate::failure::{Exit, Failure};
use crate::measure::{CheckError, check_candidate};
use crate::platform::gpus::Gpus;

/// Different data than those that are measured by default.
const SEED: u64 = 20;

/// What to try.
#[derive(Clone, Debug)]
pub struct TrialRequest {
    /// The plugin.
    pub plugin: PathBuf,
    /// What to try beyond loading it.
    pub errand: Option<Errand>,
}

/// A variant to try.
#[derive(Clone)]
pub struct Errand {
    /// The task.
    pub task: &'static dyn Task,
    /// The variant's name.
    pub variant: String,
    /// Where to run.
    pub device: Device,
    /// Numbers of threads.
    pub threads: Vec<usize>,
}

impl std::fmt::Debug for Errand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (task, variant) = (self.task.name(), &self.variant);
        write!(
            f,
            "{task} {variant} on {} with {:?}",
            self.device, self.threads
        )
    }
}

/// Tries a plugin, and writes down how it goes.
///
/// # Errors
/// If that can't be written.
pub(crate) fn run(request: &TrialRequest) -> Result<Exit, Failure> {
    let report: &'static Report = Box::leak(Box::new(Report(Mutex::new(standard_output()?))));
    set_watch(report);
    let verdict = match plugin::load(&request.plugin, String::new()) {
        Err(error) => Verdict::Refused(error.to_string()),
        Ok(_) => match &request.errand {
            Some(errand) => errand.run(report)?,
            None => Verdict::Right,
        },
    };
    report.write(&Line::Verdict(verdict));
    Ok(Exit::Success)
}

/// Standard output for the report alone. What the plugin prints goes to standard error.
fn standard_output() -> io::Result<File> {
    let own = io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: both are open, and stay so.
    let replaced = unsafe { libc::dup2(libc::STDERR_FILENO, libc::STDOUT_FILENO) };
    match replaced {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(File::from(own)),
    }
}

/// Lines for whoever started this process.
struct Report(Mutex<File>);

impl Report {
    fn write(&self, line: &Line) {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // If nobody listens any more, nobody needs to know.
        let _ = file.write_all(line.to_string().as_bytes());
    }
}

impl Watch for Report {
    fn enter(&self, call: &'static Call) {
        self.write(&Line::Enter(call.function.to_owned()));
    }

    fn leave(&self) {
        self.write(&Line::Leave);
    }
}

impl Errand {
    fn run(&self, report: &Report) -> Result<Verdict, Failure> {
        let infos = self.task.variants();
        let is_it = |info: &&algorithms::task::VariantInfo| {
            info.name == self.variant && info.backend == self.device.backend()
        };
        let Some(number) = infos.iter().position(|info| is_it(&info)) else {
            return Ok(Verdict::Refused(format!(
                "it has no variant {}",
                self.variant
            )));
        };
        let gpus = Gpus::default();
        for &threads in &self.threads {
            let team = Team::new(threads)?;
            // A GPU that can't be used is told where it is to be used.
            let Ok(place) = gpus.place(self.device, &team) else {
                return Ok(Verdict::Right);
            };
            for (name, case) in self.task.hard_cases(SEED) {
                let input = format!("{name}, {}", counted(threads, "thread"));
                report.write(&Line::Input(input.clone()));
                if let Some(verdict) = cycle(case.as_ref(), number, &place, &input) {
                    return Ok(verdict);
                }
            }
        }
        Ok(Verdict::Right)
    }
}

/// All calls in the order in which they are measured; what is wrong, if anything.
fn cycle(case: &dyn Case, number: usize, place: &Target<'_>, input: &str) -> Option<Verdict> {
    // It may refuse a shape.
    let mut candidate = case.prepare(number, place).ok()?;
    let checked = check_candidate(candidate.as_mut(), place);
    let again = checked.and_then(|_| {
        place.team.run(|| candidate.reset())?;
        place.team.run(|| candidate.run())?;
        candidate.release();
        Ok(())
    });
    verdict(again.err()?, input)
}

fn verdict(error: CheckError, input: &str) -> Option<Verdict> {
    Some(match error {
        CheckError::Wrong(problem) => Verdict::Wrong(format!("{problem} ({input})")),
        CheckError::Device(DeviceError::Plugin { problem, .. }) => {
            Verdict::Failed(format!("{problem} ({input})"))
        }
        CheckError::Device(error @ DeviceError::Kernel { .. }) => {
            Verdict::Failed(format!("failed: {error} ({input})"))
        }
        // No room, or no GPU: told where it is measured.
        CheckError::Device(_) => return None,
    })
}
