//! Shares of charges around a peak that other peaks claim, too.

use super::bits::window;
use super::members::Members;
use super::strip::{PRESENT, Strip};
use crate::tpc_cluster_finder::cluster::Sums;
use crate::tpc_cluster_finder::directions::{DIRECTIONS, RING, Step};
use crate::tpc_cluster_finder::settings::sixteenths;

/// Pads and time bins on either side of a peak within which other peaks affect its cluster.
const REACH: i16 = 4;
/// Cells from side to side.
const SIDE: usize = 2 * REACH as usize + 1;

/// The peaks around a peak: a bit for each time bin, pad by pad.
pub(super) struct Peaks([u16; SIDE]);

impl Peaks {
    #[inline(always)]
    pub(super) fn around(peak: usize, strip: &Strip<'_>) -> Self {
        let reach = i32::from(REACH);
        let mut around = [0; SIDE];
        for (pads, times) in (-reach..).zip(&mut around) {
            *times = window(strip.kept, strip.plus(peak, (pads, -reach)), (1 << SIDE) - 1) as u16;
        }
        Peaks(around)
    }

    /// True if there are no other peaks.
    #[inline]
    pub(super) fn is_alone(&self) -> bool {
        let mut alone = [0; SIDE];
        alone[REACH as usize] = 1 << REACH;
        self.0 == alone
    }

    /// Number of peaks within `steps` steps of a cell, itself included.
    #[inline]
    fn within(&self, steps: i16, (a, b): Step) -> u32 {
        let pads = (REACH + a - steps) as usize..=(REACH + a + steps) as usize;
        let first = REACH + b - steps;
        let mask = (1 << (2 * steps + 1)) - 1;
        self.0[pads].iter().map(|times| (times >> first & mask).count_ones()).sum()
    }

    #[inline]
    fn is_at(&self, (a, b): Step) -> bool {
        self.0[(REACH + a) as usize] >> (REACH + b) & 1 != 0
    }
}

impl Strip<'_> {
    /// The sums over the shares that a peak has of the charges around it.
    pub(super) fn shares_around(
        &self,
        peak: usize,
        peaks: &Peaks,
        members: &mut impl Members,
    ) -> Sums {
        let threshold = sixteenths(self.row.settings.inner_threshold);
        let entry = |(a, b): Step| self.charges[self.plus(peak, (a.into(), b.into()))];
        let share = |entry: u16, claims: u32| i32::from(entry & !PRESENT) / claims.max(1) as i32;
        let mut sums = Sums::default();
        let mut add = |cell: Step, claims: u32| {
            let entry = entry(cell);
            let share = share(entry, claims);
            // A cell without a sample has no charge that could be divided.
            let is_divided = claims > 1 && entry & PRESENT != 0;
            sums.add(cell.0.into(), cell.1.into(), share, is_divided);
            share
        };
        let qmax = add((0, 0), 1);
        members.note((0, 0), || qmax);
        for (inner, behind) in DIRECTIONS {
            let adjacent = add(inner, peaks.within(1, inner));
            members.note(inner, || adjacent);
            if adjacent > threshold {
                for &step in behind {
                    match peaks.within(1, step) {
                        0 => {
                            let own = add(step, self.claims(peak, peaks, step));
                            members.note(step, || own);
                        }
                        others => members.note(step, || share(entry(step), others)),
                    }
                }
            }
        }
        sums
    }

    /// Number of peaks two steps away that claim a cell without an adjacent peak.
    #[inline(always)]
    fn claims(&self, peak: usize, peaks: &Peaks, cell: Step) -> u32 {
        if peaks.within(2, cell) == 1 {
            return 1;
        }
        let reaches = |step: &&Step| {
            let to = (cell.0 + step.0, cell.1 + step.1);
            let between = (cell.0 + step.0 / 2, cell.1 + step.1 / 2);
            peaks.is_at(to) && self.is_above(self.plus(peak, (between.0.into(), between.1.into())))
        };
        RING.iter().filter(reaches).count() as u32
    }

    /// True if clusters continue beyond a cell: its charge is above the threshold, and its pad is
    /// not noisy.
    fn is_above(&self, cell: usize) -> bool {
        let threshold = sixteenths(self.row.settings.inner_threshold);
        let (pad, _) = self.pad_and_time(cell);
        self.charge(cell) > threshold && !self.row.is_noisy[pad as usize]
    }
}
