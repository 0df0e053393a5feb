//! Maps of charges, thresholds of noisy pads, and activities of pads.

use std::iter;

use generators_common::io::Table;
use generators_tpc::geometry::{PADS_IN_SECTOR, ROWS, pads_in_row};
use generators_tpc::{Digit, PadId, ZsFormat};
use parallel::for_each_numbered;

use crate::tpc_decode::charge_map::{
    CHARGE_SCALE, Converter, Gains, TILE, TILES_IN_ROW, entries, entry_of, tiles_of_row,
};
use tasks::algorithm::shrink::without_parts;
use tasks::algorithm::{Choose, Element, FileRemarks};
use tasks::device::Poison;

/// Entries of a row of tiles: all pads in a few time bins.
const TILE_ROW: usize = TILES_IN_ROW * TILE;

/// All pads of a sector.
pub(super) fn pads() -> impl Iterator<Item = PadId> {
    let of_row = |row| (0..pads_in_row(row)).map(move |pad| PadId::new(row as u8, pad as u8));
    (0..ROWS).flat_map(of_row)
}

/// All pads in `time_bins` time bins.
pub(super) fn cells(time_bins: u32) -> impl Iterator<Item = (PadId, u32)> {
    pads().flat_map(move |pad| (0..time_bins).map(move |time_bin| (pad, time_bin)))
}

/// The charges of some sectors in a time frame.
#[derive(Clone)]
pub struct ChargeMaps {
    time_bins: u32,
    sectors: usize,
    /// The maps of the sectors, one after the other.
    entries: Vec<u16>,
    thresholds: Thresholds,
    /// Numbers of the sectors; `0..` unless they were read from a file.
    sector_numbers: Vec<u8>,
    remarks: FileRemarks,
}

/// Stores digits in the map of their sector.
fn put(map: &mut [u16], digits: &[Digit], gains: &Gains, format: ZsFormat) {
    let Some(first) = digits.first() else { return };
    let converter = Converter::new(gains, first.sector(), format);
    for digit in digits {
        map[entry_of(digit.pad_id(), digit.time_bin())] = converter.charge(*digit);
    }
}

impl ChargeMaps {
    /// Maximum number of time bins that fits the counters of a pad.
    pub const MAX_TIME_BINS: u32 = u16::MAX as u32;

    /// Maps without a charge.
    pub fn empty(sectors: usize, time_bins: u32, thresholds: Thresholds) -> Self {
        ChargeMaps {
            time_bins,
            sectors,
            entries: vec![0; sectors * entries(time_bins)],
            thresholds,
            sector_numbers: (0..=u8::MAX).take(sectors).collect(),
            remarks: FileRemarks::default(),
        }
    }

    /// Maps of these sectors of a file, with remarks about it.
    pub(super) fn of_file(self, sector_numbers: Vec<u8>, remarks: FileRemarks) -> Self {
        ChargeMaps { sector_numbers, remarks, ..self }
    }

    /// Remarks about the file that they were read from.
    pub(super) fn remarks(&self) -> &FileRemarks {
        &self.remarks
    }

    /// A row for each pad of each sector.
    pub(super) fn pad_table(&self, activities: &[PadActivity]) -> Table {
        let sectors = self.sector_numbers.iter();
        let sectors = sectors.flat_map(|sector| iter::repeat_n(*sector, PADS_IN_SECTOR));
        let each_pad = || (0..self.sectors).flat_map(|_| pads());
        Table::new()
            .with("sector", sectors)
            .with("row", each_pad().map(PadId::row))
            .with("pad", each_pad().map(PadId::pad))
            .with("charges", activities.iter().map(|pad| pad.charges))
            .with("longest_run", activities.iter().map(|pad| pad.longest_run))
            .with("largest_adc", activities.iter().map(|pad| f32::from(pad.largest) / CHARGE_SCALE))
            .with("noisy", activities.iter().map(|pad| u8::from(pad.is_noisy())))
    }

    /// Stores the digits of all sectors in their maps, in parallel.
    pub(super) fn add_all(
        &mut self,
        digits: impl Fn(usize) -> Vec<Digit> + Sync,
        gains: &Gains,
        format: ZsFormat,
    ) {
        let maps = self.entries.chunks_mut(entries(self.time_bins));
        for_each_numbered(maps, |sector, map| put(map, &digits(sector), gains, format));
    }

    /// Time bins of each map.
    pub fn time_bins(&self) -> u32 {
        self.time_bins
    }

    /// The number of maps.
    pub fn sectors(&self) -> usize {
        self.sectors
    }

    /// Thresholds of noisy pads.
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

    /// Bytes of the cache lines that contain charges of pads.
    pub(super) fn bytes_with_pads(&self) -> u64 {
        let tiles: usize = (0..ROWS).map(|row| tiles_of_row(row).len()).sum();
        (self.sectors * self.tile_rows() * tiles * TILE * size_of::<u16>()) as u64
    }

    /// Rows of tiles of each map.
    pub(super) fn tile_rows(&self) -> usize {
        entries(self.time_bins) / TILE_ROW
    }

    /// Copies without some of the sectors, then with half of the time bins.
    pub(super) fn shrink(&self) -> impl Iterator<Item = ChargeMaps> + '_ {
        let fewer_sectors = without_parts(self.sectors, |gone| {
            let kept = (0..self.sectors).filter(|sector| !gone.contains(sector));
            Some(self.part(&kept.collect::<Vec<_>>(), self.time_bins))
        });
        let all = (0..self.sectors).collect::<Vec<_>>();
        let half = (self.time_bins > 1).then(|| self.part(&all, self.time_bins / 2));
        fewer_sectors.chain(half)
    }

    /// The charges of some sectors in the first time bins.
    fn part(&self, sectors: &[usize], time_bins: u32) -> Self {
        let mut part = ChargeMaps::empty(sectors.len(), time_bins, self.thresholds);
        for (index, &sector) in sectors.iter().enumerate() {
            for (pad, time_bin) in cells(time_bins) {
                let entry = entry_of(pad, time_bin);
                part.map_mut(index)[entry] = self.map(sector)[entry];
            }
        }
        part
    }

    /// Pads of all sectors.
    pub(super) fn pads(&self) -> usize {
        self.sectors * PADS_IN_SECTOR
    }
}

/// Activity of a pad in a time frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct PadActivity {
    /// Time bins with charge.
    pub charges: u16,
    /// The longest run of consecutive time bins with charge.
    pub longest_run: u16,
    /// The largest charge, in sixteenths of an ADC unit.
    pub largest: u16,
    /// Decision whether the pad is left out.
    pub verdict: Verdict,
}

/// Classification of a pad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u16)]
pub enum Verdict {
    /// Its charges may be those of particles.
    #[default]
    Good = 0,
    /// It has lost its baseline.
    Noisy = 1,
}

/// Thresholds of noisy pads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// Maximum number of time bins with charge of a good pad.
    pub charges: u16,
    /// Maximum length of a run of them.
    pub run: u16,
    /// Pads with a larger charge than this are never noisy: saturation is no noise.
    pub saturation: u16,
}

/// An invalid activity: a longer run than charges.
impl Poison for PadActivity {
    const POISON: Self =
        PadActivity { charges: 0, longest_run: u16::MAX, largest: 0, verdict: Verdict::Good };
}

impl Element for PadActivity {
    const NAME: &'static str = "pad";

    fn changed(&self, _: Choose<'_>) -> Self {
        let largest = self.largest ^ 1;
        PadActivity { largest, ..*self }
    }
}

impl PadActivity {
    /// The activity of a pad, with the verdict by these thresholds.
    #[inline]
    pub fn new(charges: u16, longest_run: u16, largest: u16, thresholds: &Thresholds) -> Self {
        let busy = charges > thresholds.charges || longest_run > thresholds.run;
        let verdict =
            if busy && largest <= thresholds.saturation { Verdict::Noisy } else { Verdict::Good };
        PadActivity { charges, longest_run, largest, verdict }
    }

    /// True if the pad is to be left out.
    pub fn is_noisy(&self) -> bool {
        self.verdict == Verdict::Noisy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pad_is_noisy_beyond_either_threshold_unless_it_saturates() {
        let thresholds = Thresholds { charges: 100, run: 20, saturation: 5000 };
        let is_noisy =
            |charges, run, largest| PadActivity::new(charges, run, largest, &thresholds).is_noisy();
        assert!(!is_noisy(100, 20, 10) && !is_noisy(101, 21, 5001));
        assert!(is_noisy(101, 20, 10) && is_noisy(100, 21, 5000));
    }
}
