//! Events with more hits in a pair of modules than shared memory holds: all variants give the full result.

use std::sync::Arc;

use algorithms_lhcb::velo::{Stage, VeloInput};
use generators_common::random::hash;
use generators_lhcb::events::BankWords;
use generators_lhcb::{BankFormat, BankKind, ClusterWord, Events, Geometry, SuperPixel};
use portable_gpu::emulator::{self, Config};
use tasks::device::{Target, Team};

use crate::variants::check_input;

const SENSORS_OF_PAIR: u64 = 8;
const SENSORS: u64 = 208;
/// The pair of modules with many hits.
const LARGE: u64 = 12;
/// Clusters of each of its sensors: 16,000 of all of them.
const MANY: u64 = 2000;

/// An event with these clusters on each sensor of a pair of modules.
fn push_event(events: &mut Events, kind: BankKind, clusters: impl Fn(u64) -> u64) {
    let format = BankFormat { kind, version: 3 };
    let bodies: Vec<Vec<u32>> = (0..SENSORS)
        .map(|sensor| {
            let count = clusters(sensor / SENSORS_OF_PAIR);
            let words: Vec<u32> = match kind {
                BankKind::Retina => (0..count).map(|index| cluster(sensor, index)).collect(),
                // Two clusters each.
                BankKind::SuperPixel => (0..count.div_ceil(2)).map(flagged).collect(),
            };
            std::iter::once(words.len() as u32).chain(words).collect()
        })
        .collect();
    let banks: Vec<_> =
        bodies.iter().zip(0..).map(|(words, source)| BankWords { source, words }).collect();
    events.push("large".to_owned(), format, &banks, None).expect("valid banks");
}

/// A random cluster; those of a sensor differ.
fn cluster(sensor: u64, index: u64) -> u32 {
    let random = hash(7, [sensor, index]);
    ClusterWord {
        is_second_sensor: false,
        column: ((3 * index + random % 3) % 768) as u16,
        column_fraction: (random >> 8 & 3) as u8,
        row: ((random >> 16) % 64 + index / 256 % 4 * 64) as u16,
        row_fraction: (random >> 24 & 3) as u8,
    }
    .encode(3)
}

/// A flagged super-pixel with two clusters, the same on all sensors.
fn flagged(index: u64) -> u32 {
    SuperPixel {
        is_isolated: true,
        is_second_sensor: false,
        column: (37 * index % 384) as u16,
        row: (index / 384 + 11 * index % 48) as u16,
        pattern: 0b1001,
    }
    .encode()
}

/// An event with a large pair of modules between usual ones, and one without, so that both are in a batch.
fn events(kind: BankKind) -> VeloInput {
    let mut events = Events::default();
    push_event(&mut events, kind, |pair| if pair == LARGE { MANY } else { 3 + pair % 4 });
    push_event(&mut events, kind, |pair| 4 + pair % 2);
    // Within the shared memory of a block, but not of most.
    push_event(&mut events, kind, |pair| if pair == LARGE + 3 { MANY / 4 } else { 2 });
    VeloInput::new(events, Arc::new(Geometry::nominal().clone()), 2)
}

fn stages(kind: BankKind) -> &'static [Stage] {
    match kind {
        BankKind::SuperPixel => &[Stage::Clusters, Stage::Sort, Stage::Tracks, Stage::Chain],
        BankKind::Retina => &[Stage::Decode, Stage::Tracks, Stage::Chain],
    }
}

fn check(kind: BankKind) {
    let input = events(kind);
    let hits = input.sorted();
    let max = hits.pairs.iter().map(|pair| pair.count).max();
    assert!(max >= Some(15_500), "{max:?}");
    let expected = input.expected(Stage::Chain, tasks::algorithm::Semantics::Exact);
    assert!(expected.tracks.counts[0].long > 0, "{:?}", expected.tracks.counts);
    let team = Team::new(2).expect("threads");
    for &stage in stages(kind) {
        check_input(stage, &Target::host(&team), &input, "large pairs");
    }
    let Some(gpu) = emulator::gpu_for_tests(Config::default()) else { return };
    for &stage in stages(kind) {
        check_input(stage, &Target::emulated(gpu.clone(), &team), &input, "large pairs");
    }
}

#[test]
fn super_pixels_beyond_shared_memory_are_complete() {
    check(BankKind::SuperPixel);
}

#[test]
fn retina_clusters_beyond_shared_memory_are_complete() {
    check(BankKind::Retina);
}

#[test]
fn lists_in_device_memory_have_no_races() {
    let config = Config { checked: true, ..Config::default() };
    let Some(gpu) = emulator::gpu_for_tests(config) else { return };
    let team = Team::new(1).expect("a thread");
    let target = Target::emulated(gpu, &team);
    check_input(Stage::Tracks, &target, &events(BankKind::Retina), "large pairs");
}
