//! What a crossing leaves on a row of pads.

use super::cells::NO_CELL;
use super::deposits::PadDeposit;
use super::response::{BELOW, BINS, Shape, Shares};

/// A pad with less charge, in quarters of an ADC unit, gets no sample from it.
const LEAST_CHARGE: f32 = 16.0;

/// The charge of a crossing, spread over pads and time bins.
pub(super) struct Deposit<'a> {
    pub(super) row: usize,
    /// Pads of the row.
    pub(super) pads: usize,
    /// The pad that the charge is centred in; shifted by `BINS`, so that one just beside the row
    /// has a number too.
    pub(super) shifted_pad: usize,
    /// For each 65536th, in quarters of an ADC unit.
    pub(super) charge: f32,
    pub(super) on_pads: &'a Shares,
    /// Where its columns begin.
    pub(super) column: usize,
    pub(super) in_time: Shape,
}

impl Deposit<'_> {
    /// The charge on each of the pads around.
    #[inline]
    fn charges(&self) -> [f32; BINS] {
        self.on_pads.map(|share| self.charge * f32::from(share))
    }

    /// What each of the pads gets, which have these cells, and bit by bit which of them get any.
    #[inline]
    pub(super) fn on_cells(&self, cells: &[u16; BINS]) -> ([PadDeposit; BINS], u32) {
        let charges = self.charges();
        let (mut deposits, mut charged) = ([PadDeposit::default(); BINS], 0);
        for (i, (charge, cell)) in charges.into_iter().zip(*cells).enumerate() {
            let (column, in_time) = (self.column as u16, self.in_time);
            deposits[i] = PadDeposit { cell, column, charge: charge as u16, in_time };
            charged |= u32::from(charge >= LEAST_CHARGE && cell != NO_CELL) << i;
        }
        (deposits, charged)
    }

    /// The pads that get charge, and how much.
    pub(super) fn pads(&self) -> impl Iterator<Item = (usize, u16)> {
        // Beside the row on the low side, the difference wraps to a large number.
        let pads = (0..BINS).map(|i| (self.shifted_pad + i).wrapping_sub(BINS + BELOW));
        let charged = pads.zip(self.charges());
        charged
            .filter(|(pad, charge)| *pad < self.pads && *charge >= LEAST_CHARGE)
            .map(|(pad, charge)| (pad, charge as u16))
    }
}

/// What a time bin gets of the charge of a pad.
#[inline]
pub(super) fn part(charge: u16, share: u16) -> u16 {
    ((u32::from(charge) * u32::from(share)) >> u16::BITS) as u16
}
