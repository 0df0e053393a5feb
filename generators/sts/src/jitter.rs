//! Disorder of a bounded size: each digi is moved by up to N indices.

use generators_common::random::{below, mix};

use super::Digi;

/// Minimum number of digis handled together: few enough for the caches, and many enough that the
/// waiting ones are few in comparison.
const BATCH: usize = 512;

/// Moves each digi of a time-ordered segment by up to `distance` indices.
///
/// Digi `i` draws a slot between `i` and `i + distance`; the digis arrive by slot. Two digis more
/// than `distance` apart therefore keep their order. The slots are a function of the seed and the
/// index.
pub(super) struct ArrivalJitter<'a> {
    distance: usize,
    seed: u64,
    /// Digis that have a slot but have not arrived, with their slots (counted
    /// from `emitted`).
    waiting: Vec<Digi>,
    slots: Vec<u32>,
    /// Number of waiting digis in each slot.
    counts: Vec<u32>,
    /// Output index of the next digi of each slot; reused.
    positions: Vec<u32>,
    /// Digis admitted so far.
    admitted: usize,
    /// Slots below this have been emptied.
    emitted: usize,
    /// Output of the digis that have not arrived.
    output: &'a mut [Digi],
}

impl<'a> ArrivalJitter<'a> {
    /// Creates the jitter of one segment, which fills `output`.
    pub(super) fn new(distance: u32, seed: u64, output: &'a mut [Digi]) -> Self {
        ArrivalJitter {
            distance: distance as usize,
            seed,
            waiting: Vec::new(),
            slots: Vec::new(),
            counts: Vec::new(),
            positions: Vec::new(),
            admitted: 0,
            emitted: 0,
            output,
        }
    }

    /// Takes the next digis in time order; a multiple of `BATCH` but for the last time.
    pub(super) fn admit(&mut self, digis: &[Digi]) {
        debug_assert!(self.admitted.is_multiple_of(BATCH), "slots are drawn in batches");
        for batch in digis.chunks(BATCH) {
            self.admit_batch(batch);
            // Digis that wait are moved each time: not too often, then.
            if self.admitted - self.emitted >= self.distance {
                self.emit_below(self.admitted);
            }
        }
    }

    /// Writes all remaining digis.
    pub(super) fn finish(mut self) {
        self.emit_below(self.admitted + self.distance);
        debug_assert!(self.output.is_empty(), "fewer digis than the length of the output");
    }

    fn admit_batch(&mut self, digis: &[Digi]) {
        let known = self.slots.len();
        self.waiting.extend_from_slice(digis);
        self.draw(digis.len());
        self.admitted += digis.len();
        self.counts.resize(self.admitted - self.emitted + self.distance, 0);
        for slot in &self.slots[known..] {
            self.counts[*slot as usize] += 1;
        }
    }

    /// Draws the slots of the next digis.
    fn draw(&mut self, count: usize) {
        let range = self.distance as u64 + 1;
        let known = self.slots.len();
        self.slots.resize(known + count.next_multiple_of(2), 0);
        for (pair, slots) in self.slots[known..].chunks_exact_mut(2).enumerate() {
            let first = self.admitted + 2 * pair;
            let bits = mix(self.seed ^ first as u64);
            let slot = (first - self.emitted) as u32;
            slots[0] = slot + below(bits as u32, range) as u32;
            slots[1] = slot + 1 + below((bits >> 32) as u32, range) as u32;
        }
        self.slots.truncate(known + count);
    }

    /// Writes the digis with a slot below `limit`, by slot: a stable counting sort.
    fn emit_below(&mut self, limit: usize) {
        let width = limit - self.emitted;
        let arriving = self.sum_counts(width);
        let positions = &mut self.positions[..];
        let output = std::mem::take(&mut self.output);
        let mut write = |digi: Digi, slot: u32| {
            let index = positions[slot as usize];
            positions[slot as usize] = index + 1;
            output[index as usize] = digi;
        };
        // Only the last ones can have drawn a later slot.
        let certain = self.waiting.len().saturating_sub(self.distance);
        for (digi, slot) in self.waiting[..certain].iter().zip(&self.slots) {
            write(*digi, *slot);
        }
        // All remaining digis are written, because a branch would be unpredictable: those that
        // don't arrive are written after the end of those that do, and overwritten later.
        let mut remaining = 0;
        for i in certain..self.waiting.len() {
            let digi = self.waiting[i];
            let slot = self.slots[i];
            write(digi, slot);
            self.waiting[remaining] = digi;
            self.slots[remaining] = slot.wrapping_sub(width as u32);
            remaining += usize::from(slot as usize >= width);
        }
        self.waiting.truncate(remaining);
        self.slots.truncate(remaining);
        self.counts.drain(..width.min(self.counts.len()));
        self.emitted = limit;
        self.output = &mut output[arriving..];
    }

    /// Finds where the digis of each slot go, and how many there are in the first `width` slots.
    fn sum_counts(&mut self, width: usize) -> usize {
        let mut sum = 0;
        self.positions.clear();
        self.positions.extend(self.counts.iter().map(|count| {
            let position = sum;
            sum += count;
            position
        }));
        self.positions.get(width).copied().unwrap_or(sum) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: usize = 4 * BATCH;

    fn displace(digis: &mut [Digi], distance: u32, seed: u64) {
        let ordered = digis.to_vec();
        let mut jitter = ArrivalJitter::new(distance, seed, digis);
        ordered.chunks(BLOCK).for_each(|block| jitter.admit(block));
        jitter.finish();
    }

    fn ordered(length: usize) -> Vec<Digi> {
        (0..length as u64).map(Digi::from_bits).collect()
    }

    #[test]
    fn no_digi_moves_further_than_allowed() {
        for (length, distance) in [(0, 5), (1, 5), (100, 7), (20_000, 64), (19_999, 9000)] {
            let mut digis = ordered(length);
            displace(&mut digis, distance, 3);
            let moved = |(i, digi): (usize, &Digi)| (digi.bits() as usize).abs_diff(i);
            let furthest = digis.iter().enumerate().map(moved).max().unwrap_or(0);
            assert!(furthest <= distance as usize, "{length} {distance} {furthest}");
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
    fn distance_0_changes_nothing() {
        let mut digis = ordered(10_000);
        displace(&mut digis, 0, 3);
        assert_eq!(digis, ordered(10_000));
    }

    #[test]
    fn the_distance_may_exceed_the_segment() {
        let mut digis = ordered(100);
        displace(&mut digis, 100_000, 3);
        assert_ne!(digis, ordered(100));
    }
}
