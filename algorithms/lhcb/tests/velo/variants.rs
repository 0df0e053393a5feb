//! All variants on the CPU against the references, with the experiment's fixtures as input.

use std::sync::Arc;

use algorithms_lhcb::velo::task::{Stage, VeloInput, VeloTask};
use generators_lhcb::{BankKind, Geometry};
use portable_gpu::emulator::{self, Config};
use tasks::algorithm::Algorithm;
use tasks::device::{Target, Team};

use crate::expected::load;

/// Events of a file that a stage can begin with, without those whose results are undefined.
fn inputs(file: &str, stage: Stage, batch: usize) -> Option<VeloInput> {
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

const FILES: [&str; 8] = [
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
    check_on(stage, &Target::emulated(gpu, &team), &[5]);
}

fn check_on(stage: Stage, target: &Target<'_>, batches: &[usize]) {
    let task = VeloTask { stage };
    for file in FILES {
        for &batch in batches {
            let Some(input) = inputs(file, stage, batch) else { continue };
            for variant in task.variants() {
                if variant.backend != target.device.backend() {
                    continue;
                }
                let checked = variant.checked_output(&task, &input, target, None);
                if let Err(problem) = checked {
                    panic!("{file}, {} by {}: {problem}", stage.name(), variant.name);
                }
            }
        }
    }
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
