//! All variants against the references, with the experiment's fixtures as input: on the CPU, and on the emulator in
//! several orders of threads and of copies.

use std::sync::Arc;

use algorithms_lhcb::velo::{Stage, VeloInput, VeloTask};
use generators_lhcb::{BankKind, Geometry};
use portable_gpu::Gpu;
use portable_gpu::emulator::{self, Config, Execution, Lanes, Policy, Schedule};
use tasks::algorithm::{Algorithm, Variant};
use tasks::device::{Backend, Target, Team};

use crate::expected::load;

/// Events of a file that a stage can begin with, without those whose results are undefined.
pub fn inputs(file: &str, stage: Stage, batch: usize) -> Option<VeloInput> {
    let (events, _) = load(file)?;
    let fits = |kind| match stage {
        Stage::Clusters | Stage::Sort => kind == BankKind::SuperPixel,
        Stage::Decode => kind == BankKind::Retina,
        Stage::Tracks | Stage::Chain => true,
    };
    let fitting = (0..events.len()).filter(|event| fits(events.event(*event).format.kind));
    let input =
        VeloInput::new(events.selected(fitting), Arc::new(Geometry::nominal().clone()), batch);
    (!input.events.is_empty()).then_some(input)
}

pub const FILES: [&str; 8] = [
    "tiny-sp.cases.gz",
    "tiny-retina.cases.gz",
    "ties.cases.gz",
    "v4.cases.gz",
    "minbias-sp.cases.gz",
    "minbias-retina.cases.gz",
    "dense-sp.cases.gz",
    "dense-retina.cases.gz",
];

fn check(stage: Stage) {
    let team = Team::new(3).expect("threads");
    check_on(stage, &Target::host(&team), &[1, 7]);
    let Some(gpu) = emulator::gpu_for_tests(Config::default()) else { return };
    check_on(stage, &Target::emulated(gpu, &team), &[5, 20]);
}

fn check_on(stage: Stage, target: &Target<'_>, batches: &[usize]) {
    for file in FILES {
        for &batch in batches {
            let Some(input) = inputs(file, stage, batch) else { continue };
            check_input(stage, target, &input, file);
        }
    }
}

pub fn check_input(stage: Stage, target: &Target<'_>, input: &VeloInput, file: &str) {
    let task = VeloTask { stage };
    for variant in task.variants() {
        if variant.backend != target.device.backend() {
            continue;
        }
        let checked = variant.checked_output(&task, input, target, None);
        if let Err(problem) = checked {
            panic!("{file}, {} by {}: {problem}", stage.name(), variant.name);
        }
    }
}

/// Files have the tracks in the experiment's order, for which checks do not look.
#[test]
fn variants_on_a_cpu_have_tracks_in_the_same_order() {
    let team = Team::new(1).expect("a thread");
    let task = VeloTask { stage: Stage::Chain };
    for file in FILES {
        let Some(input) = inputs(file, Stage::Chain, 100) else { continue };
        let slots = |name: &str| {
            let variants = task.variants();
            let on_cpu = |variant: &&Variant<VeloTask>| {
                variant.name == name && variant.backend == Backend::Cpu
            };
            let variant = variants.iter().find(on_cpu).expect("a variant");
            let output = variant.output(&task, &input, &Target::host(&team)).expect("it runs");
            (output.tracks.offsets, output.tracks.slots)
        };
        assert!(slots("tables") == slots("published"), "{file}");
    }
}

/// Checks variants on an emulator with the first events of small files, in batches of three.
fn check_first_events(target: &Target<'_>, events: usize) {
    let stages = [Stage::Clusters, Stage::Decode, Stage::Sort, Stage::Tracks, Stage::Chain];
    for file in ["tiny-sp.cases.gz", "tiny-retina.cases.gz", "ties.cases.gz", "v4.cases.gz"] {
        for stage in stages {
            let Some(input) = inputs(file, stage, 3) else { continue };
            let input = input.selected(0..events.min(input.events.len()));
            check_input(stage, target, &input, file);
        }
    }
}

fn check_schedule(lanes: Lanes, policy: Policy, checked: bool, events: usize) {
    let schedule = Schedule { seed: 5, policy };
    let config = Config { lanes, schedule, checked, ..Config::default() };
    let Some(gpu) = emulator::gpu_for_tests(config) else { return };
    let team = Team::new(1).expect("a thread");
    check_first_events(&Target::emulated(gpu, &team), events);
}

fn check_queues(execution: Execution) {
    if emulator::unavailable().is_some() {
        return;
    }
    let gpu = Gpu::emulated_queues(Config::default(), execution).expect("an emulator");
    let team = Team::new(1).expect("a thread");
    check_first_events(&Target::emulated(Arc::new(gpu), &team), 8);
}

#[test]
fn wavefronts_of_64_lanes_in_random_order() {
    check_schedule(Lanes::L64, Policy::Random, false, 8);
}

#[test]
fn warps_that_are_interrupted() {
    check_schedule(Lanes::L32, Policy::Preempting, false, 8);
}

#[test]
fn no_races() {
    check_schedule(Lanes::L32, Policy::InOrder, true, 4);
    check_schedule(Lanes::L64, Policy::Reverse, true, 4);
}

#[test]
fn copies_that_run_late_or_in_any_order() {
    check_queues(Execution::Late);
    check_queues(Execution::Random { seed: 3 });
}

#[test]
fn clusters() {
    check(Stage::Clusters);
}

#[test]
fn decoding() {
    check(Stage::Decode);
}

#[test]
fn sorting() {
    check(Stage::Sort);
}

#[test]
fn tracks() {
    check(Stage::Tracks);
}

#[test]
fn chain() {
    check(Stage::Chain);
}
