//! Radix sort, least significant digit first, 8 bits a pass.
//!
//! The key lies in two fields of the digi: 31 bits of time, then 11 bits of
//! channel. The digits are cut so that none reaches from one into the other.
//! A pass in which all digis have the same digit would move nothing and is
//! left out: that is how the significant bits are found.

use generators::sts::Digi;
use rayon::prelude::*;

const BUCKETS: usize = 256;

/// The digits of the key from the least significant: the lowest bit in the
/// digi and the number of bits.
const DIGITS: [(u32, u32); 6] = [(0, 8), (8, 8), (16, 8), (24, 7), (37, 8), (45, 3)];

/// Up to here inserting one by one is faster than counting.
const INSERTION_LIMIT: usize = 40;

type Histogram = [usize; BUCKETS];

#[inline]
fn bucket(digi: Digi, (shift, bits): (u32, u32)) -> usize {
    (digi.bits() >> shift) as usize & ((1 << bits) - 1)
}

/// Sorts stably by key. The scratch is as long as the digis.
pub(super) fn sort(digis: &mut [Digi], scratch: &mut [Digi]) {
    if digis.len() <= INSERTION_LIMIT {
        return insertion_sort(digis);
    }
    let histograms = all_histograms(digis);
    let (mut source, mut target) = (&mut *digis, &mut *scratch);
    let mut in_scratch = false;
    for (digit, histogram) in DIGITS.into_iter().zip(histograms) {
        if histogram[bucket(source[0], digit)] == source.len() {
            continue;
        }
        scatter(source, target, digit, starts(histogram));
        std::mem::swap(&mut source, &mut target);
        in_scratch = !in_scratch;
    }
    if in_scratch {
        digis.copy_from_slice(scratch);
    }
}

fn insertion_sort(digis: &mut [Digi]) {
    for end in 1..digis.len() {
        let digi = digis[end];
        let mut place = end;
        while place > 0 && digi.key() < digis[place - 1].key() {
            digis[place] = digis[place - 1];
            place -= 1;
        }
        digis[place] = digi;
    }
}

/// Counts all digits in one go: they don't change while the digis move.
fn all_histograms(digis: &[Digi]) -> [Histogram; DIGITS.len()] {
    let mut histograms = [[0; BUCKETS]; DIGITS.len()];
    for &digi in digis {
        for (digit, histogram) in DIGITS.into_iter().zip(&mut histograms) {
            histogram[bucket(digi, digit)] += 1;
        }
    }
    histograms
}

/// Where each bucket begins.
fn starts(mut histogram: Histogram) -> Histogram {
    let mut sum = 0;
    for count in &mut histogram {
        sum += std::mem::replace(count, sum);
    }
    histogram
}

fn scatter(source: &[Digi], target: &mut [Digi], digit: (u32, u32), mut next: Histogram) {
    for &digi in source {
        let position = &mut next[bucket(digi, digit)];
        target[*position] = digi;
        *position += 1;
    }
}

/// The same with each pass in parts that run in parallel.
pub(super) fn sort_in_parts(digis: &mut [Digi], scratch: &mut [Digi], parts: usize) {
    let part = digis.len().div_ceil(parts);
    let (mut source, mut target) = (&mut *digis, &mut *scratch);
    let mut in_scratch = false;
    for digit in DIGITS {
        let histograms: Vec<_> = source
            .par_chunks(part)
            .map(|part| histogram(part, digit))
            .collect();
        if moves_nothing(&histograms, source.len()) {
            continue;
        }
        scatter_parts(source, target, digit, part, &histograms);
        std::mem::swap(&mut source, &mut target);
        in_scratch = !in_scratch;
    }
    if in_scratch {
        digis.copy_from_slice(scratch);
    }
}

fn histogram(digis: &[Digi], digit: (u32, u32)) -> Histogram {
    let mut histogram = [0; BUCKETS];
    for &digi in digis {
        histogram[bucket(digi, digit)] += 1;
    }
    histogram
}

/// Whether all digis are in one bucket.
fn moves_nothing(histograms: &[Histogram], digis: usize) -> bool {
    let in_bucket = |bucket: usize| histograms.iter().map(|h| h[bucket]).sum::<usize>();
    (0..BUCKETS).any(|bucket| in_bucket(bucket) == digis)
}

/// Each part writes its digis of a bucket behind those of the parts before it.
fn scatter_parts(
    source: &[Digi],
    mut target: &mut [Digi],
    digit: (u32, u32),
    part: usize,
    histograms: &[Histogram],
) {
    let mut places: Vec<Vec<std::slice::IterMut<'_, Digi>>> = histograms
        .iter()
        .map(|_| Vec::with_capacity(BUCKETS))
        .collect();
    for bucket in 0..BUCKETS {
        for (places, histogram) in places.iter_mut().zip(histograms) {
            let (mine, rest) = target.split_at_mut(histogram[bucket]);
            places.push(mine.iter_mut());
            target = rest;
        }
    }
    let parts = source.par_chunks(part).zip(places);
    parts.for_each(|(digis, mut places)| {
        for &digi in digis {
            if let Some(place) = places[bucket(digi, digit)].next() {
                *place = digi;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(length: u64) -> Vec<Digi> {
        (0..length)
            .map(|i| Digi::from_bits(generators::random::mix(i)))
            .collect()
    }

    #[test]
    fn digits_cover_the_key() {
        let bits: u32 = DIGITS.iter().map(|(_, bits)| bits).sum();
        assert_eq!(bits, Digi::KEY_BITS);
        let all = DIGITS.map(|digit| bucket(Digi::from_bits(u64::MAX), digit));
        assert_eq!(all, [255, 255, 255, 127, 255, 7]);
    }

    #[test]
    fn parts_give_the_same_as_one_sort() {
        for length in [1, 40, 41, 1000, 50_000] {
            let mut expected = random(length);
            expected.sort_by_key(|digi| digi.key());
            let (mut digis, mut scratch) = (random(length), random(length));
            sort(&mut digis, &mut scratch);
            assert_eq!(digis, expected, "{length}");
            for parts in [1, 2, 7] {
                let mut digis = random(length);
                sort_in_parts(&mut digis, &mut scratch, parts);
                assert_eq!(digis, expected, "{length} in {parts} parts");
            }
        }
    }
}
