//! Which time bins of a pad have samples.

use super::columns::{COLUMNS, GROUP};

/// Columns of a word of bits.
const WORD: usize = u64::BITS as usize;
/// Columns listed without looking how many there are.
const STRIDE: usize = 8;

/// A list of columns, reused.
pub(super) struct Found([u16; COLUMNS + STRIDE]);

impl Default for Found {
    fn default() -> Self {
        Found([0; COLUMNS + STRIDE])
    }
}

impl Found {
    /// The columns of a pad with a charge of at least `threshold`.
    ///
    /// They are listed eight at a time, and counted later: whether there is one more is as hard to
    /// predict as the data are.
    #[inline]
    pub(super) fn at_least(&mut self, threshold: u16, charges: &[u16; COLUMNS]) -> &[u16] {
        let mut count = 0;
        for (number, mut bits) in words(threshold, charges).into_iter().enumerate() {
            let first = (number * WORD) as u16;
            let end = count + bits.count_ones() as usize;
            while count < end {
                for column in &mut self.0[count..count + STRIDE] {
                    *column = first + bits.trailing_zeros() as u16;
                    bits &= bits.wrapping_sub(1);
                }
                count += STRIDE;
            }
            count = end;
        }
        &self.0[..count]
    }
}

/// Bit by bit, whether a column has a charge of at least `threshold`.
#[inline]
fn words(threshold: u16, charges: &[u16; COLUMNS]) -> [u64; COLUMNS.div_ceil(WORD)] {
    let mut words = [0; COLUMNS.div_ceil(WORD)];
    let (groups, _) = charges.as_chunks::<GROUP>();
    for (number, group) in groups.iter().enumerate() {
        let start = number * GROUP;
        words[start / WORD] |= u64::from(bits_at_least(threshold, group)) << (start % WORD);
    }
    words
}

/// Bit `i` says whether charge `i` is at least `threshold`.
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
        // Packed in halves of 16 bytes, which lie crosswise.
        let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(bytes);
        _mm256_movemask_epi8(bytes).cast_unsigned()
    }
}

/// Bit `i` says whether charge `i` is at least `threshold`.
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
    fn columns_are_those_with_enough_charge() {
        let charge = |column: usize| [11, 12, 0, 40_000, u16::MAX][column * column % 5];
        let patterns: [&dyn Fn(usize) -> u16; 4] =
            [&charge, &|_| 12, &|_| 11, &|column| (column % 61 * 7) as u16];
        let mut found = Found::default();
        for charge in patterns {
            let cell: [u16; COLUMNS] = std::array::from_fn(charge);
            for threshold in [1, 12, 40_000] {
                let expected = (0..COLUMNS as u16).filter(|c| cell[usize::from(*c)] >= threshold);
                assert!(found.at_least(threshold, &cell).iter().copied().eq(expected));
            }
        }
    }
}
