//! Stage that finds peaks among the samples.

use super::maps::{ABOVE, PEAK, plus};
use super::work::{FragmentContext, each_of};
use crate::tpc_cluster_finder::directions::Step;
use crate::tpc_cluster_finder::settings::sixteenths;
use crate::tpc_decode::Position;

/// Neighbours that a peak may equal,
const BEFORE: [Step; 4] = [(-1, -1), (-1, 0), (-1, 1), (0, -1)];
/// and those that it must be larger than.
const BEHIND: [Step; 4] = [(0, 1), (1, -1), (1, 0), (1, 1)];

impl FragmentContext<'_> {
    /// Marks the samples that are peaks, and sets their flags in the map.
    pub(super) fn find_peaks(&self, positions: &[Position], predicate: &mut [u8]) {
        let settings = self.settings;
        let cutoff = sixteenths(settings.qmax_cutoff) as u16;
        let inner = sixteenths(settings.inner_threshold) as u16;
        each_of(predicate, |index| {
            let position = positions[index];
            if position.time < 0 {
                return 0;
            }
            let is_noisy = self.is_noisy[position.column as usize];
            let charge = if is_noisy { 0 } else { self.maps.charge(position) };
            let is_peak = u8::from(charge > cutoff && self.is_largest(position, charge));
            let above = u8::from(charge > inner) * ABOVE;
            self.maps.set_peak(position, (is_peak * PEAK) | above);
            is_peak
        });
    }

    fn is_largest(&self, position: Position, charge: u16) -> bool {
        let of = |step: &Step| self.maps.charge(plus(position, *step));
        BEFORE.iter().all(|step| charge >= of(step)) && BEHIND.iter().all(|step| charge > of(step))
    }
}
