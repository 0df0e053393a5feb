//! Sorting by time within spans of it, whose digis fit into the first-level cache.
//!
//! Hits of one collision have about the same time, so times are clustered, and after buckets of
//! coarse time there would be much to insert. Radix sort, least significant digit first, is not
//! affected: its digits are so large that the times of a span differ in only one or two of them.

use std::ops::Range;

use generators_sts::Digi;
use parallel::prefetch::prefetch;

use super::runs::Runs;
use crate::sts_sort::cpu::{ResultIn, radix};
use crate::sts_sort::order::ByTime;

/// The largest digit: its table takes 4 KB.
const MAX_BITS: u32 = 11;

/// Buffers reused from span to span.
#[derive(Default)]
struct Tables {
    counts: SmallCounts,
    between: Vec<Digi>,
}

/// Sorts digis into `target`, span by span of time, and by time within each span, in parts of about
/// this length that run in parallel; stable. Spans are the buckets of `runs`.
pub(in super::super) fn sort_spans(source: &[Digi], target: &mut [Digi], runs: &Runs, part: usize) {
    let mut target = target;
    let mut first = 0;
    rayon::scope(|scope| {
        for (digis, ends) in parts_of(runs.ends(), part) {
            let (sorted, more) = std::mem::take(&mut target).split_at_mut(digis.len());
            let spans = first..first + ends.len();
            first = spans.end;
            scope.spawn(move |_| sort_part(source, sorted, runs, spans));
            target = more;
        }
    });
}

fn sort_part(source: &[Digi], target: &mut [Digi], runs: &Runs, spans: Range<usize>) {
    let mut tables = Tables::default();
    let mut buffer = Vec::new();
    let mut target = target;
    for span in spans {
        let unsorted = runs.gather(source, span, &mut buffer);
        let (sorted, more) = target.split_at_mut(unsorted.len());
        tables.sort(unsorted, sorted);
        target = more;
    }
}

impl Tables {
    fn sort(&mut self, source: &[Digi], target: &mut [Digi]) {
        if source.len() > SmallCounts::LARGEST {
            return self.sort_many(source, target);
        }
        let (earliest, latest) = range(source);
        // No digi, or a single time.
        if earliest >= latest {
            return target.copy_from_slice(source);
        }
        let bits = (latest - earliest).ilog2() + 1;
        let digits = bits.div_ceil(MAX_BITS);
        let digit = Digit { earliest, bits: bits.div_ceil(digits), shift: 0 };
        self.between.resize(source.len(), Digi::default());
        let Tables { counts, between } = self;
        match digits {
            1 => scatter(source, target, counts, digit),
            2 => {
                scatter(source, between, counts, digit);
                scatter(between, target, counts, digit.next());
            }
            _ => {
                scatter(source, target, counts, digit);
                scatter(target, between, counts, digit.next());
                scatter(between, target, counts, digit.next().next());
            }
        }
    }

    /// More than fit a first-level cache, as of one time or nearly so.
    fn sort_many(&mut self, source: &[Digi], target: &mut [Digi]) {
        target.copy_from_slice(source);
        self.between.resize(source.len(), Digi::default());
        if radix::sort_segment::<ByTime>(target, &mut self.between, 1) == ResultIn::Scratch {
            target.copy_from_slice(&self.between);
        }
    }
}

/// The earliest and the latest time.
fn range(digis: &[Digi]) -> (u32, u32) {
    let none = (u32::MAX, 0);
    digis.iter().fold(none, |(earliest, latest), digi| {
        (earliest.min(digi.time_ns()), latest.max(digi.time_ns()))
    })
}

/// Some bits of the time since the earliest one.
#[derive(Clone, Copy)]
struct Digit {
    earliest: u32,
    bits: u32,
    shift: u32,
}

impl Digit {
    fn next(self) -> Self {
        Digit { shift: self.shift + self.bits, ..self }
    }

    fn values(self) -> usize {
        1 << self.bits
    }

    #[inline]
    fn value_of(self, digi: Digi) -> usize {
        ((digi.time_ns() - self.earliest) >> self.shift) as usize & (self.values() - 1)
    }
}

fn scatter(source: &[Digi], target: &mut [Digi], counts: &mut SmallCounts, digit: Digit) {
    counts.scatter(source, target, digit.values(), |digi| digit.value_of(digi));
}

/// Consecutive groups in parts of at least `part` digis each, except the last: the digis of a part,
/// and the ends of its groups. `ends` are the ends of all groups.
pub(in crate::sts_sort::cpu) fn parts_of(
    ends: &[usize],
    part: usize,
) -> impl Iterator<Item = (Range<usize>, &[usize])> {
    let mut start = 0;
    let mut ends = ends;
    std::iter::from_fn(move || {
        let enough = ends.partition_point(|&end| end < start + part) + 1;
        let (mine, others) = ends.split_at(enough.min(ends.len()));
        let digis = start..*mine.last()?;
        (start, ends) = (digis.end, others);
        Some((digis, mine))
    })
}

/// Digis of a cache line.
const LINE: usize = 8;

/// A word with the count 1 in all four lanes.
const IN_EACH_LANE: u64 = 0x0001_0001_0001_0001;

/// A table of counts that is used again and again.
#[derive(Default)]
pub(in crate::sts_sort::cpu) struct SmallCounts {
    words: Vec<u64>,
}

impl SmallCounts {
    /// Largest number of items that can be counted.
    pub(in crate::sts_sort::cpu) const LARGEST: usize = u16::MAX as usize;

    /// A table of zeros, for at least `buckets` buckets.
    fn clear(&mut self, buckets: usize) -> &mut [u16] {
        self.words.clear();
        self.words.resize(buckets.div_ceil(4), 0);
        bytemuck::cast_slice_mut(&mut self.words)
    }

    /// Scatters digis into buckets below `buckets`; stable. There are no more digis than can be
    /// counted.
    #[inline]
    pub(in crate::sts_sort::cpu) fn scatter(
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
    fn parts_have_whole_groups_and_all_of_them() {
        let ends = [3, 3, 5, 9, 9, 10];
        let parts = |part| parts_of(&ends, part).collect::<Vec<_>>();
        assert_eq!(parts(4), [(0..5, &ends[..3]), (5..9, &ends[3..4]), (9..10, &ends[4..])]);
        assert_eq!(parts(100), [(0..10, &ends[..])]);
        assert_eq!(parts_of(&[], 4).count(), 0);
    }

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
