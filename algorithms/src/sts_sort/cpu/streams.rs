//! Scattering digis whose neighbours go to the same bucket.
//!
//! Digis that are nearly in order of time arrive bucket by bucket. Then each count has to wait for
//! the one before: a store is forwarded to the next load of the same word, which takes longer than
//! everything else for a digi. So a part is split into streams, which are interleaved, each with
//! counts and offsets of its own. They are consecutive in each bucket, which keeps the order.

use generators::sts::Digi;

use super::count::Counts;
use crate::parallel::{for_each, map};
use crate::shared::SharedSlice;

/// Streams of a part: enough to hide how long a store takes to the next load.
const STREAMS: usize = 4;

/// Scatters digis into buckets in parts of this length, which run in parallel; stable. Returns
/// where each bucket ends.
pub(super) fn scatter(
    source: &[Digi],
    target: &mut [Digi],
    part: usize,
    buckets: usize,
    bucket: impl Fn(Digi) -> usize + Sync,
) -> Vec<usize> {
    assert_eq!(source.len(), target.len());
    let counts = map(source.chunks(part), |digis| count(digis, buckets, &bucket));
    let (offsets, ends) = offsets(counts, buckets);
    let target = SharedSlice::new(target);
    for_each(source.chunks(part).zip(offsets), |(digis, mut offsets)| {
        in_turns(digis, |stream, digi| {
            let offset = &mut offsets[STREAMS * bucket(digi) + stream];
            // SAFETY: the ranges of all parts, buckets and streams are consecutive, each as long as
            // the digis that were counted for it by the same pure function; so they are disjoint
            // and within the target.
            unsafe { target.write(*offset as usize, digi) };
            *offset += 1;
        });
    });
    ends
}

/// Counts by bucket and stream.
fn count(digis: &[Digi], buckets: usize, bucket: &impl Fn(Digi) -> usize) -> Counts {
    let mut counts = vec![0; STREAMS * buckets];
    in_turns(digis, |stream, digi| counts[STREAMS * bucket(digi) + stream] += 1);
    counts
}

/// Each digi with its stream: the first of all streams, the second of all, and so on.
#[inline]
fn in_turns(digis: &[Digi], mut each: impl FnMut(usize, Digi)) {
    let length = digis.len() / STREAMS;
    let (streams, rest) = digis.split_at(STREAMS * length);
    let streams: [&[Digi]; STREAMS] =
        std::array::from_fn(|stream| &streams[stream * length..][..length]);
    for at in 0..length {
        for (stream, digis) in streams.iter().enumerate() {
            each(stream, digis[at]);
        }
    }
    // The remainder continues the last stream.
    rest.iter().for_each(|&digi| each(STREAMS - 1, digi));
}

/// First offset of each part and stream in each bucket, and the ends of buckets: buckets in order,
/// and within a bucket parts and streams in order.
fn offsets(mut counts: Vec<Counts>, buckets: usize) -> (Vec<Counts>, Vec<usize>) {
    let mut sum = 0;
    let ends = (0..buckets).map(|bucket| {
        for counts in &mut counts {
            for count in &mut counts[STREAMS * bucket..][..STREAMS] {
                sum += std::mem::replace(count, sum);
            }
        }
        sum as usize
    });
    let ends = ends.collect();
    (counts, ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sts_sort::cpu::test_digis::random_digis;

    #[test]
    fn digis_end_up_in_their_buckets_in_order() {
        let bucket = |digi: Digi| usize::from(digi.channel()) % 7;
        for length in [0, 1, 3, 4, 1001] {
            let digis = random_digis(length);
            let mut expected = digis.clone();
            expected.sort_by_key(|&digi| bucket(digi));
            for part in [1, 5, 33, 999, 5000] {
                let mut target = vec![Digi::default(); digis.len()];
                let ends = scatter(&digis, &mut target, part, 7, bucket);
                assert_eq!(target, expected, "{length} in parts of {part}");
                let end = |index| expected.partition_point(|&digi| bucket(digi) <= index);
                assert_eq!(ends, (0..7).map(end).collect::<Vec<_>>());
            }
        }
    }
}
