//! Maps of charges, and what makes a pad noisy.

use generators::tpc::geometry::{PADS_IN_SECTOR, ROWS, pads_in_row};
use generators::tpc::{Digit, PadId, ZsFormat};
use rayon::prelude::*;

use super::activity::Thresholds;
use crate::tpc_decode::charge_map::{
    Converter, Gains, TILE, TILE_PADS, TILES_IN_ROW, entries, entry_of,
};

/// Entries of a row of tiles: all pads in a few time bins.
const TILE_ROW: usize = TILES_IN_ROW * TILE;

/// The charges of some sectors in a time frame.
#[derive(Clone)]
pub struct ChargeMaps {
    time_bins: u32,
    sectors: usize,
    /// The maps of the sectors, one after the other.
    entries: Vec<u16>,
    thresholds: Thresholds,
}

/// Puts digits into the map of their sector.
fn put(map: &mut [u16], digits: &[Digit], gains: &Gains, format: ZsFormat) {
    let Some(first) = digits.first() else { return };
    let converter = Converter::new(gains, first.sector(), format);
    for digit in digits {
        map[entry_of(digit.pad_id(), digit.time_bin())] = converter.charge(*digit);
    }
}

impl ChargeMaps {
    /// More time bins don't fit the counters of a pad.
    pub const MAX_TIME_BINS: u32 = u16::MAX as u32;

    /// Maps without a charge.
    pub fn empty(sectors: usize, time_bins: u32, thresholds: Thresholds) -> Self {
        ChargeMaps {
            time_bins,
            sectors,
            entries: vec![0; sectors * entries(time_bins)],
            thresholds,
        }
    }

    /// Puts digits into the map of a sector, by its place in the input.
    pub fn add(&mut self, sector: usize, digits: &[Digit], gains: &Gains, format: ZsFormat) {
        put(self.map_mut(sector), digits, gains, format);
    }

    /// Puts the digits of all sectors into their maps, many at the same time.
    pub(super) fn add_all(
        &mut self,
        digits: impl Fn(usize) -> Vec<Digit> + Sync,
        gains: &Gains,
        format: ZsFormat,
    ) {
        let maps = self.entries.par_chunks_mut(entries(self.time_bins));
        let numbered = maps.enumerate();
        numbered.for_each(|(sector, map)| put(map, &digits(sector), gains, format));
    }

    /// Time bins of each map.
    pub fn time_bins(&self) -> u32 {
        self.time_bins
    }

    /// The number of maps.
    pub fn sectors(&self) -> usize {
        self.sectors
    }

    /// What makes a pad noisy.
    pub fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    /// All maps.
    pub fn entries(&self) -> &[u16] {
        &self.entries
    }

    /// The map of a sector, tile by tile.
    pub(super) fn map(&self, sector: usize) -> &[u16] {
        let length = entries(self.time_bins);
        &self.entries[sector * length..][..length]
    }

    pub(super) fn map_mut(&mut self, sector: usize) -> &mut [u16] {
        let length = entries(self.time_bins);
        &mut self.entries[sector * length..][..length]
    }

    /// Bytes of the cache lines that hold charges of pads.
    pub(super) fn bytes_with_pads(&self) -> u64 {
        let tiles: usize = (0..ROWS)
            .map(|row| pads_in_row(row).div_ceil(TILE_PADS))
            .sum();
        (self.sectors * self.tile_rows() * tiles * TILE * size_of::<u16>()) as u64
    }

    /// Rows of tiles of each map.
    pub(super) fn tile_rows(&self) -> usize {
        entries(self.time_bins) / TILE_ROW
    }

    /// Each sector by itself, then with half of the time bins.
    pub(super) fn smaller(&self) -> impl Iterator<Item = ChargeMaps> + '_ {
        let single = (0..self.sectors).filter(|_| self.sectors > 1);
        let single = single.map(|sector| self.with(self.time_bins, self.map(sector)));
        let half = self.time_bins / 2;
        let shorter = (self.sectors == 1 && half > 0).then(|| {
            // Rows of tiles follow each other in time.
            let mut shorter = self.with(half, &self.entries[..entries(half)]);
            shorter.clear_margin();
            shorter
        });
        single.chain(shorter)
    }

    fn with(&self, time_bins: u32, entries: &[u16]) -> Self {
        ChargeMaps {
            time_bins,
            sectors: 1,
            entries: entries.to_vec(),
            thresholds: self.thresholds,
        }
    }

    /// Takes away what is behind the last time bin.
    fn clear_margin(&mut self) {
        let end = self.time_bins;
        for row in 0..ROWS {
            for pad in 0..pads_in_row(row) {
                let pad = PadId::new(row as u8, pad as u8);
                let behind = (end..).map(|time_bin| entry_of(pad, time_bin));
                let length = self.entries.len();
                for entry in behind.take_while(|entry| *entry < length) {
                    self.entries[entry] = 0;
                }
            }
        }
    }

    /// Pads of all sectors.
    pub(super) fn pads(&self) -> usize {
        self.sectors * PADS_IN_SECTOR
    }
}
