//! Cells around a peak that give the labels of their samples to its cluster: those that are
//! examined, as far as they have charge.

use crate::tpc_cluster_finder::directions::{DIRECTIONS, Step};

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
