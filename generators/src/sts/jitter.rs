//! Disorder of a bounded size: digis up to N places from where they belong.

use super::Digi;
use crate::random::{below, mix};

/// Moves each digi of a time-ordered segment up to `places` places.
///
/// Digi `i` draws a slot between `i` and `i + places`; the digis arrive by
/// slot. Whoever is more than `places` before or after it therefore stays so.
/// The slots are a function of the seed and the position.
pub(super) struct Displacer {
    places: usize,
    seed: u64,
    /// Digis that have a slot but have not arrived, with their slots (counted
    /// from `emitted`).
    waiting: Vec<Digi>,
    slots: Vec<u32>,
    /// Digis admitted so far.
    admitted: usize,
    /// Slots below this have been emptied.
    emitted: usize,
    /// Where the digis of each slot go; reused.
    positions: Vec<u32>,
}

impl Displacer {
    /// For one segment.
    pub(super) fn new(places: u32, seed: u64) -> Self {
        Displacer {
            places: places as usize,
            seed,
            waiting: Vec::new(),
            slots: Vec::new(),
            admitted: 0,
            emitted: 0,
            positions: Vec::new(),
        }
    }

    /// Takes the next digis in time order; an even number but for the last time.
    pub(super) fn admit(&mut self, digis: &[Digi]) {
        debug_assert!(self.admitted.is_multiple_of(2), "slots are drawn in pairs");
        let range = self.places as u64 + 1;
        let known = self.slots.len();
        self.slots.resize(known + digis.len().next_multiple_of(2), 0);
        for (pair, slots) in self.slots[known..].chunks_exact_mut(2).enumerate() {
            let first = self.admitted + 2 * pair;
            let bits = mix(self.seed ^ first as u64);
            let slot = (first - self.emitted) as u32;
            slots[0] = slot + below(bits as u32, range) as u32;
            slots[1] = slot + 1 + below((bits >> 32) as u32, range) as u32;
        }
        self.waiting.extend_from_slice(digis);
        self.slots.truncate(self.waiting.len());
        self.admitted += digis.len();
    }

    /// Writes the digis that nobody still to come can overtake to the
    /// beginning of `output` and says how many they are.
    pub(super) fn emit(&mut self, output: &mut [Digi]) -> usize {
        self.emit_below(self.admitted, output)
    }

    /// Writes all digis that are left.
    pub(super) fn emit_rest(&mut self, output: &mut [Digi]) {
        self.emit_below(self.admitted + self.places, output);
    }

    /// Writes the digis with a slot below `limit`, by slot: a stable counting sort.
    fn emit_below(&mut self, limit: usize, output: &mut [Digi]) -> usize {
        let width = limit - self.emitted;
        let arriving = self.count_slots(width);
        let mut kept = 0;
        let (slots, waiting) = (&mut self.slots, &mut self.waiting);
        for i in 0..waiting.len() {
            let (slot, digi) = (slots[i], waiting[i]);
            if let Some(position) = self.positions.get_mut(slot as usize) {
                output[*position as usize] = digi;
                *position += 1;
            } else {
                slots[kept] = slot - width as u32;
                waiting[kept] = digi;
                kept += 1;
            }
        }
        self.slots.truncate(kept);
        self.waiting.truncate(kept);
        self.emitted = limit;
        arriving as usize
    }

    /// Sets the position of the first digi of each slot below `width`; returns
    /// how many digis there are in those slots.
    fn count_slots(&mut self, width: usize) -> u32 {
        self.positions.clear();
        self.positions.resize(width, 0);
        for &slot in &self.slots {
            if let Some(count) = self.positions.get_mut(slot as usize) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for position in &mut self.positions {
            sum += std::mem::replace(position, sum);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: usize = 1000;

    fn displace(digis: &mut [Digi], places: u32, seed: u64) {
        let mut displacer = Displacer::new(places, seed);
        let mut written = 0;
        for start in (0..digis.len()).step_by(BLOCK) {
            let end = digis.len().min(start + BLOCK);
            displacer.admit(&digis[start..end]);
            written += displacer.emit(&mut digis[written..]);
        }
        displacer.emit_rest(&mut digis[written..]);
    }

    fn ordered(length: usize) -> Vec<Digi> {
        (0..length as u64).map(Digi::from_bits).collect()
    }

    #[test]
    fn nobody_moves_further_than_allowed() {
        for (length, places) in [(0, 5), (1, 5), (100, 7), (20_000, 64), (19_999, 9000)] {
            let mut digis = ordered(length);
            displace(&mut digis, places, 3);
            let distance = |(i, digi): (usize, &Digi)| (digi.bits() as usize).abs_diff(i);
            let furthest = digis.iter().enumerate().map(distance).max().unwrap_or(0);
            assert!(furthest <= places as usize, "{length} {places} {furthest}");
            let mut values: Vec<_> = digis.iter().map(|digi| digi.bits()).collect();
            values.sort_unstable();
            assert!(values.into_iter().eq(0..length as u64));
        }
    }

    #[test]
    fn most_of_the_allowed_distance_is_used_across_blocks_too() {
        let mut digis = ordered(3 * BLOCK);
        displace(&mut digis, 64, 3);
        let moved = |i: &usize| digis[*i].bits() as usize != *i;
        assert!((0..digis.len()).filter(moved).count() > digis.len() / 2);
        let crossed = (0..BLOCK).filter(|&i| digis[i].bits() as usize >= BLOCK);
        assert!(crossed.count() > 5);
    }

    #[test]
    fn no_places_no_change() {
        let mut digis = ordered(10_000);
        displace(&mut digis, 0, 3);
        assert_eq!(digis, ordered(10_000));
    }

    #[test]
    fn there_may_be_more_places_than_digis() {
        let mut digis = ordered(100);
        displace(&mut digis, 100_000, 3);
        assert_ne!(digis, ordered(100));
    }
}
