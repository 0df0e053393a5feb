//! Pads that don't show particles only.
//!
//! A **noisy** pad has lost its baseline: for most of the time it is a little above the
//! threshold, in runs of some tens of time bins. A **hot** pad is one that particles
//! really keep busy, such as beside a spot where the gas amplifies more: there is charge
//! in most time bins, and now and then as much as can be measured. A filter has to take
//! the first out and to keep the second. Both kinds and their figures are assumptions:
//! they are meant to be hard to tell apart, not to describe a chamber.

use rand::Rng;

use super::cells::RegionCells;
use super::grid::Grid;
use crate::random::{Stream, below, hash, stream};
use crate::tpc::geometry::{PADS_IN_SECTOR, Region};

/// Names what is drawn for a pad, and the streams of its charges.
const KIND: u64 = 3;
const CHARGES: u64 = 4;
/// Time bins of a noisy pad's runs and of the gaps between them, at most.
const LONGEST_RUN: u64 = 80;
const LONGEST_GAP: u64 = 20;
/// Quarters of an ADC unit that a noisy pad is above the threshold, at most.
const NOISE_RANGE: u64 = 40;
/// A hot pad has charge in so many of 16 time bins, and saturates in one of so many.
const HOT_IN_16: u64 = 14;
const HOT_SATURATES_IN: u64 = 64;
/// More than any ADC measures, in quarters of a unit.
const SATURATED: u16 = 1 << 13;

/// Shares of all pads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct BadPads {
    pub(super) noisy: f64,
    pub(super) hot: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Noisy,
    Hot,
}

impl BadPads {
    /// What is wrong with a pad of a sector: the same in every heartbeat frame.
    fn kind_of(self, seed: u64, sector: usize, pad: usize) -> Option<Kind> {
        let random = hash(seed, [KIND, (sector * PADS_IN_SECTOR + pad) as u64]);
        // 53 bits: as many as a fraction has.
        let drawn = (random >> 11) as f64 / (1_u64 << 53) as f64;
        match drawn {
            drawn if drawn < self.noisy => Some(Kind::Noisy),
            drawn if drawn < self.noisy + self.hot => Some(Kind::Hot),
            _ => None,
        }
    }

    /// Adds the charges of a region's bad pads in a heartbeat frame.
    pub(super) fn add(
        self,
        grid: &mut Grid,
        region: Region,
        cells: &RegionCells,
        threshold: u16,
        frame: FrameName,
    ) {
        if self == BadPads::default() {
            return;
        }
        for (pad, &cell) in region.pads().zip(cells.of_pads()) {
            let Some(kind) = self.kind_of(frame.seed, frame.sector, pad) else {
                continue;
            };
            let number = (frame.sector * PADS_IN_SECTOR + pad) as u64;
            let mut stream = stream(frame.seed, [CHARGES, number, frame.number.into()]);
            match kind {
                Kind::Noisy => add_noise(grid, cell.into(), threshold, &mut stream),
                Kind::Hot => add_hot(grid, cell.into(), threshold, &mut stream),
            }
        }
    }
}

/// Which heartbeat frame it is.
#[derive(Clone, Copy)]
pub(super) struct FrameName {
    pub(super) seed: u64,
    pub(super) sector: usize,
    pub(super) number: u32,
}

fn add_noise(grid: &mut Grid, cell: usize, threshold: u16, stream: &mut Stream) {
    let bins = grid.time_bins().len();
    let mut bin = 0;
    while bin < bins {
        let bits = stream.next_u64();
        bin += below(bits as u32, LONGEST_GAP) as usize;
        let run = 1 + below((bits >> 32) as u32, LONGEST_RUN) as usize;
        for bin in (bin..bins).take(run) {
            let above = below(stream.next_u64() as u32, NOISE_RANGE) as u16;
            grid.add_to_bin(cell, bin, threshold + above);
        }
        bin += run;
    }
}

fn add_hot(grid: &mut Grid, cell: usize, threshold: u16, stream: &mut Stream) {
    for bin in 0..grid.time_bins().len() {
        let bits = stream.next_u64();
        if below(bits as u32, 16) >= HOT_IN_16 {
            continue;
        }
        let charge = match below((bits >> 32) as u32, HOT_SATURATES_IN) {
            0 => SATURATED,
            above => threshold + above as u16,
        };
        grid.add_to_bin(cell, bin, charge);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_as_asked() {
        let pads = BadPads { noisy: 0.02, hot: 0.005 };
        let kinds = (0..10 * PADS_IN_SECTOR).filter_map(|pad| pads.kind_of(7, 0, pad));
        let kinds: Vec<_> = kinds.collect();
        let count = |kind| kinds.iter().filter(|found| **found == kind).count() as f64;
        let pads = 10.0 * PADS_IN_SECTOR as f64;
        assert!((count(Kind::Noisy) / pads - 0.02).abs() < 0.002);
        assert!((count(Kind::Hot) / pads - 0.005).abs() < 0.001);
    }
}
