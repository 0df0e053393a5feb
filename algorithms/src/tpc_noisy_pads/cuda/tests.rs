//! On the emulator: all hard inputs, and the small ones with every access checked.

use std::sync::Arc;

use super::{BIT_RUNS, CACHE_LINE, CudaNoisyPads};
use crate::algorithm::{Algorithm, Promise, Variant};
use crate::device::emulator::{self, Config, Lanes};
use crate::device::gpu::Gpu;
use crate::device::{Arena, Device, Place, Team};
use crate::tpc_noisy_pads::{ChargeMaps, TpcNoisyPads, hard_inputs};

/// Checking takes time; so few cells are more than are staged or loaded at once.
const MOST_CELLS: u64 = 150_000;

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

fn check(gpu: &Arc<Gpu>, variant: &CudaNoisyPads, name: &str, maps: &ChargeMaps) {
    let team = Team::new(1).expect("a thread");
    let place = Place {
        device: Device::Emulator,
        gpu: Some(Arc::clone(gpu)),
        team: &team,
    };
    let arena = Arena::default();
    let mut prepared = variant.prepare(maps, &arena, &place).expect("any input");
    let run = prepared
        .reset()
        .and_then(|()| prepared.poison())
        .and_then(|()| prepared.run());
    assert_eq!(run, Ok(()), "{} on {name}", variant.name());
    let promise = Promise {
        stable: variant.stable(),
        content: variant.content(),
    };
    let expected = TpcNoisyPads::reference(maps);
    let checked = TpcNoisyPads::check(maps, expected.as_ref(), &prepared.output(), promise);
    assert_eq!(checked, Ok(()), "{} on {name}", variant.name());
}

fn every_hard_input_is_right(variant: &CudaNoisyPads, lanes: Lanes) {
    let Some(gpu) = gpu(lanes, false) else { return };
    for (name, maps) in hard_inputs::all(3) {
        check(&gpu, variant, &name, &maps);
    }
}

#[test]
fn every_hard_input_is_right_with_32_lanes() {
    every_hard_input_is_right(&BIT_RUNS, Lanes::L32);
    every_hard_input_is_right(&CACHE_LINE, Lanes::L32);
}

#[test]
fn every_hard_input_is_right_with_64_lanes() {
    every_hard_input_is_right(&BIT_RUNS, Lanes::L64);
    every_hard_input_is_right(&CACHE_LINE, Lanes::L64);
}

#[test]
fn nothing_races() {
    let Some(gpu) = gpu(Lanes::L32, true) else {
        return;
    };
    let inputs = hard_inputs::all(3).into_iter();
    let small = inputs.filter(|(_, maps)| TpcNoisyPads::work(maps).items <= MOST_CELLS);
    for (name, maps) in small {
        check(&gpu, &BIT_RUNS, &name, &maps);
        check(&gpu, &CACHE_LINE, &name, &maps);
    }
}
