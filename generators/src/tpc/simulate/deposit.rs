//! What a crossing leaves on a row of pads.

use super::response::{BELOW, BINS, Shares};

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
    /// Where in a cell the time bins begin.
    pub(super) column: usize,
    pub(super) in_time: &'a Shares,
}

impl Deposit<'_> {
    /// The pads that get charge, and how much.
    #[inline]
    pub(super) fn pads(&self) -> impl Iterator<Item = (usize, u16)> {
        let charges = self.on_pads.map(|share| self.charge * f32::from(share));
        // Which ones it are is judged of all at once, not by a branch for each of them.
        let mut charged = 0_u32;
        for (i, charge) in charges.iter().enumerate() {
            charged |= u32::from(*charge >= LEAST_CHARGE) << i;
        }
        let charged = std::iter::from_fn(move || {
            let first = charged.trailing_zeros() as usize;
            charged &= charged.wrapping_sub(1);
            (first < BINS).then(|| (first, charges[first] as u16))
        });
        charged.filter_map(|(i, charge)| {
            // Beside the row on the low side, the difference wraps to a large number.
            let pad = (self.shifted_pad + i).wrapping_sub(BINS + BELOW);
            (pad < self.pads).then_some((pad, charge))
        })
    }
}

/// What a time bin gets of the charge of a pad.
#[inline]
pub(super) fn part(charge: u16, share: u16) -> u16 {
    ((u32::from(charge) * u32::from(share)) >> u16::BITS) as u16
}
