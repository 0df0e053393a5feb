//! Digests: an output as a few numbers, computed where it lies and compared elsewhere.
//!
//! An output consists of segments of one or two kinds of items, such as clusters by module side and
//! hits by module. Each item has a hash of its bits and its segment, and a segment has the sum of
//! these, so the order of items in a segment does not matter. A digest may cover some of the
//! segments only, which limits its cost.

use std::iter::Sum;

use parallel::map;

/// Difference between the constants that are added to neighbouring words of an item.
pub const WORD_STEP: u32 = 0x9E37_79B9;
/// Mixes the bits of an item's products.
pub const ITEM_MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
/// Mixes the bits of segment indices.
pub const SEGMENT_MULTIPLIER: u64 = 0xD1B5_4A32_D192_ED03;

/// Number of kinds of items in an output.
pub const KINDS: usize = 2;

/// Segments that a digest covers: every `stride`-th from `first` on, of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments {
    first: usize,
    stride: usize,
}

impl Segments {
    /// All segments.
    pub const ALL: Self = Segments { first: 0, stride: 1 };
    /// No segment: a digest has counts only.
    pub const NONE: Self = Segments { first: usize::MAX, stride: 0 };

    /// Every `stride`-th segment, with an offset of `turn`: `stride` turns cover all. A stride of 0
    /// covers none.
    pub fn every(stride: usize, turn: usize) -> Self {
        match turn.checked_rem(stride) {
            Some(first) => Segments { first, stride },
            None => Segments::NONE,
        }
    }

    /// Index of the first segment that is covered.
    pub fn first(self) -> usize {
        self.first
    }

    /// Distance between segments that are covered; 0 if none is.
    pub fn stride(self) -> usize {
        self.stride
    }

    /// Indices of the segments that are covered, of `count`.
    pub fn indices(self, count: usize) -> impl Iterator<Item = usize> {
        (self.first..count).step_by(self.stride.max(1))
    }
}

/// An output as a few numbers.
///
/// Two outputs that the task's check accepts as equal have equal digests of all segments, whatever
/// the order of items in a segment. Outputs that it distinguishes have equal digests by coincidence
/// only: a single changed word changes the hash of its item except for one value in 2³² of the
/// neighbouring word, and sums agree with a probability of 2⁻⁶⁴.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digest {
    /// Items of each kind, of all segments.
    pub counts: [u64; KINDS],
    /// Sum of the hashes of all items in the covered segments.
    pub sum: u64,
}

impl Sum for Digest {
    /// The digest of several outputs, or of parts of one.
    fn sum<I: Iterator<Item = Digest>>(all: I) -> Self {
        all.fold(Digest::default(), |sum, other| Digest {
            counts: std::array::from_fn(|kind| sum.counts[kind] + other.counts[kind]),
            sum: sum.sum.wrapping_add(other.sum),
        })
    }
}

/// Sums of all segments of an output, from which the digest of any segments follows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SegmentSums {
    counts: [u64; KINDS],
    /// By kind and segment.
    sums: [Vec<u64>; KINDS],
}

impl SegmentSums {
    /// Adds the sums of the segments of a kind, which hold `items` items together.
    pub fn add(&mut self, kind: usize, items: usize, sums: Vec<u64>) {
        self.counts[kind] += items as u64;
        self.sums[kind].extend(sums);
    }

    /// Items of each kind.
    pub fn counts(&self) -> [u64; KINDS] {
        self.counts
    }

    /// Largest number of segments of any kind.
    pub fn segments(&self) -> usize {
        self.sums.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The digest of some of the segments.
    pub fn digest(&self, segments: Segments) -> Digest {
        let covered = self
            .sums
            .iter()
            .flat_map(|sums| segments.indices(sums.len()).map(move |segment| sums[segment]));
        Digest { counts: self.counts, sum: covered.fold(0, u64::wrapping_add) }
    }
}

/// Sums of segments, whose items are given by index; several threads sum different segments.
pub fn segment_sums<I, N, F>(
    kind: usize,
    covered: impl Iterator<Item = usize>,
    items_of: F,
) -> Vec<u64>
where
    I: IntoIterator<Item = N>,
    N: ItemWords,
    F: Fn(usize) -> I + Sync,
{
    let sum = |segment: usize| {
        let salt = segment_salt(kind, segment);
        let numbers = items_of(segment).into_iter().map(|item| item.sum(salt));
        numbers.fold(0, u64::wrapping_add)
    };
    let covered: Vec<usize> = covered.collect();
    // Waking other threads takes longer than one segment.
    if covered.len() < 2 {
        return covered.into_iter().map(sum).collect();
    }
    map(covered, sum)
}

/// Start value of the hashes of items in a segment.
fn segment_salt(kind: usize, segment: usize) -> u64 {
    (KINDS as u64 * segment as u64 + kind as u64 + 1).wrapping_mul(SEGMENT_MULTIPLIER)
}

/// The words of an item, an even number of them.
pub trait ItemWords {
    /// Hash of the item in a segment with this salt.
    fn sum(&self, salt: u64) -> u64;
}

impl<T: ItemWords> ItemWords for &T {
    #[inline]
    fn sum(&self, salt: u64) -> u64 {
        T::sum(self, salt)
    }
}

impl<const N: usize> ItemWords for [u32; N] {
    #[inline]
    fn sum(&self, salt: u64) -> u64 {
        const { assert!(N.is_multiple_of(2), "words are multiplied in pairs") };
        let mut sum = salt;
        for (pair, words) in self.chunks_exact(2).enumerate() {
            let key = |word: usize| WORD_STEP.wrapping_mul((2 * pair + word + 1) as u32);
            let [left, right] = [0, 1].map(|word| u64::from(words[word].wrapping_add(key(word))));
            sum = sum.wrapping_add(left.wrapping_mul(right));
        }
        sum = sum.wrapping_mul(ITEM_MULTIPLIER);
        sum ^ sum >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(segments: &[&[[u32; 2]]]) -> Digest {
        let mut sums = SegmentSums::default();
        let items = segments.iter().map(|items| items.len()).sum();
        sums.add(0, items, segment_sums(0, 0..segments.len(), |at| segments[at].to_vec()));
        sums.digest(Segments::ALL)
    }

    #[test]
    fn only_the_order_in_a_segment_is_ignored() {
        let right = digest(&[&[[1, 2], [3, 4]], &[[5, 6]]]);
        assert_eq!(digest(&[&[[3, 4], [1, 2]], &[[5, 6]]]), right);
        let elsewhere = digest(&[&[[1, 2], [5, 6]], &[[3, 4]]]);
        let crossed = digest(&[&[[1, 4], [3, 2]], &[[5, 6]]]);
        let turned = digest(&[&[[2, 1], [3, 4]], &[[5, 6]]]);
        let doubled = digest(&[&[[1, 2], [1, 2]], &[[5, 6]]]);
        let shorter = digest(&[&[[1, 2], [3, 4]], &[]]);
        for wrong in [elsewhere, crossed, turned, doubled, shorter] {
            assert_ne!(wrong, right);
        }
    }

    #[test]
    fn every_bit_of_an_item_counts() {
        let item = [7, 0, u32::MAX, 1 << 31];
        for bit in 0..128 {
            let mut other = item;
            other[bit / 32] ^= 1 << (bit % 32);
            assert_ne!(item.sum(5), other.sum(5), "{bit}");
        }
    }

    #[test]
    fn kinds_and_segments_have_different_salts() {
        let mut salts: Vec<u64> =
            (0..KINDS).flat_map(|kind| (0..2000).map(move |at| segment_salt(kind, at))).collect();
        salts.sort_unstable();
        salts.dedup();
        assert_eq!(salts.len(), 2000 * KINDS);
    }

    #[test]
    fn turns_cover_each_segment_once() {
        let mut sums = SegmentSums::default();
        sums.add(0, 9, (1..=7).collect());
        sums.add(1, 4, vec![100, 200]);
        let all = sums.digest(Segments::ALL);
        assert_eq!(all, Digest { counts: [9, 4], sum: 328 });
        let turns = (10..13).map(|turn| sums.digest(Segments::every(3, turn)));
        assert_eq!(turns.map(|digest| digest.sum).sum::<u64>(), all.sum);
        assert_eq!(sums.digest(Segments::every(50, 49)), Digest { sum: 0, ..all });
        assert_eq!(sums.segments(), 7);
        assert_eq!(Segments::every(0, 3), Segments::NONE);
        assert_eq!(sums.digest(Segments::NONE), Digest { sum: 0, ..all });
    }
}
