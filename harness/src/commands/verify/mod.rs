//! `bench verify`: every variant on hard inputs, without a clock.
//!
//! | module | holds |
//! |---|---|
//! | `ways` | the ways to run a variant on a device: threads, schedules |
//! | `inputs` | what it is run on, and the smallest input on which it is still wrong |
//! | `trials` | variants of plugins, tried in processes of their own |
//! | `summary` | what came of it |

mod inputs;
mod summary;
mod trials;
mod ways;

use algorithms::device::Device;
use algorithms::device::gpu::DeviceError;
use algorithms::task::{Case, Task, VariantInfo};
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::{Exit, Failure};
use crate::measure::{CheckError, check_candidate};
use crate::plan::{check_free_memory, matching_variants, select_variants};
use crate::platform::{gpus, plugin_guard};
use crate::plugins::{self, Baseline};
use crate::request::VerifyRequest;
use inputs::Kept;
use summary::{Mismatch, VerifySummary};
use trials::Trials;
use ways::Way;

/// Memory of the largest hard input, including results and system reserve.
const MEMORY_BYTES: u64 = 1 << 30;

pub(super) fn run(request: &VerifyRequest) -> Result<Exit, Failure> {
    check_free_memory("verifying", MEMORY_BYTES)?;
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
        summary: VerifySummary::default(),
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
    verification.summary.report(request)
}

/// Those that were asked for, or all that can be used.
fn devices(request: &VerifyRequest) -> Result<Vec<Device>, Failure> {
    if request.devices.is_empty() {
        return Ok(gpus::usable_devices());
    }
    for &device in &request.devices {
        if let Some(reason) = gpus::problem_of(device) {
            let problem = format!(
                "nothing was verified: {device} can't be used: {reason}; run bench devices"
            );
            return Err(Failure::NothingMeasured(problem));
        }
    }
    Ok(request.devices.clone())
}

fn progress(quiet: bool) -> ProgressBar {
    let bar = if quiet {
        ProgressBar::hidden()
    } else {
        // Hides itself where there is no terminal.
        ProgressBar::new_spinner()
    };
    let style = ProgressStyle::with_template("{spinner} {pos} checks, {elapsed}: {msg}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}

struct Verification<'a> {
    request: &'a VerifyRequest,
    summary: VerifySummary,
    progress: ProgressBar,
    trials: Trials,
}

impl Verification<'_> {
    fn verify_task(&mut self, task: &'static dyn Task, way: &Way) -> Result<(), Failure> {
        let mut right = Vec::new();
        for subject in self.subjects(task, way)? {
            let names = (task.name(), subject.info.name);
            self.summary.variants.insert(names);
            match self.trials.problem(&subject)? {
                Some(problem) => self.wrong(&subject, way.to_string(), problem, None),
                None => right.push(subject),
            }
        }
        // Inputs are generated one by one, and skipped if no variant needs them.
        let mut inputs = inputs::of(task, self.request)?;
        while !right.is_empty() {
            let Some(input) = inputs.next() else { break };
            let context = format!("{way}, {}", input.name);
            self.progress.set_message(context.clone());
            // One wrong output is enough to work on.
            right.retain(|subject| self.is_right(subject, input.case.as_ref(), &context));
        }
        Ok(())
    }

    /// The variants that were asked for and can run on the device.
    fn subjects<'w>(
        &self,
        task: &'static dyn Task,
        way: &'w Way,
    ) -> Result<Vec<Subject<'w>>, Failure> {
        let infos = task.variants();
        let selected = matching_variants(&infos, &self.request.variants);
        let selected = selected.map_err(Failure::Usage)?.into_iter();
        let subjects = selected.map(|number| Subject { task, info: infos[number], number, way });
        let runs = |info: &VariantInfo| way.is_for(info) && info.unavailable_reason.is_none();
        Ok(subjects.filter(|subject| runs(&subject.info)).collect())
    }

    /// Checks a variant, and takes down what is wrong with it.
    fn is_right(&mut self, subject: &Subject<'_>, case: &dyn Case, context: &str) -> bool {
        self.progress.inc(1);
        match subject.check(case) {
            Checked::Right => self.summary.checks += 1,
            Checked::NotRun => self.summary.skipped += 1,
            Checked::Wrong(problem) => {
                let message = format!("{context}: wrong; looking for a smaller input");
                self.progress.set_message(message);
                let is_wrong = |case: &dyn Case| matches!(subject.check(case), Checked::Wrong(_));
                let smallest = inputs::smallest(case, is_wrong);
                let kept = smallest.and_then(|it| inputs::keep(subject, it.as_ref(), is_wrong));
                self.wrong(subject, context.to_owned(), problem, kept);
                return false;
            }
        }
        true
    }

    fn wrong(
        &mut self,
        subject: &Subject<'_>,
        context: String,
        problem: String,
        kept: Option<Kept>,
    ) {
        self.summary.checks += 1;
        self.summary.mismatches.push(Mismatch {
            task: subject.task.name(),
            variant: subject.info.name,
            device: subject.way.device,
            context,
            problem,
            kept,
        });
    }
}

/// A variant, run in some way.
struct Subject<'a> {
    task: &'static dyn Task,
    info: VariantInfo,
    number: usize,
    way: &'a Way,
}

/// Result of a check.
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
        let checked = check_candidate(candidate.as_mut(), &place);
        drop(candidate);
        // Paths of smaller inputs are relative to the original working directory.
        plugin_guard::return_home();
        match checked {
            Ok(_) => Checked::Right,
            Err(CheckError::Device(
                DeviceError::OutOfMemory { .. }
                | DeviceError::TooLarge { .. }
                | DeviceError::Lacking { .. },
            )) => Checked::NotRun,
            Err(error) => Checked::Wrong(error.to_string()),
        }
    }
}
