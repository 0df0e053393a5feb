//! Which time bins of a pad have samples.

use super::grid::COLUMNS;

/// Charges that are compared at once.
pub(super) const GROUP: usize = 16;
/// Columns of a word of bits.
const WORD: usize = u64::BITS as usize;
/// Columns listed without looking how many there are.
const STRIDE: usize = 8;

/// A list of columns, reused.
pub(super) struct Columns([u16; COLUMNS + STRIDE]);

impl Default for Columns {
    fn default() -> Self {
        Columns([0; COLUMNS + STRIDE])
    }
}

impl Columns {
    /// The columns of a cell with a charge of at least `threshold`.
    ///
    /// They are listed eight at a time, and counted later: whether there is one more is as hard to
    /// predict as the data are.
    #[inline]
    pub(super) fn at_least(&mut self, threshold: u16, cell: &[u16; COLUMNS]) -> &[u16] {
        let mut count = 0;
        for (number, mut bits) in words(threshold, cell).into_iter().enumerate() {
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
fn words(threshold: u16, cell: &[u16; COLUMNS]) -> [u64; COLUMNS.div_ceil(WORD)] {
    let mut words = [0; COLUMNS.div_ceil(WORD)];
    let (groups, _) = cell.as_chunks::<GROUP>();
    for (number, group) in groups.iter().enumerate() {
        let start = number * GROUP;
        words[start / WORD] |= u64::from(bits_at_least(threshold, group)) << (start % WORD);
    }
    words
}

/// Bit `i` says whether charge `i` is at least `threshold`.
#[cfg(target_arch = "x86_64")]
#[inline]
fn bits_at_least(threshold: u16, charges: &[u16; GROUP]) -> u16 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi16, _mm_movemask_epi8, _mm_packs_epi16, _mm_set1_epi16,
        _mm_setzero_si128, _mm_subs_epu16,
    };
    let [low, high]: [__m128i; 2] = bytemuck::cast(*charges);
    // SAFETY: these are of SSE2, which all such machines have.
    unsafe {
        let threshold = _mm_set1_epi16(threshold.cast_signed());
        let missing = [low, high].map(|charges| _mm_subs_epu16(threshold, charges));
        let [low, high] = missing.map(|charge| _mm_cmpeq_epi16(charge, _mm_setzero_si128()));
        _mm_movemask_epi8(_mm_packs_epi16(low, high)) as u16
    }
}

/// Bit `i` says whether charge `i` is at least `threshold`.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
fn bits_at_least(threshold: u16, charges: &[u16; GROUP]) -> u16 {
    let bits = charges.iter().enumerate();
    bits.fold(0, |bits, (i, charge)| bits | u16::from(*charge >= threshold) << i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_with_enough_charge() {
        let charge = |column: usize| [11, 12, 0, 40_000, u16::MAX][column * column % 5];
        let patterns: [&dyn Fn(usize) -> u16; 4] =
            [&charge, &|_| 12, &|_| 11, &|column| (column % 61 * 7) as u16];
        let mut columns = Columns::default();
        for charge in patterns {
            let cell: [u16; COLUMNS] = std::array::from_fn(charge);
            for threshold in [1, 12, 40_000] {
                let expected = (0..COLUMNS as u16).filter(|c| cell[usize::from(*c)] >= threshold);
                assert!(columns.at_least(threshold, &cell).iter().copied().eq(expected));
            }
        }
    }
}
