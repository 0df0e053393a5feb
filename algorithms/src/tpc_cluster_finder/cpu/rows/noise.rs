//! Suppresses peaks that are bumps on the slopes of larger ones.

use super::bits::{WORD, for_each_set, window};
use super::strip::Strip;
use crate::tpc_cluster_finder::settings::is_valley;

/// Time bins on either side in which larger peaks are searched.
const TIMES: i32 = 3;
/// Time bins that are searched, on the pad of a peak and the adjacent ones: peaks are never
/// neighbours.
const NEAR: u64 = 0b110_0011;
/// Time bins that are searched two pads away.
const FAR: u64 = 0b111_1111;

impl Strip<'_> {
    /// Removes the peaks that are noise.
    pub(super) fn suppress_noise(&mut self) {
        self.kept.copy_from_slice(self.raw);
        for word in self.words() {
            for_each_set(self.raw[word], word * WORD, |cell| {
                if self.is_noise(cell) {
                    self.kept[word] &= !(1 << (cell % WORD));
                }
            });
        }
    }

    #[inline]
    fn is_noise(&self, peak: usize) -> bool {
        let others = |pads: i32| {
            let mask = if pads.abs() == 2 { FAR } else { NEAR };
            window(self.raw, self.plus(peak, (pads, -TIMES)), mask)
        };
        let others = [-2, -1, 0, 1, 2].map(others);
        if others == [0; 5] {
            return false;
        }
        others.into_iter().zip(-2..).any(|(others, pads)| {
            let mut is_noise = false;
            for_each_set(others, 0, |time| {
                is_noise |= self.hides(peak, (pads, time as i32 - TIMES));
            });
            is_noise
        })
    }

    /// True if the peak a step away is larger, and no valley lies between.
    fn hides(&self, peak: usize, step: (i32, i32)) -> bool {
        let charge = self.charge(peak);
        let is_valley =
            |step| is_valley(charge, self.charge(self.plus(peak, step)), self.row.settings);
        let towards = (step.0.signum(), step.1.signum());
        let behind = (towards.0, 2 * towards.1);
        self.charge(self.plus(peak, step)) > charge
            && !is_valley(towards)
            && !(step.1.abs() == TIMES && is_valley(behind))
    }
}
