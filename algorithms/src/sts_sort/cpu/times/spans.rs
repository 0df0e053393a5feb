//! Sorting by time within spans of it, whose digis fit into the first-level cache.
//!
//! Hits of one collision have about the same time, so times are clustered, and after buckets of
//! coarse time there would be much to insert. Radix sort, least significant digit first, is not
//! affected: its digits are so large that the times of a span differ in only one or two of them.

use std::ops::Range;

use generators::sts::Digi;

use super::parts::parts_of;
use super::runs::Runs;
use super::small_counts::SmallCounts;
use crate::sts_sort::cpu::radix;
use crate::sts_sort::cpu::two_arrays::ResultIn;
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
