//! Inputs that are hard to process correctly.

use std::sync::Arc;

use generators_common::random::hash;
use generators_lhcb::events::BankWords;
use generators_lhcb::geometry::{COLUMNS, Geometry, ROWS, SENSORS};
use generators_lhcb::simulate::{EventShape, Preset, simulate};
use generators_lhcb::{BankFormat, BankKind, ClusterWord, Events, SuperPixel};

use super::model::search::SearchCuts;
use super::{Stage, VeloInput};

/// Banks of an event: sources with their words, without counts.
type Banks = Vec<(u16, Vec<u32>)>;

/// Formats that a stage can begin with.
fn formats(stage: Stage) -> Vec<BankFormat> {
    let format = |kind, version| BankFormat { kind, version };
    let super_pixels = [2, 4].map(|version| format(BankKind::SuperPixel, version));
    let retina = [2, 3, 4].map(|version| format(BankKind::Retina, version));
    match stage {
        Stage::Clusters | Stage::Sort => super_pixels.to_vec(),
        Stage::Decode => retina.to_vec(),
        Stage::Tracks | Stage::Chain => [super_pixels.as_slice(), &retina].concat(),
    }
}

/// All hard inputs of a stage.
pub fn all(stage: Stage, seed: u64) -> Vec<(String, VeloInput)> {
    let mut inputs = vec![("no events".to_owned(), input(Events::default(), 1))];
    for format in formats(stage) {
        let named = |name: &str| format!("{name}, {} of version {}", format.kind, format.version);
        inputs.push((
            named("nothing in the banks"),
            input(of_banks(format, &[Banks::new(), empty(format)]), 3),
        ));
        inputs.push((named("random words"), input(random(format, seed), 2)));
        inputs.push((named("lattices"), input(lattices(format), 1)));
        if format.kind == BankKind::SuperPixel {
            inputs.push((named("all patterns"), input(patterns(format), 5)));
            inputs.push((named("shapes"), input(shapes(format, seed), 4)));
        }
        inputs.push((named("simulated"), input(simulated(format, seed), 7)));
    }
    if stage.has_tracks() {
        for (name, cuts) in OTHER_CUTS {
            let of_kind = |kind| formats(stage).into_iter().find(|format| format.kind == kind);
            let kinds = [BankKind::SuperPixel, BankKind::Retina];
            for format in kinds.into_iter().filter_map(of_kind) {
                let input = input(simulated(format, seed), 7).with_cuts(cuts);
                inputs.push((format!("{name}, {}", format.kind), input));
            }
        }
        let mut both = Events::default();
        for format in formats(stage) {
            both.append(&lattices(format)).expect("few words");
            both.append(&random(format, seed)).expect("few words");
        }
        inputs.push(("both kinds of banks".to_owned(), input(both, 3)));
    }
    inputs
}

/// Cuts other than those of the experiment: windows with few hits, with more than fit into a vector
/// register, and the widest ones.
const OTHER_CUTS: [(&str, SearchCuts); 3] = [
    ("narrow cuts", SearchCuts { phi_tolerance: 104, max_scatter: 0.01 }),
    ("wide cuts", SearchCuts { phi_tolerance: 3000, max_scatter: 1.0 }),
    (
        "widest windows",
        SearchCuts { phi_tolerance: SearchCuts::MAX_PHI_TOLERANCE, max_scatter: 25.0 },
    ),
];

fn input(events: Events, batch: usize) -> VeloInput {
    VeloInput::new(events, Arc::new(Geometry::nominal().clone()), batch)
}

/// Events of these banks.
fn of_banks(format: BankFormat, events: &[Banks]) -> Events {
    let mut all = Events::default();
    for (index, banks) in events.iter().enumerate() {
        let bodies: Vec<(u16, Vec<u32>)> =
            banks.iter().map(|(source, words)| (*source, body(format, words))).collect();
        let banks: Vec<_> =
            bodies.iter().map(|(source, words)| BankWords { source: *source, words }).collect();
        all.push(format!("hard-{index}"), format, &banks, None).expect("valid banks");
    }
    all
}

fn body(format: BankFormat, words: &[u32]) -> Vec<u32> {
    let count = (!format.has_sensor_pairs()).then_some(words.len() as u32);
    count.into_iter().chain(words.iter().copied()).collect()
}

/// All banks, without words.
fn empty(format: BankFormat) -> Banks {
    (0..format.banks() as u16).map(|source| (source, Vec::new())).collect()
}

/// Words of random pixels with random flags, in few addresses; some of them are 0 or equal.
fn random(format: BankFormat, seed: u64) -> Events {
    let event = |event: u64| {
        let bank = |source: u64| {
            let random = |index: u64, part: u64| hash(seed, [event, source, index, part]);
            let count = [0, 1, 3, 9, 24, 70][(random(0, 0) % 6) as usize];
            // An area of this size, anywhere.
            let size = 1 + random(0, 1) % 12;
            let column = random(0, 2) % (384 - size);
            let row = random(0, 3) % (64 - size);
            let word = |index: u64| match format.kind {
                BankKind::SuperPixel => super_pixel(
                    format,
                    [column + random(index, 4) % size, row + random(index, 5) % size],
                    random(index, 6),
                ),
                BankKind::Retina => cluster(format, random(index, 7)),
            };
            (source as u16, (1..=count).map(word).collect())
        };
        let banks = format.banks() as u64;
        // Most banks are not present.
        (0..banks).filter(|source| hash(seed, [event, *source]) % 4 == 0).map(bank).collect()
    };
    of_banks(format, &[0, 1].map(event))
}

fn super_pixel(format: BankFormat, [column, row]: [u64; 2], random: u64) -> u32 {
    SuperPixel {
        is_isolated: random & 0x700 == 0,
        is_second_sensor: format.has_sensor_pairs() && random & 0x800 != 0,
        column: column as u16,
        row: row as u16,
        pattern: random as u8 & (random >> 16) as u8,
    }
    .encode()
}

fn cluster(format: BankFormat, random: u64) -> u32 {
    // Keys must differ: the rest of the word is random, so few are equal.
    let part = |shift: u32, values: u64| (random >> shift) % values;
    if random.is_multiple_of(11) {
        return 0;
    }
    let fractions = if format.version == 2 { 8 } else { 4 };
    ClusterWord {
        is_second_sensor: format.has_sensor_pairs() && part(1, 2) == 1,
        column: part(2, COLUMNS as u64) as u16,
        column_fraction: part(14, fractions) as u8,
        row: part(20, ROWS as u64) as u16,
        row_fraction: part(30, fractions) as u8,
    }
    .encode(format.version)
}

/// Equal words on sensors along the beam: tracks that depend on the order of equal distances.
fn lattices(format: BankFormat) -> Events {
    let event = |step: u16| {
        let words: Vec<u32> = (0..4)
            .map(|index| {
                let column = 282 + step * (index % 2);
                let row = 136 + step * (index / 2);
                match format.kind {
                    BankKind::SuperPixel => SuperPixel {
                        is_isolated: true,
                        is_second_sensor: false,
                        column: column / 2,
                        row: row / 4,
                        pattern: 1 << (4 * (column % 2) + row % 4),
                    }
                    .encode(),
                    BankKind::Retina => ClusterWord {
                        is_second_sensor: false,
                        column,
                        column_fraction: 0,
                        row,
                        row_fraction: 0,
                    }
                    .encode(format.version),
                }
            })
            .collect();
        let per_bank = if format.has_sensor_pairs() { 2 } else { 1 };
        let sources = (0..SENSORS).step_by(4).map(|sensor| (sensor / per_bank) as u16);
        sources.map(|source| (source, words.clone())).collect()
    };
    of_banks(format, &[2, 4].map(event))
}

/// All patterns as flagged and as unflagged super-pixels, at the borders of the sensor too.
fn patterns(format: BankFormat) -> Events {
    let event = |is_isolated: bool| {
        let words = (0..=255_u8).map(|pattern| {
            let column = [0, 383, 2 * u16::from(pattern % 128)][usize::from(pattern % 3)];
            SuperPixel {
                is_isolated,
                is_second_sensor: false,
                column,
                row: u16::from(pattern) / 4,
                pattern,
            }
            .encode()
        });
        vec![(7, words.collect())]
    };
    of_banks(format, &[true, false].map(event))
}

/// Blobs, lines and rings of all sizes up to those that are cut by the window.
fn shapes(format: BankFormat, seed: u64) -> Events {
    let event = |event: u64| {
        let bank = |source: u16| {
            let random = |index: u64| hash(seed, [event, u64::from(source), index]);
            let length = 1 + (random(0) % 24) as i32;
            let slope =
                [[1, 0], [0, 1], [1, 1], [1, -1], [2, 1], [-1, 3]][(random(1) % 6) as usize];
            let fill = random(2) % 3;
            let first = [200 + (random(3) % 7) as i32, 100 + (random(4) % 5) as i32];
            let mut pixels = Vec::new();
            for step in 0..length {
                let point = [first[0] + slope[0] * step, first[1] + slope[1] * step];
                pixels.push(point);
                if fill > 0 {
                    pixels.push([point[0] + 1, point[1]]);
                }
                if fill > 1 && random(5 + step as u64).is_multiple_of(3) {
                    pixels.push([point[0], point[1] - 2]);
                }
            }
            (source, words_of(&pixels))
        };
        (0..format.banks() as u16).step_by(3).map(bank).collect()
    };
    of_banks(format, &[0, 1, 2, 3].map(event))
}

/// Unflagged super-pixels with these pixels.
fn words_of(pixels: &[[i32; 2]]) -> Vec<u32> {
    let mut patterns = std::collections::BTreeMap::new();
    for &[column, row] in pixels {
        let pattern: &mut u8 = patterns.entry((column / 2, row / 4)).or_default();
        *pattern |= 1 << (4 * (column % 2) + row % 4);
    }
    let word = |((column, row), pattern): ((i32, i32), u8)| {
        SuperPixel {
            is_isolated: false,
            is_second_sensor: false,
            column: column as u16,
            row: row as u16,
            pattern,
        }
        .encode()
    };
    patterns.into_iter().map(word).collect()
}

fn simulated(format: BankFormat, seed: u64) -> Events {
    let shape = EventShape {
        bank_version: format.version,
        wrong_flags: if format.kind == BankKind::SuperPixel { 0.02 } else { 0.0 },
        noise: 30.0,
        interactions: 1.0,
        ..EventShape::for_preset(Preset::MinBias, format.kind, 3)
    };
    simulate(&shape, seed).expect("valid parameters")
}
