//! Counting digis by bucket.
//!
//! The buckets of a block of digis are computed first, which vectors do, and counted then: one by
//! one, each digi would pass through the same few units twice. Meanwhile the digis of blocks further
//! on are fetched: not every processor does so by itself as early as this takes.

use generators::sts::Digi;

use crate::device::prefetch;

/// Digis of a block.
const BLOCK: usize = 64;

/// Digis of a cache line.
const LINE: usize = 8;

/// How many digis further on are fetched.
const AHEAD: usize = 256;

/// Digis in each bucket, or the place where each bucket goes on.
pub(super) type Counts = Vec<u32>;

/// Counts digis by bucket; buckets are below `buckets`, of which there are 2^16 at most.
pub(super) fn count(digis: &[Digi], buckets: usize, bucket: impl Fn(Digi) -> usize) -> Counts {
    let mut counts = vec![0; buckets];
    in_blocks(digis, |_, block| add(block, &mut counts, &bucket));
    counts
}

/// Has something done with each block of digis, told the digi before it, while those further on
/// come.
#[inline]
pub(super) fn in_blocks(digis: &[Digi], mut each: impl FnMut(Digi, &[Digi])) {
    let mut previous = Digi::default();
    for (number, block) in digis.chunks(BLOCK).enumerate() {
        let further_on = BLOCK * number + AHEAD;
        (further_on..further_on + BLOCK).step_by(LINE).for_each(|place| prefetch(digis, place));
        each(previous, block);
        previous = block[block.len() - 1];
    }
}

/// Adds a block of digis to the counts of buckets.
#[inline]
pub(super) fn add(block: &[Digi], counts: &mut [u32], bucket: &impl Fn(Digi) -> usize) {
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

/// Whether a block of digis is in order of time, behind the one before it.
#[inline]
pub(super) fn is_ordered(previous: Digi, block: &[Digi]) -> bool {
    // No early end: vectors compare all.
    let pairs = block.iter().zip(&block[1..]);
    let descends = pairs.fold(false, |descends, (a, b)| descends | (b.time_ns() < a.time_ns()));
    !descends && previous.time_ns() <= block[0].time_ns()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sts_sort::cpu::test_digis::random_digis;

    #[test]
    fn each_digi_counts_once() {
        let bucket = |digi: Digi| usize::from(digi.channel()) % 7;
        for length in [0, 1, 63, 64, 65, 1000] {
            let digis = random_digis(length);
            let of = |number| digis.iter().filter(|&&digi| bucket(digi) == number).count() as u32;
            assert_eq!(count(&digis, 7, bucket), (0..7).map(of).collect::<Counts>());
        }
    }

    #[test]
    fn any_descent_is_seen() {
        let ordered = |digis: &[Digi]| {
            let mut ordered = true;
            in_blocks(digis, |previous, block| ordered &= is_ordered(previous, block));
            ordered
        };
        let digis: Vec<_> = (0..200).map(|i| Digi::from_bits(i / 2)).collect();
        assert!(ordered(&digis) && ordered(&[]));
        for at in 1..200 {
            let mut digis = digis.clone();
            digis[at - 1] = Digi::from_bits(1000);
            assert!(!ordered(&digis), "{at}");
        }
    }
}
