//! Every variant of every task is right on every hard input, those for GPUs on the emulator.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use portable_gpu::emulator::{Config, Execution, Lanes, Policy, Schedule};
use portable_gpu::{Gpu, emulator};
use tasks::device::{Backend, Target, Team};
use tasks::task::{Candidate, Case, Task};

use crate::common::{check_all, tasks_with_hard_cases, variants};

/// Larger inputs run with fewer tried of threads: `bench verify` runs them with any.
const SMALL_ITEMS: u64 = 3_000;
/// Larger inputs than this run with one thread, smaller ones also with two.
const LARGE_ITEMS: u64 = 15_000;

#[test]
fn every_cpu_variant_is_right_on_hard_inputs() {
    let mut run = 0;
    let mut refused = 0;
    let teams = [3, 1, 2, 8].map(|threads| Team::new(threads).expect("threads"));
    for (task, cases) in tasks_with_hard_cases() {
        for (name, case) in cases {
            let tried = match case.work().items {
                items if items <= SMALL_ITEMS => teams.len(),
                items if items <= LARGE_ITEMS => 2,
                _ => 1,
            };
            for team in &teams[..tried] {
                let on = format!("{name}, {} threads", team.threads());
                let counts = check_all(task, case.as_ref(), &Target::host(team), &on);
                run += counts[0];
                refused += counts[1];
            }
        }
    }
    assert!(run > 5 * refused, "{run} run, {refused} refused");
}

/// Selects small inputs; `bench verify` runs the larger ones, and all schedules. The limits reflect
/// costs: a sample of a page is more work than a decoded one or a digi to be sorted, and that more
/// than a cell of a map; a random order takes longer, and checks of all accesses much longer. Each
/// stage of the STS chain runs all stages before it. Threads of many empty segments are scheduled
/// without work. 64-lane random-order runs use only the smallest inputs here; the rest run nightly.
///
/// `times` is 1 in CI; it scales the limits of items and segments.
fn is_small(times: u64, task: &str, name: &str, case: &dyn Case, config: &Config) -> bool {
    let work = case.work();
    let random = config.schedule.policy == Policy::Random;
    let is_stage = matches!(task, "presort" | "cluster" | "cluster-sort" | "hits" | "collect");
    let max_segments = if random || config.checked || is_stage { 100 } else { 1_000 };
    if segments(name) > times * max_segments {
        return false;
    }
    let max_items = match (task, work.item_unit) {
        ("sts", _) if random => 100,
        ("sts", _) => 800,
        _ if is_stage => 100,
        ("cluster-finder", _) if random => 3_000,
        ("cluster-finder", _) => 8_000,
        (_, "sample") if random => 300,
        (_, "sample") => 800,
        (_, "event") if random || config.checked => return work.items <= 2 * times,
        (_, "event") => 3,
        (_, "cell") if random => 30_000,
        (_, "cell") => 200_000,
        _ if random => 500,
        _ => 3_000,
    };
    work.items <= times * if config.checked { max_items / 20 } else { max_items }
}

/// Number of segments of an input, if its name contains it: `100 digis in 5000 segments, …`.
fn segments(name: &str) -> u64 {
    let before = name.split(" segments").next().unwrap_or_default();
    before.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Configuration of the emulator.
fn config(lanes: Lanes, policy: Policy) -> Config {
    Config { lanes, schedule: Schedule { seed: 1, policy }, ..Config::default() }
}

/// The emulator, if this build has one.
fn emulated(config: Config, team: &Team) -> Option<Target<'_>> {
    let gpu = emulator::gpu_for_tests(config)?;
    Some(Target::emulated(gpu, team))
}

fn every_variant_is_right(config: Config) {
    let team = Team::new(1).expect("a thread");
    if let Some(target) = emulated(config, &team) {
        every_variant_is_right_on(1, &target, config);
    }
}

fn every_variant_is_right_on(times: u64, target: &Target<'_>, config: Config) {
    let mut run = 0;
    let of_gpus = |task: &dyn Task| !variants(task, Backend::Cuda).is_empty();
    for (task, cases) in tasks_with_hard_cases().filter(|(task, _)| of_gpus(*task)) {
        for (name, case) in cases {
            if is_small(times, task.name(), name, case.as_ref(), &config) {
                run += check_all(task, case.as_ref(), target, name)[0];
            }
        }
    }
    assert!(run > 80, "{run} run");
}

#[test]
fn every_variant_is_right_with_32_lanes() {
    every_variant_is_right(config(Lanes::L32, Policy::InOrder));
}

#[test]
fn every_variant_is_right_with_64_lanes_in_random_order() {
    every_variant_is_right(config(Lanes::L64, Policy::Random));
}

/// Copies and kernels run as late as possible, or in a random order of queues: a launcher with a
/// missing wait reads data too early.
fn every_variant_waits(times: u64, execution: Execution) {
    let team = Team::new(1).expect("a thread");
    let config = config(Lanes::L32, Policy::InOrder);
    if emulator::unavailable().is_none() {
        let gpu = Gpu::emulated_queues(config, execution).expect("an emulator");
        let target = Target::emulated(Arc::new(gpu), &team);
        every_variant_is_right_on(times, &target, config);
    }
}

#[test]
fn every_variant_is_right_in_queues_that_run_late() {
    every_variant_waits(1, Execution::Late);
}

#[test]
fn every_variant_is_right_in_queues_in_random_order() {
    every_variant_waits(1, Execution::Random { seed: 1 });
}

#[test]
#[ignore = "takes minutes: for the night"]
fn larger_inputs_in_three_schedules() {
    const TIMES: u64 = 10;
    for execution in [Execution::Eager, Execution::Late, Execution::Random { seed: 2 }] {
        every_variant_waits(TIMES, execution);
    }
}

#[test]
fn no_variant_races() {
    every_variant_is_right(Config { checked: true, ..config(Lanes::L32, Policy::InOrder) });
}

/// True if the check refuses the output of a candidate that did not run, with the memory of an
/// earlier, right run. Poisoned values may make code panic; that counts as refused.
fn is_refused_without_a_run(candidate: &mut dyn Candidate) -> bool {
    let ran = candidate.reset().and_then(|()| candidate.run());
    assert_eq!(ran, Ok(()));
    let right = candidate.check().map_err(|error| error.to_string());
    assert_eq!(right, Ok(()));
    let poisoned = candidate.reset().and_then(|()| candidate.poison());
    assert_eq!(poisoned, Ok(()));
    catch_unwind(AssertUnwindSafe(|| candidate.check().is_err())).unwrap_or(true)
}

/// An empty output is right for inputs without results, so one of the larger inputs must be
/// refused.
#[test]
fn results_of_an_earlier_run_are_refused() {
    const MAX_ITEMS: u64 = 500;
    let team = Team::new(1).expect("a thread");
    let Some(target) = emulated(config(Lanes::L32, Policy::InOrder), &team) else {
        return;
    };
    let mut refused = 0;
    for (task, cases) in tasks_with_hard_cases() {
        let small = cases.iter().filter(|(_, case)| case.work().items <= MAX_ITEMS);
        let mut cases: Vec<_> = small.collect();
        cases.sort_by_key(|(_, case)| std::cmp::Reverse(case.work().items));
        for (index, variant) in variants(task, Backend::Cuda) {
            let candidates = cases.iter().filter_map(|(_, case)| {
                let prepared = case.prepare(index, &target);
                prepared.ok()
            });
            let mut tried = candidates.take(5).peekable();
            if tried.peek().is_none() {
                continue;
            }
            let is_refused = tried.any(|mut candidate| is_refused_without_a_run(&mut *candidate));
            assert!(is_refused, "{variant} of {}", task.name());
            refused += 1;
        }
    }
    assert!(refused > 20, "{refused} refused");
}
