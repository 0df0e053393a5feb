//! Search for the time bins of a pad that have samples.

use super::Avx512;
use super::cells::{COLUMNS, GROUP};
use crate::encode::Sample;

/// Columns of a word of bits.
const WORD: usize = u64::BITS as usize;
/// Columns listed without looking how many there are.
const STRIDE: usize = 8;
/// Columns of a vector.
const LANES: usize = 16;
/// Columns that may be written past the last valid one.
const SLACK: usize = LANES;

/// Columns with samples, and these samples, reused.
pub(super) struct ScratchSamples {
    columns: [u32; COLUMNS + SLACK],
    samples: [Sample; COLUMNS + SLACK],
    avx512: Option<Avx512>,
}

impl Default for ScratchSamples {
    fn default() -> Self {
        ScratchSamples {
            columns: [0; COLUMNS + SLACK],
            samples: [Sample::default(); COLUMNS + SLACK],
            avx512: Avx512::detect(),
        }
    }
}

impl ScratchSamples {
    /// The columns of a pad with a charge of at least `threshold`, and the samples of these
    /// charges.
    #[inline]
    pub(super) fn at_least(
        &mut self,
        threshold: u16,
        charges: &[u16; COLUMNS],
        sample: impl Fn(u16) -> Sample,
    ) -> impl Iterator<Item = (usize, Sample)> {
        let count = match self.avx512 {
            Some(avx512) => self.list_by_vectors(avx512, threshold, charges, sample),
            None => self.list(threshold, charges, sample),
        };
        let columns = self.columns[..count].iter().map(|&column| column as usize);
        columns.zip(self.samples[..count].iter().copied())
    }

    /// Lists columns eight at a time, and counts them later: whether there is one more is as hard
    /// to predict as the data are.
    fn list(
        &mut self,
        threshold: u16,
        charges: &[u16; COLUMNS],
        sample: impl Fn(u16) -> Sample,
    ) -> usize {
        let mut count = 0;
        for (index, mut bits) in words(threshold, charges).into_iter().enumerate() {
            let first = (index * WORD) as u32;
            let end = count + bits.count_ones() as usize;
            while count < end {
                for column in &mut self.columns[count..count + STRIDE] {
                    *column = first + bits.trailing_zeros();
                    bits &= bits.wrapping_sub(1);
                }
                count += STRIDE;
            }
            count = end;
        }
        for (to, &column) in self.samples.iter_mut().zip(&self.columns[..count]) {
            *to = sample(charges[column as usize]);
        }
        count
    }

    /// Lists the columns and samples, sixteen columns per vector.
    #[cfg(target_arch = "x86_64")]
    fn list_by_vectors(
        &mut self,
        _: Avx512,
        threshold: u16,
        charges: &[u16; COLUMNS],
        sample: impl Fn(u16) -> Sample,
    ) -> usize {
        // SAFETY: the witness proves that the CPU has the features of `list_by_avx512`.
        unsafe { self.list_by_avx512(threshold, charges, sample) }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,popcnt")]
    fn list_by_avx512(
        &mut self,
        threshold: u16,
        charges: &[u16; COLUMNS],
        sample: impl Fn(u16) -> Sample,
    ) -> usize {
        use std::arch::x86_64::{
            _mm256_cmpge_epu16_mask, _mm256_loadu_si256, _mm256_set1_epi16, _mm512_add_epi32,
            _mm512_loadu_si512, _mm512_maskz_compress_epi32, _mm512_set1_epi32,
            _mm512_storeu_si512,
        };
        const LANE_INDICES: [u32; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
        let minimum = _mm256_set1_epi16(threshold.cast_signed());
        let step = _mm512_set1_epi32(LANES as i32);
        // SAFETY: the array has sixteen numbers of four bytes.
        let mut columns = unsafe { _mm512_loadu_si512(LANE_INDICES.as_ptr().cast()) };
        let mut count = 0;
        let (groups, _) = charges.as_chunks::<LANES>();
        for group in groups {
            let samples = group.map(&sample);
            let to_columns = &mut self.columns[count..count + LANES];
            let to_samples = &mut self.samples[count..count + LANES];
            // SAFETY: these are sixteen charges of two bytes, and sixteen samples of four.
            let (charges, samples) = unsafe {
                let charges = _mm256_loadu_si256(group.as_ptr().cast());
                (charges, _mm512_loadu_si512(samples.as_ptr().cast()))
            };
            let enough = _mm256_cmpge_epu16_mask(charges, minimum);
            let first_columns = _mm512_maskz_compress_epi32(enough, columns);
            let first_samples = _mm512_maskz_compress_epi32(enough, samples);
            // SAFETY: both arrays have sixteen entries of four bytes from `count` on, because of
            // their [`SLACK`].
            unsafe {
                _mm512_storeu_si512(to_columns.as_mut_ptr().cast(), first_columns);
                _mm512_storeu_si512(to_samples.as_mut_ptr().cast(), first_samples);
            }
            columns = _mm512_add_epi32(columns, step);
            count += enough.count_ones() as usize;
        }
        count
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn list_by_vectors(
        &mut self,
        _: Avx512,
        threshold: u16,
        charges: &[u16; COLUMNS],
        sample: impl Fn(u16) -> Sample,
    ) -> usize {
        self.list(threshold, charges, sample)
    }
}

/// Bit mask of the columns with a charge of at least `threshold`.
#[inline]
fn words(threshold: u16, charges: &[u16; COLUMNS]) -> [u64; COLUMNS.div_ceil(WORD)] {
    let mut words = [0; COLUMNS.div_ceil(WORD)];
    let (groups, _) = charges.as_chunks::<GROUP>();
    for (index, group) in groups.iter().enumerate() {
        let start = index * GROUP;
        words[start / WORD] |= u64::from(bits_at_least(threshold, group)) << (start % WORD);
    }
    words
}

/// Bit `i` is set if charge `i` is at least `threshold`.
#[cfg(target_feature = "avx2")]
#[inline]
fn bits_at_least(threshold: u16, charges: &[u16; GROUP]) -> u32 {
    use std::arch::x86_64::{
        __m256i, _mm256_cmpeq_epi16, _mm256_max_epu16, _mm256_movemask_epi8, _mm256_packs_epi16,
        _mm256_permute4x64_epi64, _mm256_set1_epi16,
    };
    let [low, high]: [__m256i; 2] = bytemuck::cast(*charges);
    // SAFETY: these are of AVX2, which this is compiled for.
    unsafe {
        let threshold = _mm256_set1_epi16(threshold.cast_signed());
        let enough = |charges| _mm256_cmpeq_epi16(_mm256_max_epu16(charges, threshold), charges);
        let bytes = _mm256_packs_epi16(enough(low), enough(high));
        // Packing interleaves the halves of 16 bytes.
        let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(bytes);
        _mm256_movemask_epi8(bytes).cast_unsigned()
    }
}

/// Bit `i` is set if charge `i` is at least `threshold`.
#[cfg(not(target_feature = "avx2"))]
#[inline]
fn bits_at_least(threshold: u16, charges: &[u16; GROUP]) -> u32 {
    let bits = charges.iter().enumerate();
    bits.fold(0, |bits, (i, charge)| bits | u32::from(*charge >= threshold) << i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_those_with_enough_charge() {
        let charge = |column: usize| [11, 12, 0, 40_000, u16::MAX][column * column % 5];
        let patterns: [&dyn Fn(usize) -> u16; 4] =
            [&charge, &|_| 12, &|_| 11, &|column| (column % 61 * 7) as u16];
        let sample = |charge| Sample::new(7, charge / 2);
        let mut variants = [
            ScratchSamples::default(),
            ScratchSamples { avx512: None, ..ScratchSamples::default() },
        ];
        for charge in patterns {
            let cell: [u16; COLUMNS] = std::array::from_fn(charge);
            for threshold in [1, 12, 40_000] {
                let enough = (0..COLUMNS).filter(|&column| cell[column] >= threshold);
                let expected: Vec<_> =
                    enough.map(|column| (column, sample(cell[column]))).collect();
                for found in &mut variants {
                    let found: Vec<_> = found.at_least(threshold, &cell, sample).collect();
                    assert_eq!(found, expected);
                }
            }
        }
    }
}
