//! Difficult charges: ties and plateaus, borders of rows, frames and fragments, crowded peaks, zero
//! and maximum charges.

use generators_common::random::{below, mix};
use generators_tpc::PadId;
use generators_tpc::charges::{Charge, ChargeCase, FRAGMENT_LENGTHS, Labels, MAX_CHARGE};
use generators_tpc::geometry::{ROWS, pads_in_row};

use super::Settings;
use super::input::Charges;

/// Charges with their names.
pub(super) fn all(seed: u64) -> Vec<(String, Charges)> {
    let mut inputs = vec![
        ("no sectors".to_owned(), Charges::default()),
        ("no samples".to_owned(), Charges::new(vec![case(1, |_| None), case(50, |_| None)])),
        ("a plateau".to_owned(), one(case(30, |at| at.is_in(60..76, 5..25).then_some(500)))),
        ("borders of rows and frames".to_owned(), one(borders(seed))),
        (
            "one time bin".to_owned(),
            one(case(1, |at| at.is_in(0..138, 0..1).then(|| at.drawn(seed, 4000)))),
        ),
        (
            "charges of nothing".to_owned(),
            one(case(40, |at| (at.random(seed) % 3 > 0).then(|| at.drawn(seed, 3) * 40))),
        ),
        (
            "single steps of charge".to_owned(),
            one(case(40, |at| (at.random(seed) % 4 == 0).then(|| at.drawn(seed, 5)))),
        ),
        (
            "all that there is".to_owned(),
            one(case(40, |at| (at.random(seed) % 2 == 0).then(|| MAX_CHARGE - at.drawn(seed, 2)))),
        ),
        ("borders of fragments".to_owned(), borders_of_fragments(seed)),
        ("noisy pads".to_owned(), one(noisy(seed))),
        ("all settings".to_owned(), all_settings(seed)),
        ("labels".to_owned(), labelled(seed)),
        ("hundreds of labels".to_owned(), one(many_labels(seed))),
    ];
    for (share, name) in [(7, "as in collisions of lead"), (30, "crowded"), (100, "all full")] {
        let full = case(150, |at| (at.random(seed) % 100 < share).then(|| at.drawn(seed, 900)));
        inputs.push((name.to_owned(), one(full)));
    }
    inputs
}

fn one(case: ChargeCase) -> Charges {
    Charges::new(vec![case])
}

/// A cell of a sector.
#[derive(Clone, Copy)]
struct Cell {
    pad: PadId,
    time: u32,
}

impl Cell {
    fn is_in(self, pads: std::ops::Range<u8>, times: std::ops::Range<u32>) -> bool {
        pads.contains(&self.pad.pad()) && times.contains(&self.time)
    }

    fn random(self, seed: u64) -> u64 {
        mix(seed ^ mix(u64::from(self.pad.bits()) << 32 | u64::from(self.time)))
    }

    /// A random charge below `max`.
    fn drawn(self, seed: u64, max: u64) -> u16 {
        below((self.random(seed) >> 32) as u32, max) as u16
    }
}

/// Rows that are used: the shortest, the longest, and some in between.
const USED_ROWS: [usize; 4] = [0, 62, 63, ROWS - 1];

/// A sector with a charge for each cell of some rows that has one, in the order of time.
fn case(time_bins: u32, charge: impl Fn(Cell) -> Option<u16>) -> ChargeCase {
    let mut charges = Vec::new();
    for time in 0..time_bins {
        for row in USED_ROWS {
            for pad in 0..pads_in_row(row) {
                let pad = PadId::new(row as u8, pad as u8);
                let sample = charge(Cell { pad, time });
                charges.extend(sample.map(|charge| Charge { time, pad, charge }));
            }
        }
    }
    let name = "hard".to_owned();
    ChargeCase { name, time_bins, fragment: 1000, charges, ..ChargeCase::default() }
}

/// Charges on the outermost pads and in the outermost time bins.
fn borders(seed: u64) -> ChargeCase {
    const TIMES: u32 = 80;
    case(TIMES, |at| {
        let last = pads_in_row(at.pad.row().into()) as u8 - 1;
        let from_end = at.pad.pad().min(last - at.pad.pad());
        let is_near = from_end < 4 || at.time < 4 || TIMES - at.time <= 4;
        (is_near && at.random(seed) % 3 > 0).then(|| at.drawn(seed, 600))
    })
}

/// Results must not depend on fragments: the shortest, some that divide the frame and some that do
/// not, and frames that are processed in parts anyway. Samples come in any order.
fn borders_of_fragments(seed: u64) -> Charges {
    let of_length = |(fragment, time_bins): (u32, u32)| {
        let charges = |at: Cell| {
            let is_used = at.pad.row() == 63 && at.is_in(20..44, 0..time_bins);
            (is_used && at.random(seed) % 10 < 4).then(|| at.drawn(seed, 900))
        };
        let mut case = ChargeCase { fragment, ..case(time_bins, charges) };
        case.charges
            .sort_by_key(|sample| mix(u64::from(sample.time) << 16 ^ u64::from(sample.pad.bits())));
        case
    };
    let shortest = *FRAGMENT_LENGTHS.start();
    let lengths = [(shortest, 100), (32, 100), (33, 66), (99, 100), (100, 100), (1000, 2100)];
    Charges::new(lengths.map(of_length).into())
}

/// One pad in five is noisy, among densely packed charges.
fn noisy(seed: u64) -> ChargeCase {
    let mut case = case(60, |at| (at.random(seed) % 10 < 6).then(|| at.drawn(seed, 700)));
    let pads =
        USED_ROWS.map(|row| (0..pads_in_row(row)).map(move |pad| PadId::new(row as u8, pad as u8)));
    let is_noisy = |pad: &PadId| mix(seed ^ u64::from(pad.bits())).is_multiple_of(5);
    case.noisy = pads.into_iter().flatten().filter(is_noisy).collect();
    case
}

/// Labels: none, few and many, of which some are fakes of others, or differ in bits that don't
/// count; of crowded charges in parts, and of those of a sector that has samples in any order.
/// Another sector has none.
fn labelled(seed: u64) -> Charges {
    let with_labels = |case: ChargeCase| {
        let mut labels = Labels::default();
        for sample in &case.charges {
            let random = mix(seed ^ u64::from(sample.time) << 16 ^ u64::from(sample.pad.bits()));
            let count = [0, 1, 1, 2, 3, 40][random as usize % 6];
            let near = u64::from(sample.time / 8) << 32 | u64::from(sample.pad.pad() / 8);
            let label = |index: u64| match mix(random ^ index) % 8 {
                0 => mix(near ^ (index % 3)) | 1 << 63,
                1 => u64::MAX >> (index % 7),
                2 => mix(random ^ index),
                _ => mix(near ^ (index % 3)),
            };
            labels.push(&(0..count).map(label).collect::<Vec<_>>());
        }
        ChargeCase { labels: Some(labels), ..case }
    };
    let crowded = case(90, |at| (at.random(seed) % 10 < 4).then(|| at.drawn(seed, 300)));
    let crowded = ChargeCase { fragment: 40, ..crowded };
    let without = case(30, |at| (at.random(seed) % 10 < 2).then(|| at.drawn(seed, 900)));
    let in_any_order = borders_of_fragments(seed).cases()[3].clone();
    Charges::new(vec![with_labels(crowded), without, with_labels(in_any_order)])
}

/// Clusters of some hundred labels each, with few duplicates.
fn many_labels(seed: u64) -> ChargeCase {
    const OF_SAMPLE: u64 = 20;
    let charge = |at: Cell| 200 + at.drawn(seed, 300);
    let case = case(14, |at| (at.pad.row() == 62 && at.is_in(20..29, 3..11)).then(|| charge(at)));
    let mut labels = Labels::default();
    for sample in 0..case.charges.len() as u64 {
        let of_sample = (0..OF_SAMPLE).map(|index| mix(mix(sample * OF_SAMPLE + index) % 1000));
        labels.push(&of_sample.collect::<Vec<_>>());
    }
    ChargeCase { labels: Some(labels), ..case }
}

/// Settings far from the defaults.
fn all_settings(seed: u64) -> Charges {
    let of_number = |index: u64| {
        let drawn = |setting: u64, max: u64| {
            below((mix(seed ^ index << 8 ^ setting) >> 32) as u32, max) as u8
        };
        let settings = Settings {
            qmax_cutoff: drawn(0, 30),
            inner_threshold: drawn(1, 20),
            noise_eps: drawn(2, 30),
            noise_eps_rel: drawn(3, 256),
            qtot_cutoff: drawn(4, 60),
            qmax_single_time: drawn(5, 50),
            qmax_single_pad: drawn(6, 50),
            min_split: drawn(7, 4),
            time_shift: f32::from(drawn(8, 40)) / 4.0,
        };
        let charges = |at: Cell| {
            let is_used = at.pad.row() == 0 && at.random(seed ^ index) % 10 < 3 + index % 5;
            is_used.then(|| at.drawn(seed, 900))
        };
        ChargeCase { settings, ..case(40, charges) }
    };
    Charges::new((0..12).map(of_number).collect())
}
