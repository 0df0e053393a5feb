//! Loss of a device during a run: an error is returned, all buffers are released, and the next
//! candidate runs.

use std::ops::RangeInclusive;
use std::sync::Arc;

use algorithms::device::emulator::{self, Config, Execution, Faults, QueuedEmulator};
use algorithms::device::gpu::{DeviceError, Gpu};
use algorithms::device::{Backend, Target, Team};
use algorithms::task::{Candidate, Case};

use crate::common::{cases_with, refresh, tasks_with_hard_cases, variants};

/// Number of items of the inputs that launchers run on.
const ITEMS: RangeInclusive<u64> = 30..=1_000;
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
fn run(candidate: &mut dyn Candidate, queues: &QueuedEmulator) -> u64 {
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
    run(candidate.as_mut(), queues);
    let commands = run(candidate.as_mut(), queues);
    for command in [0, commands / 2, commands - 1] {
        let error = lose(candidate.as_mut(), queues, command);
        assert!(is_lost(&error), "at command {command} of {commands}: {error}");
        let mut next = case.prepare(variant, &target).expect("it ran before");
        run(next.as_mut(), queues);
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
