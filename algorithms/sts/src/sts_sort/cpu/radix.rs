//! Radix sort, least significant digit first, 8 bits a pass.
//!
//! A pass in which all digis have the same digit would move nothing and is
//! left out: that is how the significant bits are found.

use generators_sts::Digi;

use super::parts::Cost;
use super::segments::{Scratch, sort_segments};
use super::{ResultIn, scatter};
use crate::sts_sort::StsSort;
use crate::sts_sort::order::{ByChannelAndTime, Digit, MAX_DIGITS, Order};
use tasks::algorithm::Variant;

/// Sorts each segment between two buffers, as CUB's `DeviceSegmentedRadixSort` does.
pub(super) const SEGMENTED_RADIX: Variant<StsSort> = Variant::cpu(
    "segmented-radix",
    "LSD radix sort a segment, 8 bits a pass, between two buffers (as CUB)",
    |at| sort_segments(at, Scratch::Always, Cost::Linear, sort_segment::<ByChannelAndTime>),
);

const BUCKETS: usize = 256;

/// Up to here inserting one by one is faster than counting.
const INSERTION_LIMIT: usize = 40;

/// Sorts the digis of a segment, in `parts` parts.
pub(crate) fn sort_segment<O: Order>(
    digis: &mut [Digi],
    scratch: &mut [Digi],
    parts: usize,
) -> ResultIn {
    if parts == 1 { sort::<O>(digis, scratch) } else { sort_in_parts::<O>(digis, scratch, parts) }
}

#[inline]
fn bucket(digi: Digi, Digit { shift, bits }: Digit) -> usize {
    (digi.bits() >> shift) as usize & ((1 << bits) - 1)
}

/// Sorts stably by key. The scratch is as long as the digis.
fn sort<O: Order>(digis: &mut [Digi], scratch: &mut [Digi]) -> ResultIn {
    if digis.len() <= INSERTION_LIMIT {
        insertion_sort::<O>(digis);
        return ResultIn::Digis;
    }
    let counts = count_all_digits::<O>(digis);
    let mut source = digis;
    let mut target = scratch;
    let mut result = ResultIn::Digis;
    for (&digit, mut counts) in O::DIGITS.iter().zip(counts) {
        if counts[bucket(source[0], digit)] as usize == source.len() {
            continue;
        }
        scatter::begin(&mut counts);
        scatter::scatter(source, target, &mut counts, |digi| bucket(digi, digit));
        std::mem::swap(&mut source, &mut target);
        result = result.other();
    }
    result
}

/// Sorts digis in place; the scratch is overwritten.
pub(super) fn sort_in_place(digis: &mut [Digi], scratch: &mut [Digi]) {
    if sort::<ByChannelAndTime>(digis, scratch) == ResultIn::Scratch {
        digis.copy_from_slice(scratch);
    }
}

fn insertion_sort<O: Order>(digis: &mut [Digi]) {
    for end in 1..digis.len() {
        let digi = digis[end];
        let mut index = end;
        while index > 0 && O::key(digi) < O::key(digis[index - 1]) {
            digis[index] = digis[index - 1];
            index -= 1;
        }
        digis[index] = digi;
    }
}

/// Counts all digits in one go: they don't change while the digis move.
fn count_all_digits<O: Order>(digis: &[Digi]) -> [[u32; BUCKETS]; MAX_DIGITS] {
    let mut counts = [[0; BUCKETS]; MAX_DIGITS];
    for &digi in digis {
        for (&digit, counts) in O::DIGITS.iter().zip(&mut counts) {
            counts[bucket(digi, digit)] += 1;
        }
    }
    counts
}

/// Sorts with each pass split into parts that run in parallel.
fn sort_in_parts<O: Order>(digis: &mut [Digi], scratch: &mut [Digi], parts: usize) -> ResultIn {
    let part = digis.len().div_ceil(parts);
    let mut source = digis;
    let mut target = scratch;
    let mut result = ResultIn::Digis;
    for &digit in O::DIGITS {
        let bucket = |digi| bucket(digi, digit);
        let counts = scatter::count_parts(source, part, BUCKETS, bucket);
        if scatter::moves_nothing(&counts, source.len()) {
            continue;
        }
        scatter::scatter_parts(source, target, part, &counts, bucket);
        std::mem::swap(&mut source, &mut target);
        result = result.other();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sts_sort::cpu::test_digis::{random_digis, sorted};

    #[test]
    fn parts_give_the_same_as_one_sort() {
        for length in [1, 40, 41, 1000, 50_000] {
            let random = random_digis(length);
            let expected = sorted(&random);
            let mut digis = random.clone();
            let mut scratch = random.clone();
            sort_in_place(&mut digis, &mut scratch);
            assert_eq!(digis, expected, "{length}");
            for parts in [1, 2, 7] {
                let mut digis = random.clone();
                let result = sort_in_parts::<ByChannelAndTime>(&mut digis, &mut scratch, parts);
                let found = result.select(&digis, &scratch);
                assert_eq!(found, expected, "{length} in {parts} parts");
            }
        }
    }
}
