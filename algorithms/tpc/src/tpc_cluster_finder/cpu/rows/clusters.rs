//! Clusters around peaks, with their labels. An isolated peak among 81 cells owns all charges
//! around it.

use super::strip::{CHARGE, PRESENT, Strip, WORD, for_each_set, window};
use crate::tpc_cluster_finder::cluster::{Cluster, Peak, Sums};
use crate::tpc_cluster_finder::row::{DIRECTIONS, RING, Step};
use crate::tpc_cluster_finder::sixteenths;

impl Strip<'_> {
    /// Calls `add` for the clusters of the time bins that belong to the strip, with their peaks and
    /// the recorded cells.
    pub(super) fn find_clusters<M: Members>(&self, mut add: impl FnMut(Cluster, usize, M)) {
        for word in self.words() {
            for_each_set(self.kept[word], word * WORD, |cell| {
                let mut members = M::default();
                if let Some(cluster) = self.cluster(cell, &mut members) {
                    add(cluster, cell, members);
                }
            });
        }
    }

    #[inline]
    fn cluster(&self, peak: usize, members: &mut impl Members) -> Option<Cluster> {
        let (pad, time) = self.pad_and_time(peak);
        if !self.times.own.contains(&time) {
            return None;
        }
        let peaks = Peaks::around(peak, self);
        let sums = if peaks.is_alone() {
            self.all_around(peak, members)
        } else {
            self.shares_around(peak, &peaks, members)
        };
        let peak = Peak { pad, time: time as i32, charge: self.charge(peak) };
        sums.cluster(peak, self.row.pads() as i32, self.row.settings)
    }

    /// The sums over all charges around a peak: outer cells count if their inner neighbour is above
    /// the threshold.
    #[inline]
    fn all_around(&self, peak: usize, members: &mut impl Members) -> Sums {
        let threshold = sixteenths(self.row.settings.inner_threshold);
        let line = |pads: usize| {
            let first = self.plus(peak, (pads as i32 - 2, -2));
            let cells = self.charges[first..].first_chunk::<5>();
            cells.map_or([0; 5], |cells| cells.map(|cell| i32::from(cell & CHARGE)))
        };
        let mut charges: [[i32; 5]; 5] = std::array::from_fn(line);
        let inner: [[i32; 5]; 5] = std::array::from_fn(|a| {
            std::array::from_fn(|b| i32::from(charges[towards(a)][towards(b)] > threshold))
        });
        for a in 0..5 {
            for b in 0..5 {
                let is_outer = a % 4 == 0 || b % 4 == 0;
                charges[a][b] *= if is_outer { inner[a][b] } else { 1 };
            }
        }
        members.note_all(&charges);
        let of_pads = charges.map(|line| line.iter().sum());
        let of_times = std::array::from_fn(|b| charges.iter().map(|line| line[b]).sum());
        Sums::from_lines(of_pads, of_times)
    }
}

/// In a square of five, the coordinate of the cell between the centre and this one.
const fn towards(coordinate: usize) -> usize {
    match coordinate {
        0 | 1 => 1,
        2 => 2,
        _ => 3,
    }
}

/// Pads and time bins on either side of a peak within which other peaks affect its cluster.
const REACH: i16 = 4;
/// Cells from side to side.
const SPAN: usize = 2 * REACH as usize + 1;

/// The peaks around a peak: a bit for each time bin, pad by pad.
pub(super) struct Peaks([u16; SPAN]);

impl Peaks {
    #[inline(always)]
    pub(super) fn around(peak: usize, strip: &Strip<'_>) -> Self {
        let reach = i32::from(REACH);
        let mut around = [0; SPAN];
        for (pads, times) in (-reach..).zip(&mut around) {
            *times = window(strip.kept, strip.plus(peak, (pads, -reach)), (1 << SPAN) - 1) as u16;
        }
        Peaks(around)
    }

    /// True if there are no other peaks.
    #[inline]
    pub(super) fn is_alone(&self) -> bool {
        let mut alone = [0; SPAN];
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

// Members are the cells around a peak that give the labels of their samples to its cluster: those
// that are examined, as far as they have charge.

/// Records the cells of a cluster.
pub(crate) trait Members: Default {
    /// Records a cell that is examined, with its share of the charge.
    fn note(&mut self, cell: Step, share: impl FnOnce() -> i32);

    /// Records a square of five around a peak; cells that are not examined have no charge.
    fn note_all(&mut self, charges: &[[i32; SIDE]; SIDE]);
}

/// Records nothing.
impl Members for () {
    #[inline(always)]
    fn note(&mut self, _: Step, _: impl FnOnce() -> i32) {}

    #[inline(always)]
    fn note_all(&mut self, _: &[[i32; SIDE]; SIDE]) {}
}

/// Cells from side to side.
const SIDE: usize = 5;

/// A bit for each of the [`CELLS`].
#[derive(Clone, Copy, Default)]
pub(super) struct Labelled(pub(super) u32);

impl Members for Labelled {
    #[inline(always)]
    fn note(&mut self, cell: Step, share: impl FnOnce() -> i32) {
        let (a, b) = square(cell);
        self.0 |= if share() > 0 { BITS[a][b] } else { 0 };
    }

    #[inline(always)]
    fn note_all(&mut self, charges: &[[i32; SIDE]; SIDE]) {
        for (&charge, bit) in charges.as_flattened().iter().zip(BITS.as_flattened()) {
            self.0 |= if charge > 0 { *bit } else { 0 };
        }
    }
}

/// Cells around a peak, in the order in which labels are collected: the peak, its neighbours, and
/// the outer cells.
pub(super) const CELLS: [Step; SIDE * SIDE] = {
    let mut cells = [(0, 0); SIDE * SIDE];
    let mut inner = 0;
    let mut next = 1 + DIRECTIONS.len();
    while inner < DIRECTIONS.len() {
        let (adjacent, behind) = DIRECTIONS[inner];
        cells[1 + inner] = adjacent;
        let mut outer = 0;
        while outer < behind.len() {
            cells[next] = behind[outer];
            outer += 1;
            next += 1;
        }
        inner += 1;
    }
    cells
};

/// The bits of cells by their position in the square.
const BITS: [[u32; SIDE]; SIDE] = {
    let mut bits = [[0; SIDE]; SIDE];
    let mut index = 0;
    while index < CELLS.len() {
        let (a, b) = square(CELLS[index]);
        bits[a][b] = 1 << index;
        index += 1;
    }
    bits
};

const fn square((a, b): Step) -> (usize, usize) {
    ((a + 2) as usize, (b + 2) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_cells_of_a_square_have_a_bit() {
        assert_eq!(BITS.as_flattened().iter().fold(0, |all, bit| all ^ bit), (1 << 25) - 1);
        assert_eq!((CELLS[0], CELLS[9], BITS[0][1]), ((0, 0), (-2, -1), 1 << 9));
    }

    #[test]
    fn cells_with_a_charge_are_recorded() {
        let mut one = Labelled::default();
        let mut all = Labelled::default();
        let mut charges = [[0; SIDE]; SIDE];
        for cell in [CELLS[0], CELLS[3], CELLS[24]] {
            one.note(cell, || 7);
            let (a, b) = square(cell);
            charges[a][b] = 7;
        }
        one.note(CELLS[5], || 0);
        all.note_all(&charges);
        assert_eq!((one.0, all.0), (1 | 1 << 3 | 1 << 24, one.0));
    }
}
