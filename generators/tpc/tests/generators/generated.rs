//! Generated time frames are reproducible, and have the requested occupancy.

use std::collections::BTreeMap;

use generators_common::random::mix;
use generators_tpc::simulate::{Load, Preset, TimeFrameGenerator, TimeFrameShape};
use generators_tpc::time::time_bins_of;
use generators_tpc::{Digit, PadMapping, ZsFormat};

use super::common::decoded;

const PADS: f64 = 14_560.0;

fn shape(preset: Preset, format: ZsFormat) -> TimeFrameShape {
    TimeFrameShape {
        sectors: 1,
        first_orbit: u32::MAX,
        ..TimeFrameShape::for_preset(preset, format)
    }
}

fn with_generator<T>(
    shape: &TimeFrameShape,
    seed: u64,
    f: impl FnOnce(&TimeFrameGenerator) -> T,
) -> T {
    let mapping = PadMapping::regular();
    f(&TimeFrameGenerator::new(shape, &mapping, seed).expect("a sensible shape"))
}

fn digits(shape: &TimeFrameShape) -> Vec<Digit> {
    with_generator(shape, 1, |generator| generator.digits(0))
}

/// The share of pads and time bins with a sample, in sector 0.
fn occupancy(shape: &TimeFrameShape) -> f64 {
    let bins = time_bins_of(shape.orbits - 1).end;
    digits(shape).len() as f64 / PADS / f64::from(bins)
}

/// A hash of each byte and its position.
fn checksum(bytes: &[u8]) -> u64 {
    let words = bytes.chunks(8);
    words.fold(0, |sum, word| {
        let mut padded = [0; 8];
        padded[..word.len()].copy_from_slice(word);
        mix(sum ^ u64::from_le_bytes(padded))
    })
}

/// Checksums of the time frames of each preset, in each format.
const GOLDEN: [[u64; 5]; 4] = [
    [
        0x2092_689c_dae7_6cc5,
        0x1e75_4be3_a6e9_b5c5,
        0xcdd8_e6cf_bfb2_3bc4,
        0x92df_05eb_7f89_cafe,
        0x191a_e173_9e12_da79,
    ],
    [
        0x69d5_6752_f346_f687,
        0x7b72_120b_b399_becf,
        0xb1a5_76e4_002c_e249,
        0xb977_2e17_e556_ce78,
        0xd016_9ae8_2195_e720,
    ],
    [
        0x23ea_d172_c6eb_3db8,
        0x4491_ad12_9223_34f3,
        0x0ac4_b5a5_60ea_692a,
        0x9330_5eb8_0193_419d,
        0xa4d1_f5d8_5640_aa5a,
    ],
    [
        0x4dc4_b1b0_6e28_cab3,
        0xfaaf_1869_669b_8531,
        0xff5c_0d46_c814_8f36,
        0xc717_0260_da72_4d54,
        0xfee0_d809_a5b8_c0be,
    ],
];

#[test]
fn time_frames_are_golden() {
    let sums = Preset::ALL.map(|preset| {
        ZsFormat::ALL.map(|format| {
            let shape = TimeFrameShape {
                orbits: if preset == Preset::Stress { 1 } else { 2 },
                ..shape(preset, format)
            };
            let raw = with_generator(&shape, 42, TimeFrameGenerator::time_frame);
            checksum(raw.bytes())
        })
    });
    assert_eq!(sums, GOLDEN, "{sums:#x?}");
}

#[test]
fn pages_hold_the_digits() {
    for preset in Preset::ALL {
        for format in ZsFormat::ALL {
            let mut shape = shape(preset, format);
            if preset == Preset::Stress {
                // The same conditions in a shorter time frame.
                (shape.orbits, shape.load) = (1, Load::Occupancy(0.15));
            }
            with_generator(&shape, 3, |generator| {
                let read =
                    decoded(format, &generator.time_frame(), shape.orbits, &PadMapping::regular());
                let made = generator.digits(0);
                assert!(read.len() > 5000, "{preset} {format}: {}", read.len());
                assert!(read == made, "{preset} {format}");
            });
        }
    }
}

#[test]
fn threads_make_no_difference() {
    let shape =
        TimeFrameShape { orbits: 5, sectors: 2, ..shape(Preset::PbPb, ZsFormat::DenseLinkV2) };
    let make = || with_generator(&shape, 1, TimeFrameGenerator::time_frame);
    let expected = make();
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        assert!(pool.expect("threads").install(make) == expected);
    }
}

#[test]
fn seeds_and_sectors_make_a_difference() {
    let shape = shape(Preset::Pp, ZsFormat::Row12);
    let of_seed = |seed| with_generator(&shape, seed, |generator| generator.digits(0));
    assert_ne!(of_seed(1), of_seed(2));
    let of_sector = |sector| with_generator(&shape, 1, |generator| generator.digits(sector));
    let cells = |digits: Vec<Digit>| digits.iter().map(|d| d.pad_id()).collect::<Vec<_>>();
    assert_ne!(cells(of_sector(0)), cells(of_sector(1)));
}

#[test]
fn a_frame_does_not_depend_on_how_many_follow() {
    let two = shape(Preset::PbPb, ZsFormat::Link);
    let four = TimeFrameShape { orbits: 4, ..two.clone() };
    let two = digits(&two);
    let mut four = digits(&four);
    four.truncate(two.len());
    assert!(two == four);
}

#[test]
fn lead_at_50_khz_fills_some_8_percent() {
    let found =
        occupancy(&TimeFrameShape { orbits: 32, ..shape(Preset::PbPb, ZsFormat::DenseLink) });
    assert!((0.06..0.11).contains(&found), "{found}");
}

#[test]
fn occupancy_follows_the_rate() {
    let at = |load| {
        occupancy(&TimeFrameShape {
            orbits: 32,
            noise: 0.0,
            load,
            ..shape(Preset::Pp, ZsFormat::DenseLink)
        })
    };
    let [once, twice] = [500e3, 1e6].map(|rate| at(Load::Rate(rate)));
    let ratio = twice / once;
    assert!((1.7..2.3).contains(&ratio), "{once} and {twice}");
    assert!(at(Load::Rate(0.0)) == 0.0);
}

#[test]
fn occupancy_is_as_requested() {
    // With few tracks, it takes many orbits until fluctuations average out.
    for (format, asked, orbits) in [
        (ZsFormat::Row12, 0.002, 40),
        (ZsFormat::DenseLink, 0.05, 16),
        (ZsFormat::Row10, 0.3, 3),
        (ZsFormat::Link, 0.6, 2),
    ] {
        let found = occupancy(&TimeFrameShape {
            orbits,
            load: Load::Occupancy(asked),
            ..shape(Preset::PbPb, format)
        });
        let ratio = found / asked;
        assert!((0.92..1.08).contains(&ratio), "{found} for {asked}");
    }
}

#[test]
fn estimates_are_near() {
    let shape = TimeFrameShape {
        orbits: 6,
        load: Load::Occupancy(0.1),
        ..shape(Preset::PbPb, ZsFormat::DenseLink)
    };
    with_generator(&shape, 1, |generator| {
        let estimate = generator.estimate();
        let digits = generator.digits(0).len() as f64 / estimate.digits as f64;
        let pages = generator.sector(0).pages().len() as f64 / estimate.pages as f64;
        assert!((0.85..1.15).contains(&digits), "{digits}");
        assert!((0.85..1.15).contains(&pages), "{pages}");
    });
}

#[test]
fn noise_is_as_requested() {
    for noise in [0.0, 0.001, 0.05] {
        let found = occupancy(&TimeFrameShape {
            load: Load::Rate(0.0),
            noise,
            ..shape(Preset::PbPb, ZsFormat::Row12)
        });
        assert!((found - noise).abs() <= 0.02 * noise, "{found} for {noise}");
    }
}

#[test]
fn charges_have_a_long_tail_and_saturate() {
    let shape = TimeFrameShape { orbits: 3, ..shape(Preset::PbPb, ZsFormat::DenseLink) };
    let share_above = |shape: &TimeFrameShape, adc: u16| {
        let digits = digits(shape);
        let above = digits.iter().filter(|digit| digit.adc() >= adc);
        above.count() as f64 / digits.len() as f64
    };
    assert!((0.3..0.7).contains(&share_above(&shape, 50)));
    assert!((0.01..0.2).contains(&share_above(&shape, 400)));
    let saturated = share_above(&shape, 4095);
    assert!((1e-5..1e-2).contains(&saturated), "{saturated}");
    let amplified = TimeFrameShape { gain: 8.0, ..shape.clone() };
    assert!(share_above(&amplified, 4095) > 5.0 * saturated);
    // Whole ADC units, cut at 1023.
    let row10 = TimeFrameShape { format: ZsFormat::Row10, ..shape };
    assert!(share_above(&row10, 1023) > 1e-5);
    assert!(share_above(&row10, 1024) == 0.0);
}

/// Share of digits with another one at this distance in rows, pads and time bins.
fn with_neighbour(digits: &[Digit], rows: u8, pads: u8, bins: u32) -> f64 {
    let mut cells: Vec<_> = digits.iter().map(|digit| digit.cell_bits()).collect();
    cells.sort_unstable();
    let moved = |digit: &Digit| {
        let pad = generators_tpc::PadId::new(digit.row() + rows, digit.pad() + pads);
        Digit::new(0, pad, digit.time_bin() + bins, 0).cell_bits()
    };
    let found = digits.iter().filter(|digit| cells.binary_search(&moved(digit)).is_ok());
    found.count() as f64 / digits.len() as f64
}

#[test]
fn charge_comes_in_clusters_and_along_tracks() {
    let signal = digits(&TimeFrameShape { noise: 0.0, ..shape(Preset::Pp, ZsFormat::Row12) });
    let noise = digits(&TimeFrameShape {
        load: Load::Rate(0.0),
        noise: 0.01,
        ..shape(Preset::Pp, ZsFormat::Row12)
    });
    for (rows, pads, bins, min) in [(0, 1, 0, 0.4), (0, 0, 1, 0.5), (1, 0, 0, 0.2)] {
        let in_signal = with_neighbour(&signal, rows, pads, bins);
        let in_noise = with_neighbour(&noise, rows, pads, bins);
        assert!(in_signal > min, "{in_signal} at {rows} {pads} {bins}");
        assert!(in_noise < 0.02, "{in_noise}");
    }
}

#[test]
fn the_laser_flashes_on_all_pads_and_is_announced() {
    let shape =
        TimeFrameShape { noise: 0.0, orbits: 3, ..shape(Preset::Laser, ZsFormat::DenseLink) };
    let mut in_bin = vec![0; time_bins_of(2).end as usize];
    for digit in digits(&shape) {
        in_bin[digit.time_bin() as usize] += 1;
    }
    assert!(in_bin.contains(&14_560), "{:?}", in_bin.iter().max());
    // Shots at time bins 12.5, 512.5 and 1012.5: one in each heartbeat frame.
    let raw = with_generator(&shape, 1, TimeFrameGenerator::time_frame);
    let words = raw.stream(0).frames().map(|frame| {
        let page = frame.pages[frame.pages.len() - 1];
        let size = usize::from(u16::from_le_bytes([page[10], page[11]]));
        u16::from_le_bytes([page[size - 32], page[size - 31]])
    });
    let laser = |crossing: u16| 1 << 15 | 4 << 12 | crossing;
    let expected = [96, 512 * 8 - 3564, 1012 * 8 - 2 * 3564].map(laser);
    assert_eq!(words.collect::<Vec<_>>(), expected);
}

/// Nothing but bad pads.
fn bad_pads(noisy_pads: f64, hot_pads: f64) -> TimeFrameShape {
    TimeFrameShape {
        load: Load::Rate(0.0),
        noise: 0.0,
        noisy_pads,
        hot_pads,
        ..shape(Preset::PbPb, ZsFormat::DenseLink)
    }
}

/// Time bins with a sample and the largest sample of each pad that has any.
fn busy_pads(digits: &[Digit]) -> BTreeMap<u16, (u32, u16)> {
    let mut pads = BTreeMap::new();
    for digit in digits {
        let (samples, largest) = pads.entry(digit.pad_id().bits()).or_insert((0, 0));
        *samples += 1;
        *largest = digit.adc().max(*largest);
    }
    pads
}

#[test]
fn noisy_pads_are_low_and_hot_ones_saturate_and_both_stay() {
    for (noisy, hot) in [(0.03, 0.0), (0.0, 0.03)] {
        let digits = digits(&bad_pads(noisy, hot));
        let pads = busy_pads(&digits);
        let share = pads.len() as f64 / PADS;
        assert!((0.024..0.036).contains(&share), "{share}");
        for (samples, largest) in pads.into_values() {
            assert!((500..=891).contains(&samples), "{samples}");
            assert_eq!(largest >= 4092, hot > 0.0, "{largest}");
        }
        let second = time_bins_of(0).end;
        let (first, last): (Vec<_>, Vec<_>) =
            digits.iter().partition(|digit| digit.time_bin() < second);
        assert!(busy_pads(&first).keys().eq(busy_pads(&last).keys()));
    }
}

#[test]
fn bad_pads_are_golden() {
    let raw = with_generator(&bad_pads(0.02, 0.01), 42, TimeFrameGenerator::time_frame);
    let sum = checksum(raw.bytes());
    assert_eq!(sum, 0x8c7a_dc6c_fc9c_e3e3, "{sum:#x}");
}
