//! Pixels from which clusters may grow: the neighbours of a super-pixel are looked for among all words
//! of its bank.

use generators_lhcb::geometry::{MODULE_PAIRS, pair_of};
use generators_lhcb::words::sensor_of;
use generators_lhcb::{Bank, Event, SuperPixel};

use crate::velo::cpu::patterns::PATTERNS;

/// A pixel from which a cluster may grow.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Its bank.
    pub bank: Bank,
    /// Its super-pixel.
    pub pixel: SuperPixel,
    /// Its sensor.
    pub sensor: u16,
    /// Bit of its pixel in the pattern.
    pub bit: u32,
}

/// Rows that are next to a row, itself included.
fn near(rows: u32) -> u32 {
    rows | rows << 1 | rows >> 1
}

/// Appends the candidates of an event; returns the estimated hits of each pair of modules.
pub fn find(event: &Event<'_>, candidates: &mut Vec<Candidate>) -> [u32; MODULE_PAIRS] {
    let mut estimates = [0; MODULE_PAIRS];
    for &bank in event.banks {
        let words = event.words(bank);
        for &word in words {
            let pixel = SuperPixel::decode(word);
            let sensor = sensor_of(event.format, bank.source, pixel.is_second_sensor);
            let pair = pair_of(sensor);
            if pixel.is_isolated {
                estimates[pair] += PATTERNS[usize::from(pixel.pattern)].count as u32;
                continue;
            }
            let last = last_pixels(words, pixel);
            for half in [0x33, 0xCC] {
                if last & half != 0 {
                    let bit = (last & half).trailing_zeros();
                    candidates.push(Candidate { bank, pixel, sensor, bit });
                    estimates[pair] += 1;
                }
            }
        }
    }
    estimates
}

/// Pixels of a super-pixel that have no neighbour to the north or east.
fn last_pixels(words: &[u32], pixel: SuperPixel) -> u32 {
    // Three columns of six rows: one below, those of the super-pixel, one above.
    let mut columns = [0_u32; 3];
    let mut add = |column: usize, rows: u32| columns[column] |= rows;
    add(0, u32::from(pixel.pattern & 15) << 1);
    add(1, u32::from(pixel.pattern >> 4) << 1);
    for other in words.iter().map(|word| SuperPixel::decode(*word)) {
        let to_east = i32::from(other.column) - i32::from(pixel.column);
        let to_north = i32::from(other.row) - i32::from(pixel.row);
        let first = u32::from(other.pattern & 15);
        let second = u32::from(other.pattern >> 4);
        match (to_east, to_north) {
            (0, 1) => {
                add(0, (first & 1) << 5);
                add(1, (second & 1) << 5);
            }
            (0, -1) => {
                add(0, first >> 3);
                add(1, second >> 3);
            }
            (1, 1) => add(2, (first & 1) << 5),
            (1, 0) => add(2, first << 1),
            (1, -1) => add(2, first >> 3),
            _ => {}
        }
    }
    let last =
        |column: usize| columns[column] & !(columns[column] >> 1) & !near(columns[column + 1]);
    (last(0) >> 1 & 15) | (last(1) >> 1 & 15) << 4
}
