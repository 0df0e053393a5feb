//! Events with more hits in a pair of modules than shared memory holds: all variants give the full result.

use std::collections::BTreeSet;
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
/// Clusters of each sensor of a pair that most blocks have too little shared memory for.
const MEDIUM: u64 = 170;

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
    push_event(&mut events, kind, |pair| if pair == LARGE + 3 { MEDIUM } else { 2 });
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

#[test]
fn ranges_of_angles_that_are_sorted_one_after_the_other_have_no_races() {
    let config = Config { checked: true, ..Config::default() };
    let Some(gpu) = emulator::gpu_for_tests(config) else { return };
    let team = Team::new(1).expect("a thread");
    let target = Target::emulated(gpu, &team);
    let of_retina = events(BankKind::Retina).selected([2]);
    check_input(Stage::Decode, &target, &of_retina, "large pairs");
    let of_super_pixels = events(BankKind::SuperPixel).selected([2]);
    check_input(Stage::Sort, &target, &of_super_pixels, "large pairs");
    check_input(Stage::Chain, &target, &of_super_pixels, "large pairs");
}

/// Repeats of two super-pixels of a pair of modules whose hits have the same angle, more than a list has capacity for.
fn hits_of_one_angle() -> VeloInput {
    let large = events(BankKind::SuperPixel);
    let hits = &large.sorted().arrays;
    let has_same_angle = |slot: &usize| {
        let [one, other] = [*slot, *slot + 1].map(|slot| hits.hit(slot));
        one.phi == other.phi
            && sensor_of(one.id) / 8 == sensor_of(other.id) / 8
            && one.id != other.id
    };
    let slot = (0..hits.len() - 1).find(has_same_angle).expect("many hits in few angles");
    let repeated = [slot + 1, slot].map(|slot| hits.hit(slot).id);
    let words_of = |sensor: u16| {
        let mut words: Vec<u32> = repeated
            .iter()
            .filter(|id| sensor_of(**id) == sensor)
            .flat_map(|id| std::iter::repeat_n(single_pixel(*id), 800))
            .collect();
        words.insert(0, words.len() as u32);
        words
    };
    let sources: BTreeSet<u16> = repeated.into_iter().map(sensor_of).collect();
    let bodies: Vec<_> = sources.into_iter().map(|source| (source, words_of(source))).collect();
    let banks: Vec<_> =
        bodies.iter().map(|(source, words)| BankWords { source: *source, words }).collect();
    let mut events = Events::default();
    let format = BankFormat { kind: BankKind::SuperPixel, version: 3 };
    events.push("one angle".to_owned(), format, &banks, None).expect("valid banks");
    VeloInput::new(events, Arc::clone(&large.geometry), 1)
}

fn sensor_of(id: u32) -> u16 {
    (id >> 18 & 255) as u16
}

/// A flagged super-pixel with this pixel.
fn single_pixel(id: u32) -> u32 {
    let column = (256 * (id >> 16 & 3) + (id >> 8 & 255)) as u16;
    let row = (id & 255) as u16;
    SuperPixel {
        is_isolated: true,
        is_second_sensor: false,
        column: column / 2,
        row: row / 4,
        pattern: 1 << (4 * (column % 2) + row % 4),
    }
    .encode()
}

#[test]
fn many_hits_of_one_angle_are_in_order_of_identifiers() {
    let input = hits_of_one_angle();
    let phi = &input.sorted().arrays.phi;
    assert!(phi.len() > 1024 && phi.iter().all(|other| *other == phi[0]), "{phi:?}");
    let team = Team::new(1).expect("a thread");
    for checked in [false, true] {
        let config = Config { checked, ..Config::default() };
        let Some(gpu) = emulator::gpu_for_tests(config) else { return };
        let target = Target::emulated(gpu, &team);
        check_input(Stage::Sort, &target, &input, "one angle");
        check_input(Stage::Chain, &target, &input, "one angle");
    }
}
