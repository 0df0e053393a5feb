//! Sequences of pads of a row, with AVX2.

use std::arch::x86_64::*;

use generators::tpc::PadId;

use super::isa::{FEW, RowOfPads, SEQUENCE};
use super::pad_list::PadList;

/// Bytes of the head of a sequence.
const HEAD: usize = 2;
/// Where sequences are put that there are not: behind the pads of any row.
const NOWHERE: u8 = u8::MAX;
const ROOM: usize = NOWHERE as usize + SEQUENCE;

/// See [`Isa::number`](super::Isa::number).
///
/// # Safety
/// The machine must have AVX2, and the caller be compiled for it.
#[inline(always)]
pub(super) unsafe fn number(pads: &mut [PadId; SEQUENCE], first: PadId) {
    const { assert!(SEQUENCE == 16) };
    // SAFETY: the caller has AVX2; the store is as large as the array.
    unsafe {
        let first = _mm256_set1_epi16(first.bits() as i16);
        let numbers = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let numbered = _mm256_add_epi16(first, numbers);
        _mm256_storeu_si256(pads.as_mut_ptr().cast(), numbered);
    }
}

/// A row with few and short sequences, without a branch that depends on how many and how
/// short: that can't be foreseen. See [`Isa::few_sequences`](super::Isa::few_sequences).
///
/// # Safety
/// The machine must have AVX2, and the caller be compiled for it.
#[inline(always)]
pub(super) unsafe fn few_sequences(
    pads: &mut PadList,
    start: usize,
    row: RowOfPads,
    heads: &[u8; HEAD * FEW],
    count: usize,
) -> Option<usize> {
    if count > FEW {
        return None;
    }
    // SAFETY: the caller has AVX2.
    let checked = unsafe { checked(row, heads, count) }?;
    let room = pads.room(start);
    // SAFETY: as above.
    unsafe { number_four::<0>(room, row.row, &checked) };
    if count > FEW / 2 {
        // SAFETY: as above.
        unsafe { number_four::<{ FEW / 2 }>(room, row.row, &checked) };
    }
    // From the payload: the next row waits for this number.
    Some(heads[HEAD * count - 1].into())
}

/// The heads, without those that do not count; `None` if any of them is not sound or
/// has a long sequence.
#[inline(always)]
unsafe fn checked(
    row: RowOfPads,
    heads: &[u8; HEAD * FEW],
    count: usize,
) -> Option<[u8; HEAD * FEW]> {
    // SAFETY: the caller has AVX2; loads and stores are as large as the arrays.
    unsafe {
        let heads = _mm_loadu_si128(heads.as_ptr().cast());
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
        _mm_storeu_si128(checked.as_mut_ptr().cast(), _mm_or_si128(heads, nowhere));
        Some(checked)
    }
}

/// Numbers the pads of four sequences, each over what is left of the one before.
#[inline(always)]
unsafe fn number_four<const FIRST: usize>(
    room: &mut [PadId; ROOM],
    row: u8,
    heads: &[u8; HEAD * FEW],
) {
    const { assert!(SEQUENCE == 16 && FIRST + FEW / 2 <= FEW) };
    // SAFETY: the caller has AVX2. A store begins 255 pads behind the beginning of the
    // room at most and has 16 pads.
    unsafe {
        let numbers = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let of_row = _mm256_add_epi16(numbers, _mm256_set1_epi16((i16::from(row as i8)) << 8));
        for place in FIRST..FIRST + FEW / 2 {
            let start = if place == 0 { 0 } else { heads[HEAD * place - 1] };
            let first = _mm256_set1_epi16(heads[HEAD * place].into());
            let numbered = _mm256_add_epi16(of_row, first);
            let target = room.as_mut_ptr().add(start.into());
            _mm256_storeu_si256(target.cast(), numbered);
        }
    }
}
