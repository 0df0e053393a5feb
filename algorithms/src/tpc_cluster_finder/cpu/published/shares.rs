//! Stage that divides charges among the peaks that claim them.

use super::maps::{ABOVE, AT_PEAK, DIVIDED, PEAK, plus};
use super::work::FragmentContext;
use crate::parallel::{Grain, for_each_range};
use crate::tpc_cluster_finder::directions::{DIRECTIONS, RING, Step};
use crate::tpc_decode::Position;

impl FragmentContext<'_> {
    /// Divides the charge of each position, in the map.
    pub(super) fn divide(&self, positions: &[Position]) {
        for_each_range(positions.len(), Grain::Adaptive, |range| {
            for &position in &positions[range] {
                if position.time >= 0 {
                    self.maps.set_charge(position, self.share(position));
                }
            }
        });
    }

    fn share(&self, position: Position) -> u16 {
        let charge = self.maps.charge(position);
        let is_peak = |step| self.maps.peak(plus(position, step)) & PEAK != 0;
        if is_peak((0, 0)) {
            return charge | AT_PEAK;
        }
        let adjacent = DIRECTIONS.iter().filter(|(step, _)| is_peak(*step)).count() as u16;
        if adjacent > 0 {
            return part(charge, adjacent) | AT_PEAK;
        }
        let reaches = |(a, b): &Step| {
            is_peak((*a, *b)) && self.maps.peak(plus(position, (a / 2, b / 2))) & ABOVE != 0
        };
        part(charge, RING.iter().filter(|step| reaches(step)).count() as u16)
    }
}

/// An equal part for each of `peaks` peaks.
fn part(charge: u16, peaks: u16) -> u16 {
    let flag = if peaks > 1 { DIVIDED } else { 0 };
    (charge / peaks.max(1)) | flag
}
