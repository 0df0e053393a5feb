//! recobench's sort by time alone: buckets of coarse time, then radix sort within each bucket.
//!
//! Digis of a timeslice come read-out board by read-out board, and those of each nearly in order of
//! time: in runs of the same bucket. Those of a bucket are gathered run by run, without a pass that
//! moves digis one by one. The number of buckets is chosen so that the digis of each fit into the
//! first-level cache, where radix sort does the rest. If runs are short, as with digis in any other
//! order, a scatter makes long ones first. Every pass is stable.

use generators_sts::Digi;

use super::ResultIn;
use super::scatter::{PIECES_PER_PART, scatter_streams};
use super::times::{CoarseTime, Runs, TimeRange, sort_spans};

/// Below this number of digis the tables cost more than they save.
const SMALL: usize = 256;

/// Largest number of digis of a bucket, if they are evenly spread: with their destination and a
/// table of times they take some 40 KB.
const IN_BUCKET: usize = 2048;

/// Sorts digis by time, with a scratch of the same length.
pub(crate) fn sort_segment(digis: &mut [Digi], scratch: &mut [Digi], parts: usize) -> ResultIn {
    if digis.len() < SMALL {
        digis.sort_by_key(|digi| digi.time_ns());
        return ResultIn::Digis;
    }
    let time = coarse_time(digis);
    let part = if parts == 1 { digis.len() } else { digis.len().div_ceil(PIECES_PER_PART * parts) };
    if let Some(runs) = Runs::find(digis, part, &time) {
        sort_spans(digis, scratch, &runs, part);
        return ResultIn::Scratch;
    }
    let ends = scatter_streams(digis, scratch, part, time.buckets(), |digi| time.bucket(digi));
    sort_spans(scratch, digis, &Runs::of_buckets(ends), part);
    ResultIn::Digis
}

/// Digis of a bucket, about: they fit into the first-level cache.
fn coarse_time(digis: &[Digi]) -> CoarseTime {
    // The bits may result in only half the number of buckets.
    let buckets = (2 * digis.len()).div_ceil(IN_BUCKET);
    TimeRange::of_sample(digis).coarse(buckets.next_power_of_two().ilog2())
}

#[cfg(test)]
mod tests {
    use generators_common::random::mix;

    use super::*;

    fn check(digis: &[Digi]) {
        let mut expected = digis.to_vec();
        expected.sort_by_key(|digi| digi.time_ns());
        for parts in [1, 2, 7] {
            let mut scratch = digis.to_vec();
            let mut digis = digis.to_vec();
            let result = sort_segment(&mut digis, &mut scratch, parts);
            assert!(result.select(&digis, &scratch) == expected, "{parts} parts");
        }
    }

    #[test]
    fn digis_are_in_order_of_time_and_equal_ones_as_they_came() {
        for length in [0, 1, 255, 256, 2048, 2049, 100_000] {
            let orders: [fn(u64, u64) -> u64; 6] = [
                |i, _| mix(i),
                |i, _| i,
                |i, length| length - i,
                |i, _| mix(i) % 3,
                |_, _| 0x7fff_ffff,
                // All of a sample at one time, all others at another one.
                |i, _| if i % 64 == 0 { 1000 } else { 2000 },
            ];
            for order in orders {
                let digi = |i| Digi::from_bits(order(i, length) & 0x7fff_ffff | i << 32);
                check(&(0..length).map(digi).collect::<Vec<_>>());
            }
        }
    }
}
