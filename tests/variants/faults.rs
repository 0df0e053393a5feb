//! Faults of a device. Its loss during a run is an error: all buffers are released, and the next
//! candidate runs. And each wait of each CUDA launcher is needed: if it is skipped, the output is
//! wrong, or there is an error.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use portable_gpu::emulator::{Config, Execution, Faults, QueuedEmulator};
use portable_gpu::{DeviceError, Gpu, emulator};
use tasks::device::{Backend, Target, Team};
use tasks::task::{Candidate, Case, Task};

use crate::common::{cases_with, refresh, tasks_with_hard_cases, variants};

/// Number of calls of `trim` that unused page-locked memory survives.
const TRIMS: usize = 5;

fn is_lost(error: &DeviceError) -> bool {
    error.to_string().contains("the device was lost")
}

/// Runs a candidate until the device is lost at one of its commands.
fn lose(candidate: &mut dyn Candidate, queues: &QueuedEmulator, command: u64) -> DeviceError {
    refresh(candidate);
    queues.inject(Faults { lost_at: Some(command), ..Faults::default() });
    let ran = candidate.run();
    queues.inject(Faults::default());
    assert_eq!(queues.pending(), 0, "nothing runs after the loss");
    candidate.release();
    ran.expect_err("the device was lost")
}

/// Runs a candidate and checks its output; returns the number of its commands.
fn run_right(candidate: &mut dyn Candidate, queues: &QueuedEmulator) -> u64 {
    refresh(candidate);
    queues.inject(Faults::default());
    assert_eq!(candidate.run(), Ok(()));
    let commands = queues.counts().commands;
    let checked = candidate.check().map_err(|error| error.to_string());
    assert_eq!(checked, Ok(()));
    candidate.release();
    commands
}

/// Loses the device at the first, a middle and the last command of a variant; the next candidate on
/// the same input must be right each time. `false` if the variant does not run on this input.
fn survives(gpu: &Arc<Gpu>, variant: usize, case: &dyn Case) -> bool {
    let queues = gpu.emulator_queues().expect("an emulator");
    let team = Team::new(1).expect("a thread");
    let target = Target::emulated(Arc::clone(gpu), &team);
    let Ok(mut candidate) = case.prepare(variant, &target) else { return false };
    // The first run may be repeated with more memory.
    run_right(candidate.as_mut(), queues);
    let commands = run_right(candidate.as_mut(), queues);
    for command in [0, commands / 2, commands - 1] {
        let error = lose(candidate.as_mut(), queues, command);
        assert!(is_lost(&error), "at command {command} of {commands}: {error}");
        let mut next = case.prepare(variant, &target).expect("it ran before");
        run_right(next.as_mut(), queues);
    }
    true
}

fn every_variant_survives(execution: Execution) {
    if let Some(reason) = emulator::unavailable() {
        eprintln!("skipped: {reason}");
        return;
    }
    let gpu = Arc::new(Gpu::emulated_queues(Config::default(), execution).expect("an emulator"));
    let mut tried = 0;
    for (task, cases) in tasks_with_hard_cases() {
        let small = cases_with(ITEMS, cases);
        for (index, _) in variants(task, Backend::Cuda) {
            tried += usize::from(small.iter().any(|case| survives(&gpu, index, *case)));
        }
        small.iter().for_each(|case| case.drop_buffers());
    }
    assert!(tried > 40, "{tried} tried");
    (0..TRIMS).for_each(|_| gpu.trim());
    let emulator = gpu.emulator_queues().expect("an emulator").emulator();
    assert_eq!(emulator.allocations(), 0, "all buffers have come back");
}

#[test]
fn a_device_that_is_lost_late_is_an_error_and_the_next_candidate_runs() {
    every_variant_survives(Execution::Late);
}

#[test]
#[ignore = "takes half a minute: for the night"]
fn a_device_that_is_lost_in_random_order_is_an_error_and_the_next_candidate_runs() {
    every_variant_survives(Execution::Random { seed: 7 });
}

/// Waits that can be skipped, each with the reason.
const LISTED: &str = include_str!("waits_not_needed.txt");

/// Execution orders in which a missing wait is searched.
const EXECUTIONS: [Execution; 13] = {
    let mut executions = [Execution::Late; 13];
    let mut seed = 1;
    while seed < executions.len() {
        executions[seed] = Execution::Random { seed: seed as u64 };
        seed += 1;
    }
    executions
};

/// Number of items of the inputs that launchers run on: all accesses are checked, because a kernel
/// may read data that was not copied yet, and that takes long.
const ITEMS: RangeInclusive<u64> = 30..=1_000;
const MAX_CASES: usize = 2;

/// A candidate on queues with an execution order.
struct Trial<'t> {
    candidate: Box<dyn Candidate + 't>,
    queues: &'t QueuedEmulator,
}

/// Result of a run with a skipped wait.
struct Without {
    /// Call stack of the wait.
    calls: String,
    is_right: bool,
}

impl Trial<'_> {
    /// Runs with all waits, checks the output, and returns the number of waits.
    fn waits(&mut self) -> u64 {
        self.start(Faults::default());
        let ran = self.candidate.run();
        let waits = self.queues.counts().waits;
        assert_eq!(ran, Ok(()));
        let checked = self.candidate.check().map_err(|error| error.to_string());
        assert_eq!(checked, Ok(()));
        waits
    }

    /// Runs with one wait skipped.
    fn without(&mut self, wait: u64) -> Without {
        self.start(Faults { skipped_wait: Some(wait), ..Faults::default() });
        IS_TRIAL.set(true);
        let ran = catch_unwind(AssertUnwindSafe(|| self.candidate.run()));
        let calls = self.queues.skipped_wait();
        let is_over = self.queues.pending() == 0;
        self.queues.inject(Faults::default());
        let is_right = matches!(ran, Ok(Ok(()))) && is_over && {
            let checked = catch_unwind(AssertUnwindSafe(|| self.candidate.check().is_ok()));
            checked.unwrap_or(false)
        };
        IS_TRIAL.set(false);
        self.queues.reset();
        // After a failed run the contents of its buffers are arbitrary.
        self.candidate.release();
        Without { calls: calls.unwrap_or_default(), is_right }
    }

    fn start(&mut self, faults: Faults) {
        refresh(self.candidate.as_mut());
        self.queues.inject(faults);
    }
}

thread_local! {
    /// True while this thread runs with a wait skipped.
    static IS_TRIAL: Cell<bool> = const { Cell::new(false) };
}

/// Panics of runs with a skipped wait are results, and are not printed.
fn silence_trials() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !IS_TRIAL.get() {
            print(panic);
        }
    }));
}

/// Name of the innermost launcher function of a call stack, which is neither in the GPU layer nor
/// common to all candidates.
fn launcher(calls: &str) -> String {
    let mut names =
        calls.lines().filter_map(|line| line.trim().split_once(": ")).map(|(_, name)| name);
    let is_launcher =
        |name: &&str| name.contains("algorithms_") && !name.contains("portable_gpu::");
    short_name(names.find(is_launcher).unwrap_or("unknown"))
}

/// `CudaChain::step` of `algorithms_sts::sts::cuda::chain::CudaChain::step::h0123456789abcdef`, and
/// `MergeBuffers::run` of `<algorithms_tpc::…::MergeBuffers as tasks::…::GpuTask>::run`.
fn short_name(name: &str) -> String {
    let is_hash = |part: &str| part.len() == 17 && part.starts_with('h');
    let name =
        name.rsplit_once("::").filter(|(_, last)| is_hash(last)).map_or(name, |(name, _)| name);
    let (of, function) = name.rsplit_once("::").unwrap_or(("", name));
    let of = of.trim_start_matches('<').split([' ', '<']).next().unwrap_or_default();
    let of = of.rsplit("::").next().unwrap_or_default();
    format!("{of}::{function}")
}

/// The emulator in each order of queues.
fn gpus() -> Vec<Arc<Gpu>> {
    let config = Config { checked: true, ..Config::default() };
    let gpu = |&execution| Arc::new(Gpu::emulated_queues(config, execution).expect("an emulator"));
    EXECUTIONS.iter().map(gpu).collect()
}

/// A wait of a launcher: its index, the number of waits of a run, and the function that calls it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wait {
    task: &'static str,
    variant: &'static str,
    index: u64,
    of: u64,
    function: String,
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wait { task, variant, index, of, function } = self;
        write!(f, "{task} {variant} {index}/{of} {function}")
    }
}

/// Tries all waits of a variant; returns each with whether an input was found that needs it.
fn waits_of(
    gpus: &[Arc<Gpu>],
    task: &'static dyn Task,
    index: usize,
    name: &'static str,
    cases: &[&dyn Case],
) -> BTreeMap<Wait, bool> {
    let mut waits = BTreeMap::new();
    for case in cases {
        let mut survivors: Option<Vec<u64>> = None;
        for gpu in gpus {
            let team = Team::new(1).expect("a thread");
            let target = Target::emulated(Arc::clone(gpu), &team);
            let Ok(candidate) = case.prepare(index, &target) else { break };
            let queues = gpu.emulator_queues().expect("an emulator");
            let mut trial = Trial { candidate, queues };
            let of = trial.waits();
            let tried = survivors.take().unwrap_or_else(|| (0..of).collect());
            let mut remaining = Vec::new();
            for index in tried {
                let without = trial.without(index);
                let function = launcher(&without.calls);
                let wait = Wait { task: task.name(), variant: name, index, of, function };
                *waits.entry(wait).or_default() |= !without.is_right;
                if without.is_right {
                    remaining.push(index);
                }
            }
            survivors = Some(remaining);
        }
    }
    waits
}

/// Skips each wait of the launchers of some tasks, and compares the waits that no input needs with
/// the list.
fn every_wait_is_needed(tasks: impl Fn(&str) -> bool) {
    if let Some(reason) = emulator::unavailable() {
        eprintln!("skipped: {reason}");
        return;
    }
    silence_trials();
    let gpus = gpus();
    let mut waits = BTreeMap::new();
    for (task, cases) in tasks_with_hard_cases().filter(|(task, _)| tasks(task.name())) {
        let mut cases = cases_with(ITEMS, cases);
        cases.truncate(MAX_CASES);
        for (index, name) in variants(task, Backend::Cuda) {
            waits.extend(waits_of(&gpus, task, index, name, &cases));
        }
    }
    let not_needed = waits.iter().filter(|(_, is_needed)| !**is_needed).map(|(wait, _)| wait);
    let found: BTreeSet<String> = not_needed.map(|wait| wait.to_string()).collect();
    let listed = LISTED.lines().filter(|line| !line.starts_with('#'));
    let listed = listed.filter_map(|line| line.split_once(": ")).map(|(wait, _)| wait.to_owned());
    let is_asked = |wait: &String| wait.split(' ').next().is_some_and(&tasks);
    let listed: BTreeSet<String> = listed.filter(is_asked).collect();
    assert!(!waits.is_empty(), "nothing was tried");
    assert_eq!(found, listed, "waits that are not needed, found and listed");
}

/// Tasks whose launchers take seconds.
const QUICK: [&str; 5] = ["sort", "unpack", "events", "merge", "tpc"];

#[test]
fn every_wait_of_quick_launchers_is_needed() {
    every_wait_is_needed(|task| QUICK.contains(&task));
}

#[test]
#[ignore = "takes minutes: for the night"]
fn every_wait_of_every_launcher_is_needed() {
    every_wait_is_needed(|_| true);
}
