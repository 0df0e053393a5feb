//! The time bins of a heartbeat frame as columns, with a margin before and after it.

use std::ops::Range;

use super::response::{BELOW, BINS};
use crate::tpc::time::{MAX_TIME_BINS_IN_ORBIT, time_bins_of};

/// Columns before and after those of the frame: charge of crossings centred outside may reach into
/// it, and vice versa.
pub(super) const MARGIN: usize = BINS;
/// Columns that are looked at together.
pub(super) const GROUP: usize = 32;
/// All columns.
pub(super) const COLUMNS: usize = (MAX_TIME_BINS_IN_ORBIT + 2 * MARGIN).next_multiple_of(GROUP);

/// The columns of a heartbeat frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    time_bins: Range<u32>,
    window: Range<f64>,
}

impl Columns {
    pub(super) fn for_frame(frame: u32) -> Self {
        let time_bins = time_bins_of(frame);
        let margin = (MARGIN - BELOW) as f64;
        let window = f64::from(time_bins.start) - margin..f64::from(time_bins.end) + BELOW as f64;
        Columns { time_bins, window }
    }

    /// The time bins of the frame.
    pub(super) fn time_bins(&self) -> Range<u32> {
        self.time_bins.clone()
    }

    /// When charge must arrive so that any of it may be in the frame.
    pub(super) fn window(&self) -> Range<f64> {
        self.window.clone()
    }

    /// The first column of a charge that arrives at this time, and the time within its time bin (0
    /// to 1); none if the charge is outside the frame.
    #[inline]
    pub(super) fn column(&self, arrival: f64) -> Option<(usize, f64)> {
        if !self.window.contains(&arrival) {
            return None;
        }
        let offset = arrival - self.window.start;
        let column = offset as usize;
        Some((column, offset - column as f64))
    }

    /// The time bin of a column, from the beginning of the time frame.
    pub(super) fn time_bin(&self, column: usize) -> i64 {
        i64::from(self.time_bins.start) + column as i64 - MARGIN as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charge_from_outside_the_frame_reaches_into_it() {
        let columns = Columns::for_frame(1);
        assert_eq!(columns.time_bins(), 446..891);
        for (arrival, inside) in [(440.9, false), (441.0, true), (893.9, true), (894.0, false)] {
            assert_eq!(columns.column(arrival).is_some(), inside, "{arrival}");
        }
        let (column, in_bin) = columns.column(500.25).expect("inside");
        assert!((in_bin - 0.25).abs() < 1e-9);
        assert_eq!(columns.time_bin(column), 497);
        let (last, _) = columns.column(893.9).expect("inside");
        assert!(last + BINS <= COLUMNS);
    }
}
