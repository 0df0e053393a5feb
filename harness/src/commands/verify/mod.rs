//! `bench verify`: every variant on hard inputs, without a clock.
//!
//! | module | holds |
//! |---|---|
//! | `ways` | the ways to run a variant on a device: threads, schedules |
//! | `inputs` | what it is run on |
//! | `shrink` | a smaller input on which it is still wrong |
//! | `kept` | that input as a file |
//! | `trials` | variants of plugins, tried in processes of their own |
//! | `tally` | what came of it |

mod inputs;
mod kept;
mod shrink;
mod tally;
mod trials;
mod ways;

use algorithms::device::Device;
use algorithms::device::gpu::DeviceError;
use algorithms::task::{Case, Task, VariantInfo};
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::{Exit, Failure};
use crate::measure::{CheckError, check_candidate};
use crate::plan::{matching_variants, select_variants};
use crate::platform::gpus;
use crate::plugins::{self, Baseline};
use crate::request::VerifyRequest;
use tally::{Mismatch, Tally};
use trials::Trials;
use ways::Way;

pub(super) fn run(request: &VerifyRequest) -> Result<Exit, Failure> {
    plugins::load(&request.plugins, Baseline::Measured)?;
    let all = algorithms::registry::tasks();
    let tasks = match request.tasks.as_slice() {
        [] => all,
        some => some,
    };
    let known: Vec<_> = tasks.iter().flat_map(|task| task.variants()).collect();
    select_variants(&known, &request.variants).map_err(Failure::Usage)?;
    let mut verification = Verification {
        request,
        tally: Tally::default(),
        progress: progress(request.quiet),
        trials: Trials::default(),
    };
    for device in devices(request)? {
        for way in ways::of(device, request)? {
            for &task in tasks {
                verification.verify_task(task, &way)?;
            }
        }
    }
    verification.progress.finish_and_clear();
    verification.tally.report(request)
}

/// Those that were asked for, or all that can be used.
fn devices(request: &VerifyRequest) -> Result<Vec<Device>, Failure> {
    if request.devices.is_empty() {
        return Ok(gpus::usable_devices());
    }
    for &device in &request.devices {
        if let Some(reason) = gpus::problem_of(device) {
            let problem = format!("nothing was verified: {device} can't be used: {reason}");
            return Err(Failure::NothingMeasured(problem));
        }
    }
    Ok(request.devices.clone())
}

fn progress(quiet: bool) -> ProgressBar {
    let bar = match quiet {
        true => ProgressBar::hidden(),
        // Hides itself where there is no terminal.
        false => ProgressBar::new_spinner(),
    };
    let style = ProgressStyle::with_template("{spinner} {pos} checks, {elapsed}: {msg}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}

struct Verification<'a> {
    request: &'a VerifyRequest,
    tally: Tally,
    progress: ProgressBar,
    trials: Trials,
}

impl Verification<'_> {
    fn verify_task(&mut self, task: &'static dyn Task, way: &Way) -> Result<(), Failure> {
        let infos = task.variants();
        let selected = matching_variants(&infos, &self.request.variants);
        let selected = selected.map_err(Failure::Usage)?;
        let mut right: Vec<_> = selected
            .into_iter()
            .filter(|&number| infos[number].backend == way.device.backend())
            .filter(|&number| infos[number].unavailable_reason.is_none())
            .collect();
        let names = right
            .iter()
            .map(|&number| (task.name(), infos[number].name));
        self.tally.variants.extend(names);
        self.drop_crashing(task, &infos, way, &mut right)?;
        for input in inputs::of(task, self.request)? {
            let context = format!("{way}, {}", input.name);
            self.progress.set_message(context.clone());
            // One wrong output is enough to work on.
            right.retain(|&number| {
                let subject = Subject {
                    task,
                    variant: infos[number].name,
                    number,
                    way,
                };
                self.is_right(&subject, input.case.as_ref(), &context)
            });
        }
        Ok(())
    }

    /// Takes the variants of plugins that crash, hang or fail out, and down.
    fn drop_crashing(
        &mut self,
        task: &'static dyn Task,
        infos: &[VariantInfo],
        way: &Way,
        right: &mut Vec<usize>,
    ) -> Result<(), Failure> {
        let mut problems = Vec::new();
        for &number in right.iter() {
            if let Some(problem) = self.trials.problem(task, &infos[number], way)? {
                problems.push((number, problem));
            }
        }
        for (number, problem) in problems {
            right.retain(|&other| other != number);
            self.tally.checks += 1;
            self.tally.mismatches.push(Mismatch {
                task: task.name(),
                variant: infos[number].name,
                device: way.device,
                context: way.to_string(),
                problem,
                kept: None,
            });
        }
        Ok(())
    }

    /// Checks a variant, and takes down what is wrong with it.
    fn is_right(&mut self, subject: &Subject<'_>, case: &dyn Case, context: &str) -> bool {
        self.progress.inc(1);
        let problem = match subject.check(case) {
            Checked::Right => None,
            Checked::NotRun => {
                self.tally.skipped += 1;
                return true;
            }
            Checked::Wrong(problem) => Some(problem),
        };
        self.tally.checks += 1;
        let Some(problem) = problem else {
            return true;
        };
        self.progress
            .set_message(format!("{context}: wrong; looking for a smaller input"));
        let is_wrong = |case: &dyn Case| matches!(subject.check(case), Checked::Wrong(_));
        let kept = shrink::smallest(case, is_wrong)
            .and_then(|smallest| kept::keep(subject, smallest.as_ref(), is_wrong));
        self.tally.mismatches.push(Mismatch {
            task: subject.task.name(),
            variant: subject.variant,
            device: subject.way.device,
            context: context.to_owned(),
            problem,
            kept,
        });
        false
    }
}

/// A variant, run in some way.
struct Subject<'a> {
    task: &'static dyn Task,
    variant: &'static str,
    number: usize,
    way: &'a Way,
}

/// What a check says.
enum Checked {
    Right,
    /// It can't run here, or not on such an input.
    NotRun,
    Wrong(String),
}

impl Subject<'_> {
    fn check(&self, case: &dyn Case) -> Checked {
        let Ok(place) = self.way.place() else {
            return Checked::NotRun;
        };
        let Ok(mut candidate) = case.prepare(self.number, &place) else {
            return Checked::NotRun;
        };
        match check_candidate(candidate.as_mut(), &place) {
            Ok(_) => Checked::Right,
            Err(CheckError::Device(DeviceError::OutOfMemory { .. })) => Checked::NotRun,
            Err(error) => Checked::Wrong(error.to_string()),
        }
    }
}
