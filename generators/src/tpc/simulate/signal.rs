//! The charge of one pad over a heartbeat frame.

use super::columns::{COLUMNS, MARGIN};
use super::response::{BINS, Shares, part};

/// The charge of a pad in each column, in quarters of an ADC unit.
pub(super) struct Signal([u16; COLUMNS]);

impl Signal {
    /// No charge at all.
    pub(super) fn new() -> Self {
        Signal([0; COLUMNS])
    }

    /// Takes all charge away.
    pub(super) fn clear(&mut self) {
        self.0.fill(0);
    }

    /// The charge in each column.
    pub(super) fn charges(&self) -> &[u16; COLUMNS] {
        &self.0
    }

    /// Adds a charge, spread over the columns from this one on.
    #[inline]
    pub(super) fn add(&mut self, column: usize, charge: u16, shares: &Shares) {
        for (sum, share) in self.0[column..column + BINS].iter_mut().zip(shares) {
            *sum = sum.saturating_add(part(charge, *share));
        }
    }

    /// Adds a charge to one time bin of the frame, counted from its first.
    pub(super) fn add_to_bin(&mut self, bin: usize, charge: u16) {
        let sum = &mut self.0[MARGIN + bin];
        *sum = sum.saturating_add(charge);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charges_add_up_and_saturate() {
        let mut signal = Signal::new();
        signal.add(MARGIN + 2, 8000, &[8192; BINS]);
        signal.add_to_bin(3, 11);
        signal.add_to_bin(4, u16::MAX);
        let charges = &signal.charges()[MARGIN..];
        assert_eq!(charges[..6], [0, 0, 1000, 1011, u16::MAX, 1000]);
        signal.clear();
        assert_eq!(signal.charges(), &[0; COLUMNS]);
    }
}
