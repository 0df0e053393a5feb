//! Pixels of an event, in order of sensors and columns.

use super::deposits::Deposits;
use super::patch::Patch;
use super::random::Random;
use super::response::Crossings;

/// Bits of a key that are sorted at a time, and the number of their values.
const DIGIT_BITS: u32 = 9;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Patches of an event.
#[derive(Default)]
pub(super) struct EventPixels {
    /// Patches in the order of the particles.
    pub patches: Vec<Patch>,
    /// Crossings whose pixels are not among the patches yet.
    pub crossings: Crossings,
    deposits: Deposits,
    sorted: Vec<Patch>,
}

impl EventPixels {
    /// Adds the pixels of the crossings to the patches.
    pub(super) fn add_crossings(&mut self, random: &mut Random) {
        self.crossings.drain(random, &mut self.deposits, &mut self.patches);
    }

    /// Brings the patches in the order of sensors and columns; those of a column stay in order.
    pub(super) fn sort(&mut self) -> &[Patch] {
        self.sorted.resize(self.patches.len(), Patch::NONE);
        let mut counts = [[0; DIGITS]; 2];
        for patch in &self.patches {
            counts[0][digit(*patch, 0)] += 1;
            counts[1][digit(*patch, DIGIT_BITS)] += 1;
        }
        sort_by_digit(&self.patches, &mut self.sorted, 0, counts[0]);
        sort_by_digit(&self.sorted, &mut self.patches, DIGIT_BITS, counts[1]);
        &self.patches
    }
}

/// Part of a patch's key.
#[inline]
fn digit(patch: Patch, shift: u32) -> usize {
    patch.key() >> shift & (DIGITS - 1)
}

/// Sorts by a digit of the key, of whose values there are `counts`; patches with the same one stay in order.
fn sort_by_digit(from: &[Patch], to: &mut [Patch], shift: u32, counts: [u32; DIGITS]) {
    let mut start = 0;
    let mut ends = counts;
    for end in &mut ends {
        start += std::mem::replace(end, start);
    }
    for patch in from {
        let end = &mut ends[digit(*patch, shift)];
        to[*end as usize] = *patch;
        *end += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_are_sorted_by_sensor_and_column() {
        let patch = |index: u32| {
            let bits = generators_common::random::hash(1, [index.into()]);
            let sensor = (bits % 208) as u16;
            Patch::new(sensor, index).with_pixels(
                (bits >> 8) as usize % 768,
                index as usize % 256,
                1,
            )
        };
        let mut pixels =
            EventPixels { patches: (0..5000).map(patch).collect(), ..EventPixels::default() };
        let mut expected = pixels.patches.clone();
        expected.sort_by_key(|patch| (patch.sensor(), patch.column()));
        assert_eq!(pixels.sort(), expected);
    }
}
