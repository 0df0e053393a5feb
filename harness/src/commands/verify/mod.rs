//! `bench verify`: every variant on hard inputs, without timing.
//!
//! | module | holds |
//! |---|---|
//! | `exec_config` | configurations of a variant on a device: threads, schedules |
//! | `inputs` | hard inputs, and the smallest input on which a variant is still wrong |
//! | `task_check` | checks of the tasks themselves |
//! | `summary` | summary of the checks |

mod exec_config;
mod inputs;
mod summary;
mod task_check;

use std::collections::BTreeMap;

use indicatif::{ProgressBar, ProgressStyle};
use portable_gpu::DeviceError;
use tasks::device::Device;
use tasks::plugin::{PluginKind, Quarantine};
use tasks::task::{Case, Task, VariantInfo};

use crate::failure::{Exit, Failure};
use crate::measure::{CheckError, check_candidate};
use crate::plan::{check_free_memory, matching_variants, select_variants};
use crate::platform::{gpus, plugin_guard};
use crate::plugins::{self, Baseline, trial};
use crate::request::VerifyRequest;
use exec_config::ExecConfig;
use inputs::ReducedInput;
use summary::{Mismatch, VerifySummary};
use task_check::{TaskCheck, TaskFault};

/// Memory of the largest hard input, including results and system reserve.
const MEMORY_BYTES: u64 = 1 << 30;

pub(super) fn run(request: &VerifyRequest) -> Result<Exit, Failure> {
    check_free_memory("verifying", MEMORY_BYTES)?;
    plugins::load(&request.plugins, Baseline::Measured)?;
    let all = crate::registry::tasks();
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
        known: BTreeMap::new(),
    };
    for device in devices(request)? {
        for exec in exec_config::for_device(device, request)? {
            for &task in tasks {
                verification.verify_task(task, &exec)?;
            }
        }
    }
    verification.progress.finish_and_clear();
    verification.summary.report(request)
}

/// Returns the requested devices, or all usable ones.
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
        // The spinner is hidden without a terminal.
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
    /// Tasks that were checked themselves, and whether they passed.
    known: BTreeMap<&'static str, bool>,
}

impl Verification<'_> {
    fn verify_task(&mut self, task: &'static dyn Task, exec: &ExecConfig) -> Result<(), Failure> {
        if self.known.get(task.name()) == Some(&false) {
            return Ok(());
        }
        let mut right = Vec::new();
        for subject in self.subjects(task, exec)? {
            let names = (task.name(), subject.info.name);
            self.summary.variants.insert(names);
            match self.trials.problem(&subject)? {
                Some(problem) => self.wrong(&subject, exec.to_string(), problem, None),
                None => right.push(subject),
            }
        }
        // Once for each task, on inputs that its variants need anyway.
        let is_first = !right.is_empty() && !self.known.contains_key(task.name());
        let mut task_check = is_first.then(TaskCheck::default).filter(|_| self.is_of_hard_inputs());
        // Inputs are generated one by one, and skipped if no variant needs them.
        let mut inputs = inputs::for_task(task, self.request)?;
        while !right.is_empty() {
            let Some(input) = inputs.next() else { break };
            if let (Some(check), Some(seed)) = (&mut task_check, input.seed)
                && seed == self.request.seed
                && let Err(fault) = check.add(&input.name, input.case.as_ref(), seed)
            {
                self.fault(task, fault);
                return Ok(());
            }
            let context = format!("{exec}, {}", input.name);
            self.progress.set_message(context.clone());
            // One wrong output is enough to work on.
            right.retain(|subject| self.is_right(subject, input.case.as_ref(), &context));
        }
        if let Some(check) = task_check {
            match check.end(task, self.request.seed) {
                Err(fault) => self.fault(task, fault),
                Ok(()) => drop(self.known.insert(task.name(), true)),
            }
        }
        Ok(())
    }

    fn is_of_hard_inputs(&self) -> bool {
        self.request.input.is_none()
    }

    /// Records the fault of a task, whose variants are not checked any more.
    fn fault(&mut self, task: &'static dyn Task, fault: TaskFault) {
        self.known.insert(task.name(), false);
        self.summary.faults.push((task.name(), fault));
    }

    /// Returns the requested variants that can run on the device.
    fn subjects<'w>(
        &self,
        task: &'static dyn Task,
        exec: &'w ExecConfig,
    ) -> Result<Vec<Subject<'w>>, Failure> {
        let infos = task.variants();
        let selected = matching_variants(&infos, &self.request.variants);
        let selected = selected.map_err(Failure::Usage)?.into_iter();
        let subjects = selected.map(|index| Subject { task, info: infos[index], index, exec });
        let runs = |info: &VariantInfo| exec.is_for(info) && info.unavailable_reason.is_none();
        Ok(subjects.filter(|subject| runs(&subject.info)).collect())
    }

    /// Checks a variant, and records its error.
    fn is_right(&mut self, subject: &Subject<'_>, case: &dyn Case, context: &str) -> bool {
        self.progress.inc(1);
        match subject.check(case) {
            CheckResult::Right => self.summary.checks += 1,
            CheckResult::NotRun => self.summary.skipped += 1,
            CheckResult::Wrong(problem) => {
                let message = format!("{context}: wrong; looking for a smaller input");
                self.progress.set_message(message);
                let is_wrong =
                    |case: &dyn Case| matches!(subject.check(case), CheckResult::Wrong(_));
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
        kept: Option<ReducedInput>,
    ) {
        self.summary.checks += 1;
        self.summary.mismatches.push(Mismatch {
            task: subject.task.name(),
            variant: subject.info.name,
            device: subject.exec.device,
            context,
            problem,
            kept,
        });
    }
}

/// Variant with its configuration.
struct Subject<'a> {
    task: &'static dyn Task,
    info: VariantInfo,
    index: usize,
    exec: &'a ExecConfig,
}

/// Result of a check.
enum CheckResult {
    Right,
    /// It can't run here, or not on this input.
    NotRun,
    Wrong(String),
}

impl Subject<'_> {
    fn check(&self, case: &dyn Case) -> CheckResult {
        let Ok(target) = self.exec.target() else {
            return CheckResult::NotRun;
        };
        let Ok(mut candidate) = case.prepare(self.index, &target) else {
            return CheckResult::NotRun;
        };
        let checked = check_candidate(candidate.as_mut(), &target);
        drop(candidate);
        // Paths of smaller inputs are relative to the original working directory.
        plugin_guard::return_home();
        match checked {
            Ok(_) => CheckResult::Right,
            Err(CheckError::Device(
                DeviceError::OutOfMemory { .. }
                | DeviceError::TooLarge { .. }
                | DeviceError::Lacking { .. },
            )) => CheckResult::NotRun,
            Err(error) => CheckResult::Wrong(error.to_string()),
        }
    }
}

/// Results of plugin trials.
#[derive(Default)]
struct Trials(Vec<(trial::PluginVariant, Option<Quarantine>)>);

impl Trials {
    /// Returns the misbehaviour of a plugin's variant. Wrong output is not included: it is checked
    /// in this process, which can find a smaller input.
    fn problem(&mut self, subject: &Subject<'_>) -> Result<Option<String>, Failure> {
        let info = &subject.info;
        let exec = subject.exec;
        let Some(plugin) = info
            .plugin
            .filter(|plugin| exec.device != Device::Emulator && plugin.kind == PluginKind::Library)
        else {
            return Ok(None);
        };
        let wanted = trial::PluginVariant {
            plugin,
            task: subject.task.name(),
            variant: info.name,
            device: exec.device,
            threads: vec![exec.threads()],
        };
        // A variant that crashed with one thread count is not tried with others.
        let same = |(tried, found): &&(trial::PluginVariant, Option<Quarantine>)| {
            let crashed = matches!(found, Some(Quarantine::Failed(_)));
            (tried.plugin, tried.variant, tried.device)
                == (wanted.plugin, wanted.variant, wanted.device)
                && (crashed || tried.threads == wanted.threads)
        };
        let known = self.0.iter().find(same).map(|(_, found)| found.clone());
        let found = match known {
            Some(found) => found,
            None => {
                let found = trial::run(&wanted)?;
                self.0.push((wanted, found.clone()));
                found
            }
        };
        Ok(match found {
            Some(Quarantine::Failed(problem)) => Some(format!("failed: {} {problem}", plugin.file)),
            _ => None,
        })
    }
}
