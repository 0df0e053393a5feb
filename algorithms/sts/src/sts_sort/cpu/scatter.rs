//! Scattering: the step that all distribution sorts have in common.
//!
//! Digis are counted by bucket, the counts become the offsets of buckets, and each digi goes to the
//! next offset of its bucket. Equal digis keep their order.

use generators_sts::Digi;
use parallel::shared::{SharedSlice, offsets_of_parts};
use parallel::{for_each, map};

use super::count::{Counts, count};
use tasks::device::is_amd;

/// A part is split into pieces, so that threads wait less for each other's last part.
pub(super) const PIECES_PER_PART: usize = 2;

/// With more buckets than this, the cache lines of their current ends do not fit into a first-level
/// cache of 32 KB.
const NEAR_BUCKETS: usize = 512;

/// Prefetch distance of a digi's destination, in digis.
const AHEAD: usize = 32;

/// Turns counts into offsets of buckets (exclusive scan).
pub(super) fn begin(counts: &mut [u32]) {
    let mut sum = 0;
    for count in counts {
        sum += std::mem::replace(count, sum);
    }
}

/// Moves each digi to the next offset of its bucket.
pub(super) fn scatter(
    source: &[Digi],
    target: &mut [Digi],
    offsets: &mut [u32],
    bucket: impl Fn(Digi) -> usize,
) {
    // SAFETY: there is no other thread.
    unsafe { scatter_shared(source, &SharedSlice::new(target), offsets, bucket) }
}

/// Scatters digis into a target that other threads write to at other offsets.
///
/// # Safety
/// No other thread may write to the offsets of these digis.
unsafe fn scatter_shared(
    source: &[Digi],
    target: &SharedSlice<'_, Digi>,
    offsets: &mut [u32],
    bucket: impl Fn(Digi) -> usize,
) {
    let ahead = if offsets.len() > NEAR_BUCKETS && stores_wait() { AHEAD } else { source.len() };
    // SAFETY: as the caller promises.
    unsafe { scatter_ahead(source, target, offsets, bucket, ahead) }
}

/// Scatters like [`scatter_shared`], and prefetches the destination of each digi `ahead` digis
/// before it is written.
///
/// # Safety
/// As of [`scatter_shared`].
#[inline]
unsafe fn scatter_ahead(
    source: &[Digi],
    target: &SharedSlice<'_, Digi>,
    offsets: &mut [u32],
    bucket: impl Fn(Digi) -> usize,
    ahead: usize,
) {
    let (_, ahead) = source.split_at(ahead.min(source.len()));
    let (first, last) = source.split_at(ahead.len());
    let offset = |offsets: &mut [u32], digi| {
        let offset = &mut offsets[bucket(digi)];
        // SAFETY: as the caller promises.
        unsafe { target.write(*offset as usize, digi) };
        *offset += 1;
    };
    for (&digi, &later) in first.iter().zip(ahead) {
        target.prefetch(offsets[bucket(later)] as usize);
        offset(offsets, digi);
    }
    last.iter().for_each(|&digi| offset(offsets, digi));
}

/// True if a store that waits for its cache line delays those after it. On Intel's processors it
/// does: one after the other they would wait for the second-level cache. AMD's (Zen 5) prefetch
/// lines for stores by themselves, and an additional prefetch takes a tenth longer.
fn stores_wait() -> bool {
    cfg!(target_arch = "x86_64") && !is_amd()
}

/// Counts in parts that run in parallel: the counts of each part.
pub(super) fn count_parts(
    digis: &[Digi],
    part: usize,
    buckets: usize,
    bucket: impl Fn(Digi) -> usize + Sync,
) -> Vec<Counts> {
    map(digis.chunks(part), |part| count(part, buckets, &bucket))
}

/// Scatters in parts that run in parallel: each part writes its digis of a bucket after those of
/// the parts before it. The counts must be those of the same digis, parts and buckets.
pub(super) fn scatter_parts(
    source: &[Digi],
    target: &mut [Digi],
    part: usize,
    counts: &[Counts],
    bucket: impl Fn(Digi) -> usize + Sync,
) {
    assert_eq!(source.len(), target.len());
    let target = SharedSlice::new(target);
    let buckets = counts.first().map_or(0, Vec::len);
    let (offsets, _) = offsets_of_parts(counts.to_vec(), buckets, 1);
    for_each(source.chunks(part).zip(offsets), |(digis, mut offsets)| {
        // SAFETY: the ranges of all parts and buckets are consecutive, each as long as the digis
        // that were counted for it by the same pure function; so they are disjoint and within the
        // target.
        unsafe { scatter_shared(digis, &target, &mut offsets, &bucket) }
    });
}

/// Counts and scatters in parts of this length that run in parallel. Returns
/// where each bucket ends.
pub(super) fn in_parts(
    source: &[Digi],
    target: &mut [Digi],
    part: usize,
    buckets: usize,
    bucket: impl Fn(Digi) -> usize + Sync,
) -> Vec<usize> {
    let counts = count_parts(source, part, buckets, &bucket);
    scatter_parts(source, target, part, &counts, bucket);
    let mut end = 0;
    let end_of = |bucket: usize| {
        end += counts.iter().map(|counts| counts[bucket] as usize).sum::<usize>();
        end
    };
    (0..buckets).map(end_of).collect()
}

/// True if all digis are in one bucket, so that scattering would move nothing.
pub(super) fn moves_nothing(counts: &[Counts], digis: usize) -> bool {
    let buckets = counts.first().map_or(0, Vec::len);
    let in_bucket = |bucket| counts.iter().map(|counts| counts[bucket] as usize).sum::<usize>();
    (0..buckets).any(|bucket| in_bucket(bucket) == digis)
}

// Streams are for digis whose neighbours go to the same bucket: digis that are nearly in order of
// time arrive bucket by bucket. Then each count has to wait for the one before: a store is
// forwarded to the next load of the same word, which takes longer than everything else for a digi.
// So a part is split into streams, which are interleaved, each with counts and offsets of its own.
// They are consecutive in each bucket, which keeps the order.

/// Streams of a part: enough to hide how long a store takes to the next load.
const STREAMS: usize = 4;

/// Scatters digis into buckets in parts of this length, which run in parallel; stable. Returns
/// where each bucket ends.
pub(super) fn scatter_streams(
    source: &[Digi],
    target: &mut [Digi],
    part: usize,
    buckets: usize,
    bucket: impl Fn(Digi) -> usize + Sync,
) -> Vec<usize> {
    assert_eq!(source.len(), target.len());
    let counts = map(source.chunks(part), |digis| count_streams(digis, buckets, &bucket));
    let (offsets, ends) = offsets_of_parts(counts, buckets, STREAMS);
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
    ends.into_iter().map(|end| end as usize).collect()
}

/// Counts by bucket and stream.
fn count_streams(digis: &[Digi], buckets: usize, bucket: &impl Fn(Digi) -> usize) -> Counts {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sts_sort::cpu::test_digis::random_digis;

    #[test]
    fn digis_end_up_in_their_buckets_in_order() {
        let bucket = |digi: Digi| usize::from(digi.channel()) % 7;
        let digis = random_digis(1000);
        let mut expected = digis.clone();
        expected.sort_by_key(|&digi| bucket(digi));
        let mut target = vec![Digi::default(); 1000];
        let mut offsets = count(&digis, 7, bucket);
        begin(&mut offsets);
        scatter(&digis, &mut target, &mut offsets, bucket);
        assert_eq!(target, expected);
        for part in [1, 33, 999, 1000, 5000] {
            target.fill(Digi::default());
            let counts = count_parts(&digis, part, 7, bucket);
            scatter_parts(&digis, &mut target, part, &counts, bucket);
            assert_eq!(target, expected, "parts of {part}");
        }
    }

    #[test]
    fn prefetching_makes_no_difference() {
        let bucket = |digi: Digi| usize::from(digi.channel()) % 7;
        let digis = random_digis(100);
        let mut expected = digis.clone();
        expected.sort_by_key(|&digi| bucket(digi));
        for ahead in [0, 1, 99, 100, 101] {
            let mut target = vec![Digi::default(); 100];
            let mut offsets = count(&digis, 7, bucket);
            begin(&mut offsets);
            // SAFETY: there is no other thread.
            unsafe {
                scatter_ahead(&digis, &SharedSlice::new(&mut target), &mut offsets, bucket, ahead);
            }
            assert_eq!(target, expected, "{ahead} ahead");
        }
    }

    #[test]
    fn one_full_bucket_is_noticed() {
        let digis = random_digis(1000);
        let counts = |bucket: fn(Digi) -> usize| count_parts(&digis, 100, 3, bucket);
        assert!(moves_nothing(&counts(|_| 2), 1000));
        assert!(!moves_nothing(&counts(|digi| usize::from(digi.adc() == 0)), 1000));
    }

    #[test]
    fn streams_keep_the_order_within_buckets() {
        let bucket = |digi: Digi| usize::from(digi.channel()) % 7;
        for length in [0, 1, 3, 4, 1001] {
            let digis = random_digis(length);
            let mut expected = digis.clone();
            expected.sort_by_key(|&digi| bucket(digi));
            for part in [1, 5, 33, 999, 5000] {
                let mut target = vec![Digi::default(); digis.len()];
                let ends = scatter_streams(&digis, &mut target, part, 7, bucket);
                assert_eq!(target, expected, "{length} in parts of {part}");
                let end = |index| expected.partition_point(|&digi| bucket(digi) <= index);
                assert_eq!(ends, (0..7).map(end).collect::<Vec<_>>());
            }
        }
    }
}
