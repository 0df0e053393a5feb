//! Sequences of pads of a row, with AVX2.

use std::arch::x86_64::*;

use generators::tpc::PadId;

use super::isa::{FEW, RowOfPads, SEQUENCE};
use super::pad_list::PadList;
use crate::device::cpu_features::Avx2;
use crate::device::vectors::{load_128, store_128, store_256};

/// Bytes of the head of a sequence.
const HEAD: usize = 2;
/// Index for absent sequences: after the pads of any row.
const NOWHERE: u8 = u8::MAX;
const ROOM: usize = NOWHERE as usize + SEQUENCE;

/// See [`Isa::number`](super::Isa::number).
#[target_feature(enable = "avx2")]
#[inline]
pub(super) fn number(pads: &mut [PadId; SEQUENCE], first: PadId) {
    let first = _mm256_set1_epi16(first.bits() as i16);
    store_256(pads, _mm256_add_epi16(first, indices()));
}

#[target_feature(enable = "avx2")]
#[inline]
fn indices() -> __m256i {
    const { assert!(SEQUENCE == 16) };
    _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
}

/// Lists a row with few and short sequences, without a branch that depends on their number and
/// lengths, which can't be predicted. See [`Isa::few_sequences`](super::Isa::few_sequences).
#[inline(always)]
pub(super) fn few_sequences(
    avx2: Avx2,
    pads: &mut PadList,
    start: usize,
    row: RowOfPads,
    heads: &[u8; HEAD * FEW],
    count: usize,
) -> Option<usize> {
    if count > FEW {
        return None;
    }
    // SAFETY: the witness proves that the CPU has AVX2.
    let checked = unsafe { checked(row, heads, count) }?;
    let target = pads.target(start);
    number_four::<0>(avx2, target, row.row, &checked);
    if count > FEW / 2 {
        number_four::<{ FEW / 2 }>(avx2, target, row.row, &checked);
    }
    // Loaded from the payload rather than computed: the next row depends on this number.
    Some(heads[HEAD * count - 1].into())
}

/// The heads, without those beyond `count`; `None` if any of them is invalid or has a long
/// sequence.
#[target_feature(enable = "avx2")]
#[inline]
fn checked(row: RowOfPads, heads: &[u8; HEAD * FEW], count: usize) -> Option<[u8; HEAD * FEW]> {
    let heads = load_128(heads);
    let numbers = _mm_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7);
    let counts = _mm_cmpgt_epi16(_mm_set1_epi16(count as i16), numbers);
    let first = _mm_and_si128(heads, _mm_set1_epi16(0xff));
    let end = _mm_srli_epi16::<8>(heads);
    let start = _mm_slli_si128::<2>(end);
    let length = _mm_sub_epi16(end, start);
    let pads_end = _mm_add_epi16(first, length);
    let free = _mm_slli_si128::<2>(pads_end);
    let sound = _mm_cmpgt_epi16(length, _mm_setzero_si128());
    let too_long = _mm_cmpgt_epi16(length, _mm_set1_epi16(SEQUENCE as i16));
    let too_early = _mm_cmpgt_epi16(free, first);
    let too_far = _mm_cmpgt_epi16(pads_end, _mm_set1_epi16(row.pads as i16));
    let bad = _mm_or_si128(too_long, _mm_or_si128(too_early, too_far));
    let bad = _mm_or_si128(bad, _mm_andnot_si128(sound, _mm_set1_epi16(-1)));
    if _mm_testz_si128(bad, counts) == 0 {
        return None;
    }
    let mut checked = [0; HEAD * FEW];
    let nowhere = _mm_andnot_si128(counts, _mm_set1_epi8(NOWHERE as i8));
    store_128(&mut checked, _mm_or_si128(heads, nowhere));
    Some(checked)
}

/// Numbers the pads of four sequences, each overwriting the excess pads of the previous one.
#[inline(always)]
fn number_four<const FIRST: usize>(
    _: Avx2,
    target: &mut [PadId; ROOM],
    row: u8,
    heads: &[u8; HEAD * FEW],
) {
    const { assert!(FIRST + FEW / 2 <= FEW) };
    // SAFETY: the witness proves that the CPU has AVX2.
    let of_row = unsafe { pads_of_row(row) };
    for sequence in FIRST..FIRST + FEW / 2 {
        let start = if sequence == 0 { 0 } else { heads[HEAD * sequence - 1] };
        match target[usize::from(start)..].first_chunk_mut() {
            // SAFETY: the witness proves that the CPU has AVX2.
            Some(pads) => unsafe { number_from(pads, of_row, heads[HEAD * sequence]) },
            None => unreachable!("a sequence fits after any start"),
        }
    }
}

/// The first pads of a row.
#[target_feature(enable = "avx2")]
#[inline]
fn pads_of_row(row: u8) -> __m256i {
    _mm256_add_epi16(indices(), _mm256_set1_epi16((i16::from(row as i8)) << 8))
}

#[target_feature(enable = "avx2")]
#[inline]
fn number_from(pads: &mut [PadId; SEQUENCE], of_row: __m256i, first: u8) {
    store_256(pads, _mm256_add_epi16(of_row, _mm256_set1_epi16(first.into())));
}
