//! A bit for each cell of a strip, line by line.

/// Bits of a word.
pub(super) const WORD: usize = 64;

/// Words of bits for a strip with `lines` lines: one more, as a window may reach into it.
pub(super) const fn words(lines: usize, words_in_line: usize) -> usize {
    lines * words_in_line + 1
}

/// The bits from a cell on, up to the length of `mask`.
#[inline]
pub(super) fn window(bits: &[u64], first: usize, mask: u64) -> u64 {
    let word = first / WORD;
    let shift = first % WORD;
    let low = bits[word] >> shift;
    let high = bits[word + 1] << (WORD - 1 - shift) << 1;
    (low | high) & mask
}

/// Calls `cell` with the index of each set bit of a word.
#[inline]
pub(super) fn for_each_set(word: u64, first: usize, mut cell: impl FnMut(usize)) {
    let mut left = word;
    while left != 0 {
        cell(first + left.trailing_zeros() as usize);
        left &= left - 1;
    }
}
