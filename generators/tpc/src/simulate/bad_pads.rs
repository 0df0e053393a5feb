//! Pads with samples that do not come from particles, or with many more than others.
//!
//! A **noisy** pad has lost its baseline: most of the time it is slightly above the threshold, in
//! runs of some tens of time bins. A **hot** pad is really kept busy by particles, for example near
//! a spot where the gas amplifies more: there is charge in most time bins, and occasionally the ADC
//! saturates. A filter has to remove the first and to keep the second. Both kinds and their figures
//! are assumptions: they are meant to be hard to distinguish, not to describe a chamber.

use generators_common::random::{Stream, below, hash, stream};
use rand::Rng;

use super::cells::RegionCells;
use super::samples::Signal;
use crate::geometry::{PADS_IN_SECTOR, Region};

/// Names of the random streams of a pad's kind and of its charges.
const KIND: u64 = 3;
const CHARGES: u64 = 4;
/// Maximum length of a noisy pad's runs and of the gaps between them, in time bins.
const LONGEST_RUN: u64 = 80;
const LONGEST_GAP: u64 = 20;
/// Maximum charge of a noisy pad above the threshold, in quarters of an ADC unit.
const NOISE_RANGE: u64 = 40;
/// A hot pad has charge in `HOT_IN_16` of 16 time bins, and saturates in one of `HOT_SATURATES_IN`.
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
    /// The defect of a pad of a sector: the same in every heartbeat frame.
    fn kind_of(self, seed: u64, sector: usize, pad: usize) -> Option<Kind> {
        let random = hash(seed, [KIND, (sector * PADS_IN_SECTOR + pad) as u64]);
        // 53 bits, as in the fraction of a double.
        let drawn = (random >> 11) as f64 / (1_u64 << 53) as f64;
        match drawn {
            drawn if drawn < self.noisy => Some(Kind::Noisy),
            drawn if drawn < self.noisy + self.hot => Some(Kind::Hot),
            _ => None,
        }
    }

    pub(super) fn of_region(
        self,
        seed: u64,
        sector: usize,
        region: Region,
        cells: &RegionCells,
    ) -> RegionBadPads {
        if self == BadPads::default() {
            return RegionBadPads::default();
        }
        let mut by_cell = vec![None; cells.len()];
        for (pad, &cell) in region.pads().zip(cells.of_pads()) {
            let number = (sector * PADS_IN_SECTOR + pad) as u64;
            let kind = self.kind_of(seed, sector, pad);
            by_cell[usize::from(cell)] = kind.map(|kind| BadPad { kind, number });
        }
        RegionBadPads { by_cell }
    }
}

#[derive(Default)]
pub(super) struct RegionBadPads {
    /// Empty if there are no bad pads.
    by_cell: Vec<Option<BadPad>>,
}

#[derive(Clone, Copy, Debug)]
struct BadPad {
    kind: Kind,
    /// Among all pads of all sectors.
    number: u64,
}

impl RegionBadPads {
    /// Adds the charges of a bad pad in a heartbeat frame.
    #[inline]
    pub(super) fn add_to(&self, signal: &mut Signal, cell: usize, frame: &BadFrame) {
        if let Some(Some(pad)) = self.by_cell.get(cell) {
            let mut stream = stream(frame.seed, [CHARGES, pad.number, frame.number.into()]);
            match pad.kind {
                Kind::Noisy => add_noise(signal, frame, &mut stream),
                Kind::Hot => add_hot(signal, frame, &mut stream),
            }
        }
    }
}

/// Inputs of the charges of bad pads in a heartbeat frame.
pub(super) struct BadFrame {
    pub(super) seed: u64,
    pub(super) number: u32,
    pub(super) bins: usize,
    pub(super) threshold: u16,
}

fn add_noise(signal: &mut Signal, frame: &BadFrame, stream: &mut Stream) {
    let bins = frame.bins;
    let mut bin = 0;
    while bin < bins {
        let bits = stream.next_u64();
        bin += below(bits as u32, LONGEST_GAP) as usize;
        let run = 1 + below((bits >> 32) as u32, LONGEST_RUN) as usize;
        for bin in (bin..bins).take(run) {
            let above = below(stream.next_u64() as u32, NOISE_RANGE) as u16;
            signal.add_to_bin(bin, frame.threshold + above);
        }
        bin += run;
    }
}

fn add_hot(signal: &mut Signal, frame: &BadFrame, stream: &mut Stream) {
    for bin in 0..frame.bins {
        let bits = stream.next_u64();
        if below(bits as u32, 16) >= HOT_IN_16 {
            continue;
        }
        let charge = match below((bits >> 32) as u32, HOT_SATURATES_IN) {
            0 => SATURATED,
            above => frame.threshold + above as u16,
        };
        signal.add_to_bin(bin, charge);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_as_requested() {
        let pads = BadPads { noisy: 0.02, hot: 0.005 };
        let kinds = (0..10 * PADS_IN_SECTOR).filter_map(|pad| pads.kind_of(7, 0, pad));
        let kinds: Vec<_> = kinds.collect();
        let count = |kind| kinds.iter().filter(|found| **found == kind).count() as f64;
        let pads = 10.0 * PADS_IN_SECTOR as f64;
        assert!((count(Kind::Noisy) / pads - 0.02).abs() < 0.002);
        assert!((count(Kind::Hot) / pads - 0.005).abs() < 0.001);
    }
}
