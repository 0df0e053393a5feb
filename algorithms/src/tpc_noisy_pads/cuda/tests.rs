//! On the emulator: all hard inputs, and the small ones with every access checked.

use std::sync::Arc;

use super::VARIANTS;
use crate::algorithm::{Algorithm, Semantics, Variant};
use crate::device::emulator::{self, Config, Lanes};
use crate::device::gpu::Gpu;
use crate::device::{Device, Target, Team};
use crate::tpc_noisy_pads::{ChargeMaps, TpcNoisyPads, hard_inputs};

/// Cells that the emulator has passed through shared memory in a second.
const MOST_STAGED: u64 = 600_000;
/// Checking takes more time; so few cells are still more than are staged at once.
const MOST_CHECKED: u64 = 30_000;

/// The emulator, if this build has one.
fn gpu(lanes: Lanes, checked: bool) -> Option<Arc<Gpu>> {
    if let Some(reason) = emulator::unavailable() {
        eprintln!("skipped: {reason}");
        return None;
    }
    let config = Config {
        lanes,
        checked,
        ..Config::default()
    };
    Some(Arc::new(Gpu::emulated(config).expect("there is one")))
}

fn check(gpu: &Arc<Gpu>, variant: &Variant<TpcNoisyPads>, name: &str, maps: &ChargeMaps) {
    let team = Team::new(1).expect("a thread");
    let target = Target {
        device: Device::Emulator,
        gpu: Some(Arc::clone(gpu)),
        team: &team,
    };
    let expected = TpcNoisyPads.reference(maps, Semantics::Exact);
    let checked = variant.checked_output(&TpcNoisyPads, maps, &target, expected.as_ref());
    let problem = checked.err().map(|problem| problem.to_string());
    assert_eq!(problem, None, "{} on {name}", variant.name);
}

/// Hard inputs with at most so many cells.
fn inputs(most_cells: u64) -> impl Iterator<Item = (String, ChargeMaps)> {
    let inputs = hard_inputs::all(3).into_iter();
    inputs.filter(move |(_, maps)| TpcNoisyPads.work(maps).items <= most_cells)
}

fn hard_inputs_are_right(variant: &Variant<TpcNoisyPads>, lanes: Lanes, most_cells: u64) {
    let Some(gpu) = gpu(lanes, false) else { return };
    for (name, maps) in inputs(most_cells) {
        check(&gpu, variant, &name, &maps);
    }
}

#[test]
fn hard_inputs_are_right_with_32_lanes() {
    hard_inputs_are_right(&VARIANTS[1], Lanes::L32, u64::MAX);
    hard_inputs_are_right(&VARIANTS[0], Lanes::L32, MOST_STAGED);
}

#[test]
fn hard_inputs_are_right_with_64_lanes() {
    hard_inputs_are_right(&VARIANTS[1], Lanes::L64, u64::MAX);
    hard_inputs_are_right(&VARIANTS[0], Lanes::L64, MOST_STAGED);
}

#[test]
fn nothing_races() {
    let Some(gpu) = gpu(Lanes::L32, true) else {
        return;
    };
    for (name, maps) in inputs(MOST_CHECKED) {
        check(&gpu, &VARIANTS[1], &name, &maps);
        check(&gpu, &VARIANTS[0], &name, &maps);
    }
}
