//! Each wait of each CUDA launcher is needed: left out, the output is wrong, or an error says so.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use algorithms::device::emulator::{self, Config, Execution, Faults, QueuedEmulator};
use algorithms::device::gpu::Gpu;
use algorithms::device::{Backend, Target, Team};
use algorithms::task::{Candidate, Case, Task};

use crate::common::{tasks_with_hard_cases, variants};

/// Waits that may be left out, by the function that asks for them, each with the reason.
#[expect(dead_code)]
const NOT_NEEDED: &str = include_str!("waits_not_needed.txt");

/// Orders in which a missing wait is looked for.
const EXECUTIONS: [Execution; 3] =
    [Execution::Late, Execution::Random { seed: 1 }, Execution::Random { seed: 2 }];

/// Items of the inputs that launchers are tried with, at most: accesses are checked, since a
/// kernel may be given what was not copied yet.
const MAX_ITEMS: u64 = 60;
const MAX_CASES: usize = 3;

/// A candidate on queues that run in some order.
struct Trial<'t> {
    candidate: Box<dyn Candidate + 't>,
    queues: &'t QueuedEmulator,
}

impl Trial<'_> {
    /// Number of waits of a run, which is right.
    fn waits(&mut self) -> u64 {
        self.start(Faults::default());
        let ran = self.candidate.run();
        let waits = self.queues.counts().waits;
        assert_eq!(ran, Ok(()));
        let checked = self.candidate.check().map_err(|error| error.to_string());
        assert_eq!(checked, Ok(()));
        waits
    }

    /// The calls around a wait, if a run without it is right all the same.
    fn is_right_without(&mut self, wait: u64) -> Option<String> {
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
        // Buffers of a run that has failed may be anything.
        self.candidate.release();
        calls.filter(|_| is_right)
    }

    fn start(&mut self, faults: Faults) {
        let fresh = self.candidate.reset().and_then(|()| self.candidate.poison());
        assert_eq!(fresh, Ok(()));
        self.queues.inject(faults);
    }
}

thread_local! {
    /// Whether this thread runs with a wait left out.
    static IS_TRIAL: Cell<bool> = const { Cell::new(false) };
}

/// Panics of runs with a wait left out are results, and print nothing.
fn silence_trials() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !IS_TRIAL.get() {
            print(panic);
        }
    }));
}

/// The innermost function of a launcher among some calls: neither of the GPU layer nor of what all
/// candidates have in common.
fn launcher(calls: &str) -> String {
    let names = calls.lines().filter_map(|line| line.trim().split_once(": ")).map(|(_, name)| name);
    let is_launcher = |name: &&str| {
        name.contains("algorithms::")
            && !name.contains("algorithms::device::gpu::")
            && !name.contains("algorithms::all_cores::")
    };
    let name = names.into_iter().find(is_launcher).unwrap_or("an unknown function");
    without_hash(name).to_owned()
}

/// The name of a function without what the compiler adds: `algorithms::f::h0123456789abcdef`.
fn without_hash(name: &str) -> &str {
    match name.rsplit_once("::h") {
        Some((name, hash)) if hash.len() == 16 => name,
        _ => name,
    }
}

/// Inputs in which there is something to be found, the largest of the small ones.
fn small_cases<'c>(cases: &'c [(String, Box<dyn Case>)]) -> Vec<&'c (String, Box<dyn Case>)> {
    let is_small = |case: &&(String, Box<dyn Case>)| case.1.work().items <= MAX_ITEMS;
    let mut small: Vec<_> = cases.iter().filter(is_small).collect();
    small.sort_by_key(|(_, case)| std::cmp::Reverse(case.work().items));
    small.truncate(MAX_CASES);
    small
}

/// Functions whose waits can be left out, with the launchers where that was found.
#[derive(Default)]
struct Survivors(BTreeMap<String, Vec<String>>);

impl Survivors {
    fn try_variant(&mut self, task: &dyn Task, variant: (usize, &str), case: &dyn Case) -> u64 {
        let team = Team::new(1).expect("a thread");
        let mut survivors: Option<BTreeMap<u64, String>> = None;
        let mut waits = 0;
        for execution in EXECUTIONS {
            let config = Config { checked: true, ..Config::default() };
            let gpu = Arc::new(Gpu::emulated_queues(config, execution).expect("an emulator"));
            let target = Target::emulated(Arc::clone(&gpu), &team);
            let Ok(candidate) = case.prepare(variant.0, &target) else { return 0 };
            let queues = gpu.emulator_queues().expect("an emulator");
            let mut trial = Trial { candidate, queues };
            waits = trial.waits();
            let tried: Vec<u64> = match &survivors {
                None => (0..waits).collect(),
                Some(left) => left.keys().copied().collect(),
            };
            let right = tried.into_iter().filter_map(|wait| {
                let calls = trial.is_right_without(wait)?;
                Some((wait, calls))
            });
            survivors = Some(right.collect());
        }
        for (wait, calls) in survivors.unwrap_or_default() {
            let at = format!("{} {} wait {wait} of {waits}", task.name(), variant.1);
            self.0.entry(launcher(&calls)).or_default().push(at);
        }
        waits
    }
}

#[test]
fn every_wait_of_every_launcher_is_needed() {
    if let Some(reason) = emulator::unavailable() {
        eprintln!("skipped: {reason}");
        return;
    }
    silence_trials();
    let mut survivors = Survivors::default();
    let mut waits = 0;
    for (task, cases) in tasks_with_hard_cases() {
        for variant in variants(task, Backend::Cuda) {
            for (_, case) in small_cases(cases) {
                waits += survivors.try_variant(task, variant, case.as_ref());
            }
        }
    }
    println!("{waits} waits were left out");
    for (function, at) in &survivors.0 {
        println!("{function}: {} times, first {}", at.len(), at[0]);
    }
    panic!("look");
}
