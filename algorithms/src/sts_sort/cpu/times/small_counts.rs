//! Counts of 16 bits, four in a word.

use generators::sts::Digi;

use crate::prefetch::prefetch;

/// Digis of a cache line.
const LINE: usize = 8;

/// A word with the count 1 in all four lanes.
const IN_EACH_LANE: u64 = 0x0001_0001_0001_0001;

/// A table of counts that is used again and again.
#[derive(Default)]
pub(in super::super) struct SmallCounts {
    words: Vec<u64>,
}

impl SmallCounts {
    /// Largest number of items that can be counted.
    pub(in super::super) const LARGEST: usize = u16::MAX as usize;

    /// A table of zeros, for at least `buckets` buckets.
    fn clear(&mut self, buckets: usize) -> &mut [u16] {
        self.words.clear();
        self.words.resize(buckets.div_ceil(4), 0);
        bytemuck::cast_slice_mut(&mut self.words)
    }

    /// Scatters digis into buckets below `buckets`; stable. There are no more digis than can be
    /// counted.
    #[inline]
    pub(in super::super) fn scatter(
        &mut self,
        source: &[Digi],
        target: &mut [Digi],
        buckets: usize,
        bucket: impl Fn(Digi) -> usize,
    ) {
        let offsets = self.clear(buckets);
        for (line, digis) in source.chunks(LINE).enumerate() {
            // The destination is then cached, in whatever order it is written.
            prefetch(target, LINE * line);
            digis.iter().for_each(|&digi| offsets[bucket(digi)] += 1);
        }
        let offsets = self.begin();
        for &digi in source {
            let offset = &mut offsets[bucket(digi)];
            target[usize::from(*offset)] = digi;
            *offset += 1;
        }
    }

    /// Turns the counts into offsets of buckets (exclusive scan).
    ///
    /// Multiplying a word by 1 in each lane gives in each lane the sum of the lanes up to it: four
    /// sums for one step of the dependency chain. (On big-endian machines the first bucket is in
    /// the highest lane; they take single steps.)
    fn begin(&mut self) -> &mut [u16] {
        let mut sum = 0_u64;
        if cfg!(target_endian = "little") {
            for word in &mut self.words {
                let sums = word.wrapping_mul(IN_EACH_LANE);
                *word = (sums << 16).wrapping_add(sum * IN_EACH_LANE);
                sum += sums >> 48;
            }
        } else {
            for count in bytemuck::cast_slice_mut::<_, u16>(&mut self.words) {
                sum += u64::from(std::mem::replace(count, sum as u16));
            }
        }
        bytemuck::cast_slice_mut(&mut self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_become_offsets() {
        for buckets in [1, 3, 4, 5, 1000] {
            let mut counts = SmallCounts::default();
            let count = |bucket: usize| (bucket * 37 % 11) as u16;
            let table = counts.clear(buckets);
            (0..buckets).for_each(|bucket| table[bucket] = count(bucket));
            let offsets = counts.begin();
            let mut sum = 0;
            for (bucket, index) in offsets[..buckets].iter().enumerate() {
                assert_eq!(*index, sum, "{bucket} of {buckets}");
                sum += count(bucket);
            }
        }
    }

    #[test]
    fn the_largest_count_fits() {
        let mut counts = SmallCounts::default();
        counts.clear(8)[2] = u16::MAX;
        let offsets = counts.begin();
        assert_eq!(offsets, [0, 0, 0, u16::MAX, u16::MAX, u16::MAX, u16::MAX, u16::MAX]);
        assert!(counts.clear(8).iter().all(|&count| count == 0));
    }
}
