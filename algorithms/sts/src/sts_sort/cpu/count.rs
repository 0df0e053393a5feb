//! Counting digis by bucket.
//!
//! Later digis are prefetched: not every processor does so by itself early enough for counting.

use generators_sts::Digi;
use parallel::prefetch::prefetch;

use tasks::device::is_amd;

/// Digis of a cache line.
const LINE: usize = 8;

/// Prefetch distance, in digis.
const AHEAD: usize = 256;

/// Digis whose buckets are computed together.
const BLOCK: usize = 64;

/// Number of digis in each bucket, or the next offset of each bucket.
pub(super) type Counts = Vec<u32>;

/// Counts digis by bucket; buckets are below `buckets`.
pub(super) fn count(digis: &[Digi], buckets: usize, bucket: impl Fn(Digi) -> usize) -> Counts {
    let mut counts = vec![0; buckets];
    read(digis, |digi| counts[bucket(digi)] += 1);
    counts
}

/// Counts digis by bucket, and checks whether they are in order of time.
pub(super) fn count_and_look(
    digis: &[Digi],
    buckets: usize,
    bucket: impl Fn(Digi) -> usize,
) -> (Counts, bool) {
    let mut counts = vec![0; buckets];
    let mut previous = 0;
    let mut descents = 0;
    read(digis, |digi| {
        counts[bucket(digi)] += 1;
        descents += usize::from(digi.time_ns() < previous);
        previous = digi.time_ns();
    });
    (counts, descents == 0)
}

/// Counts by two kinds of buckets in one pass; there are at most 2^16 of each. Vectors compute the
/// buckets of a block of digis before these are counted: one by one, both would compete for the few
/// units that compute addresses.
pub(super) fn count_twice(
    digis: &[Digi],
    first: (usize, impl Fn(Digi) -> usize),
    second: (usize, impl Fn(Digi) -> usize),
) -> (Counts, Counts) {
    let mut firsts = vec![0; first.0];
    let mut seconds = vec![0; second.0];
    for (index, block) in digis.chunks(BLOCK).enumerate() {
        let further_on = BLOCK * index + AHEAD;
        (further_on..further_on + BLOCK).step_by(LINE).for_each(|ahead| prefetch(digis, ahead));
        add(block, &mut firsts, &first.1);
        add(block, &mut seconds, &second.1);
    }
    (firsts, seconds)
}

/// Has something done with each digi, while those further on come.
#[inline]
fn read(digis: &[Digi], mut each: impl FnMut(Digi)) {
    if is_amd() {
        // Zen 5 prefetches early enough by itself, and explicit prefetches take longer.
        return digis.iter().for_each(|&digi| each(digi));
    }
    for (index, line) in digis.chunks(LINE).enumerate() {
        prefetch(digis, LINE * index + AHEAD);
        line.iter().for_each(|&digi| each(digi));
    }
}

/// Adds a block of digis to the counts of buckets.
#[inline]
fn add(block: &[Digi], counts: &mut [u32], bucket: &impl Fn(Digi) -> usize) {
    let Ok(block) = <&[Digi; BLOCK]>::try_from(block) else {
        // The last one.
        return block.iter().for_each(|&digi| counts[bucket(digi)] += 1);
    };
    let mut buckets = [0_u16; BLOCK];
    for (to, &digi) in buckets.iter_mut().zip(block) {
        *to = bucket(digi) as u16;
    }
    for bucket in buckets {
        counts[usize::from(bucket)] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sts_sort::cpu::test_digis::random_digis;

    fn channel(digi: Digi) -> usize {
        usize::from(digi.channel()) % 7
    }

    fn charge(digi: Digi) -> usize {
        usize::from(digi.adc()) % 5
    }

    #[test]
    fn each_digi_counts_once() {
        for length in [0, 1, 63, 64, 65, 1000] {
            let digis = random_digis(length);
            let expected = |buckets, bucket: fn(Digi) -> usize| -> Counts {
                let of = |id| digis.iter().filter(|&&digi| bucket(digi) == id).count();
                (0..buckets).map(|id| of(id) as u32).collect()
            };
            let channels = expected(7, channel);
            let charges = expected(5, charge);
            assert_eq!(count(&digis, 7, channel), channels);
            assert_eq!(count_and_look(&digis, 7, channel).0, channels);
            assert_eq!(count_twice(&digis, (7, channel), (5, charge)), (channels, charges));
        }
    }

    #[test]
    fn any_descent_is_seen() {
        let ordered = |digis: &[Digi]| count_and_look(digis, 7, channel).1;
        let digis: Vec<_> = (0..100).map(|i| Digi::from_bits(i / 2)).collect();
        assert!(ordered(&digis) && ordered(&[]));
        for at in 1..digis.len() {
            let mut digis = digis.clone();
            digis[at - 1] = Digi::from_bits(1000);
            assert!(!ordered(&digis), "{at}");
        }
    }
}
