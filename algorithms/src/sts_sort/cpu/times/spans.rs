//! Sorting by time within spans of it, whose digis fit the first-level cache.
//!
//! Hits of one collision have about the same time, so times clump, and coarse time alone would
//! leave much to insert. Radix sort, least significant digit first, does not care: its digits are
//! so large that one or two of them are all that the times of a span differ in.

use generators::sts::Digi;

use super::parts::parts_of;
use super::small_counts::SmallCounts;
use crate::sts_sort::cpu::radix;
use crate::sts_sort::cpu::two_arrays::ResultIn;
use crate::sts_sort::order::ByTime;

/// The largest digit: its table takes 4 KB.
const MAX_BITS: u32 = 11;

/// What is used again from span to span.
#[derive(Default)]
struct Tables {
    counts: SmallCounts,
    between: Vec<Digi>,
}

/// Sorts digis that lie span by span into `target`, by time within each span, in parts of about
/// this length that run in parallel; stable. `ends` are the places where spans end. What was in
/// `source` is lost.
pub(in super::super) fn sort_spans(
    source: &mut [Digi],
    target: &mut [Digi],
    ends: &[usize],
    part: usize,
) {
    let (mut source, mut target) = (source, target);
    rayon::scope(|scope| {
        for (digis, mine) in parts_of(ends, part) {
            let (unsorted, rest) = std::mem::take(&mut source).split_at_mut(digis.len());
            let (sorted, more) = std::mem::take(&mut target).split_at_mut(digis.len());
            let mine = mine.iter().map(move |end| end - digis.start);
            scope.spawn(move |_| sort_part(unsorted, sorted, mine));
            (source, target) = (rest, more);
        }
    });
}

fn sort_part(source: &mut [Digi], target: &mut [Digi], ends: impl Iterator<Item = usize>) {
    let mut tables = Tables::default();
    let mut start = 0;
    for end in ends {
        tables.sort(&mut source[start..end], &mut target[start..end]);
        start = end;
    }
}

impl Tables {
    fn sort(&mut self, source: &mut [Digi], target: &mut [Digi]) {
        if source.len() > SmallCounts::LARGEST {
            if radix::sort_segment::<ByTime>(source, target, 1) == ResultIn::Digis {
                target.copy_from_slice(source);
            }
            return;
        }
        let (earliest, latest) = range(source);
        // Of no digi, or of one time.
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
    fn of(self, digi: Digi) -> usize {
        ((digi.time_ns() - self.earliest) >> self.shift) as usize & (self.values() - 1)
    }
}

fn scatter(source: &[Digi], target: &mut [Digi], counts: &mut SmallCounts, digit: Digit) {
    counts.scatter(source, target, digit.values(), |digi| digit.of(digi));
}
