//! Charge on the pads of a region, and the samples of it.
//!
//! Cells lie in the order of the pages, and the time bins of a cell next to each
//! other, so that a crossing adds to a few runs of eight. Reading goes through the
//! cells once and deals their samples to time bins: they arrive there in order.

use std::ops::Range;

use super::columns::{Columns, GROUP};
use super::deposit::part;
use super::response::{BELOW, BINS, Shares};
use crate::tpc::ZsFormat;
use crate::tpc::encode::{Sample, TimeBin};
use crate::tpc::time::MAX_TIME_BINS_IN_ORBIT;

/// Time bins kept before and behind those of the frame: charge of crossings whose
/// centre is outside may reach into it, and the other way round.
const MARGIN: usize = BINS;
/// Time bins of a cell.
pub(super) const COLUMNS: usize = (MAX_TIME_BINS_IN_ORBIT + 2 * MARGIN).next_multiple_of(GROUP);

/// Charges of one region in one heartbeat frame.
pub(super) struct Grid {
    time_bins: Range<u32>,
    charges: Vec<u16>,
    dealt: Dealt,
}

/// The samples of one endpoint, by time bin and place.
pub(super) struct Dealt {
    time_bins: Range<u32>,
    /// So many for each column.
    capacity: usize,
    samples: Vec<Sample>,
    /// Behind the last sample of each column.
    ends: [usize; COLUMNS],
}

impl Grid {
    /// An empty grid for so many cells, of which a half of a region has at most
    /// `half`.
    pub(super) fn new(cells: usize, half: usize) -> Self {
        Grid {
            time_bins: 0..0,
            charges: vec![0; cells * COLUMNS],
            dealt: Dealt {
                time_bins: 0..0,
                capacity: odd_lines(half),
                samples: vec![Sample::default(); odd_lines(half) * COLUMNS],
                ends: [0; COLUMNS],
            },
        }
    }

    /// Begins a heartbeat frame with these time bins. The grid must be empty.
    pub(super) fn begin(&mut self, time_bins: Range<u32>) {
        self.time_bins = time_bins;
    }

    /// The time bins of the frame.
    pub(super) fn time_bins(&self) -> Range<u32> {
        self.time_bins.clone()
    }

    /// When charge must arrive so that any of it may be in the frame.
    pub(super) fn window(&self) -> Range<f64> {
        Grid::window_of(self.time_bins.clone())
    }

    /// When charge must arrive so that any of it may be in these time bins.
    pub(super) fn window_of(bins: Range<u32>) -> Range<f64> {
        let margin = (MARGIN - BELOW) as f64;
        f64::from(bins.start) - margin..f64::from(bins.end) + BELOW as f64
    }

    /// Where in a cell the charge that arrives then begins, and when in its time bin
    /// it arrives (0 to 1), if any of it may be in the frame.
    #[inline]
    pub(super) fn column(&self, arrival: f64) -> Option<(usize, f64)> {
        let window = self.window();
        if !window.contains(&arrival) {
            return None;
        }
        let offset = arrival - window.start;
        let column = offset as usize;
        Some((column, offset - column as f64))
    }

    /// The time bin of a column, from the beginning of the time frame.
    pub(super) fn time_bin(&self, column: usize) -> i64 {
        i64::from(self.time_bins.start) + column as i64 - MARGIN as i64
    }

    /// Adds a charge, spread over time bins.
    #[inline]
    pub(super) fn add(&mut self, cell: usize, column: usize, charge: u16, shares: &Shares) {
        let start = cell * COLUMNS + column;
        for (sum, share) in self.charges[start..start + BINS].iter_mut().zip(shares) {
            *sum = sum.saturating_add(part(charge, *share));
        }
    }

    /// Adds a charge to one time bin of the frame, counted from its first.
    pub(super) fn add_to_bin(&mut self, cell: usize, bin: usize, charge: u16) {
        let sum = &mut self.charges[cell * COLUMNS + MARGIN + bin];
        *sum = sum.saturating_add(charge);
    }

    /// The samples of some cells, which have these places. Empties the cells.
    pub(super) fn take(
        &mut self,
        first_cell: usize,
        places: &[u16],
        threshold: u16,
        format: ZsFormat,
    ) -> &Dealt {
        // Once for each scale, so that nothing is decided in the inner loop.
        match format {
            ZsFormat::Row10 => self.take_as(first_cell, places, threshold, |charge| {
                ZsFormat::Row10.adc_of_quarters(charge)
            }),
            _ => self.take_as(first_cell, places, threshold, |charge| {
                ZsFormat::Row12.adc_of_quarters(charge)
            }),
        }
    }

    fn take_as(
        &mut self,
        first_cell: usize,
        places: &[u16],
        threshold: u16,
        adc_of: impl Fn(u16) -> u16,
    ) -> &Dealt {
        self.dealt.clear(self.time_bins.clone());
        let (cells, _) = self.charges[first_cell * COLUMNS..].as_chunks_mut::<COLUMNS>();
        let mut columns = Columns::default();
        for (cell, place) in cells.iter_mut().zip(places) {
            for column in columns.at_least(threshold, cell) {
                let column = usize::from(*column);
                self.dealt.deal(column, Sample::new(*place, adc_of(cell[column])));
            }
            cell.fill(0);
        }
        &self.dealt
    }
}

/// Room for so many samples in an odd number of cache lines: columns that are written in turn then
/// lie in all sets of the cache.
fn odd_lines(samples: usize) -> usize {
    const SAMPLES_IN_LINE: usize = 64 / size_of::<Sample>();
    (samples.div_ceil(SAMPLES_IN_LINE) | 1) * SAMPLES_IN_LINE
}

impl Dealt {
    fn clear(&mut self, time_bins: Range<u32>) {
        self.time_bins = time_bins;
        for (column, end) in self.ends.iter_mut().enumerate() {
            *end = column * self.capacity;
        }
    }

    /// Deals a sample to its column.
    #[inline]
    fn deal(&mut self, column: usize, sample: Sample) {
        let end = &mut self.ends[column];
        self.samples[*end] = sample;
        *end += 1;
    }

    /// The time bins of the frame that have samples.
    pub(super) fn time_bins(&self) -> impl Iterator<Item = TimeBin<'_>> {
        let columns = self.ends[MARGIN..].iter().zip(MARGIN..);
        let bins = self.time_bins.clone().zip(columns);
        bins.filter_map(|(number, (end, column))| {
            let samples = &self.samples[column * self.capacity..*end];
            (!samples.is_empty()).then_some(TimeBin { number, samples })
        })
    }

    /// How many samples there are.
    pub(super) fn len(&self) -> usize {
        self.time_bins().map(|bin| bin.samples.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVEN: Shares = [8192; BINS];

    fn samples(grid: &mut Grid, threshold: u16) -> Vec<(u32, u16, u16)> {
        let dealt = grid.take(0, &[10, 11, 20], threshold, ZsFormat::Row12);
        let of_bin = |bin: TimeBin| {
            let parts = |s: &Sample| (bin.number, s.place(), s.adc());
            bin.samples.iter().map(parts).collect::<Vec<_>>()
        };
        dealt.time_bins().flat_map(of_bin).collect()
    }

    fn grid() -> Grid {
        let mut grid = Grid::new(3, 3);
        grid.begin(446..891);
        grid
    }

    #[test]
    fn samples_come_by_time_and_place() {
        let mut grid = grid();
        grid.add_to_bin(2, 7, 50);
        grid.add_to_bin(0, 7, 40);
        grid.add_to_bin(1, 0, 11);
        grid.add_to_bin(1, 0, 1);
        grid.add_to_bin(2, 444, 9000);
        grid.add_to_bin(0, 9, 11);
        let expected = [(446, 11, 12), (453, 10, 40), (453, 20, 50), (890, 20, 4095)];
        assert_eq!(samples(&mut grid, 12), expected);
        assert!(samples(&mut grid, 1).is_empty(), "the grid was emptied");
    }

    #[test]
    fn charge_from_beside_the_frame_reaches_into_it() {
        let mut grid = grid();
        for (arrival, inside) in [(440.9, false), (442.1, true), (893.9, true), (894.0, false)] {
            if let Some((column, _)) = grid.column(arrival) {
                grid.add(0, column, 8000, &EVEN);
            }
            let samples = samples(&mut grid, 1);
            assert_eq!(!samples.is_empty(), inside, "{arrival}");
        }
        let (column, in_bin) = grid.column(500.25).expect("inside");
        assert!((in_bin - 0.25).abs() < 1e-9);
        grid.add(1, column, 8000, &EVEN);
        let times: Vec<_> = samples(&mut grid, 1).iter().map(|s| s.0).collect();
        assert_eq!(times, (497..505).collect::<Vec<_>>());
    }
}
