//! Stage that suppresses peaks that are bumps on the slopes of larger ones.

use super::maps::{ABOVE, Maps, PEAK, plus};
use super::work::{FragmentContext, each_of};
use crate::parallel::{Grain, for_each_range};
use crate::tpc_cluster_finder::settings::is_valley;
use crate::tpc_decode::Position;

impl FragmentContext<'_> {
    /// Marks the peaks that are not suppressed.
    pub(super) fn suppress_noise(&self, raw: &[Position], predicate: &mut [u8]) {
        each_of(predicate, |index| u8::from(!self.is_noise(raw[index])));
    }

    fn is_noise(&self, peak: Position) -> bool {
        let charge = self.maps.charge(peak);
        let mut near = (-2..=2).flat_map(|a: i16| (-3..=3).map(move |b: i16| (a, b)));
        near.any(|(a, b)| {
            let other = plus(peak, (a, b));
            (a.abs() >= 2 || b.abs() >= 2)
                && self.maps.peak(other) & PEAK != 0
                && self.maps.charge(other) > charge
                && !self.is_valley_at(peak, charge, (a.signum(), b.signum()))
                && !(b.abs() == 3 && self.is_valley_at(peak, charge, (a.signum(), 2 * b.signum())))
        })
    }

    fn is_valley_at(&self, peak: Position, charge: u16, step: (i16, i16)) -> bool {
        let between = self.maps.charge(plus(peak, step));
        is_valley(charge.into(), between.into(), self.settings)
    }
}

impl Maps<'_> {
    /// Keeps only the marked peaks in the map.
    pub(super) fn update(&self, raw: &[Position], predicate: &[u8]) {
        for_each_range(raw.len(), Grain::Adaptive, |range| {
            for index in range {
                self.set_peak(raw[index], (predicate[index] * PEAK) | ABOVE);
            }
        });
    }
}
