//! Four digits at a time, and sequences of pads of a row, with AVX2.

use std::arch::x86_64::*;

use generators_tpc::{Digit, PadId};

use super::{Bytes, FEW, Group, Isa, PadList, RowOfPads, SEQUENCE, array_at};
use crate::tpc_decode::input::LINK_STRIDE;
use tasks::device::cpu_features::{Avx2, Avx2Bmi2};
use tasks::device::vectors::{load_128, store_128, store_256};

/// Digits of a vector.
const LANES: usize = 4;
const WORD_SAMPLE_BITS: usize = 12;
const SAMPLES_IN_WORD: usize = 5;
/// Channels whose pads fill half a vector.
const CHANNELS: usize = 8;

impl Isa for Avx2Bmi2 {
    #[inline(always)]
    fn spread(self, level: u16, bytes: &[u8; 16]) -> u128 {
        let bytes = u128::from_le_bytes(*bytes);
        let low = level & 0xff;
        let high = level >> 8;
        let rest = (bytes >> (8 * low.count_ones())) as u64;
        // SAFETY: `self` proves that the CPU has BMI2.
        let [low, high] = unsafe { [spread_eight(low, bytes as u64), spread_eight(high, rest)] };
        u128::from(low) | u128::from(high) << 64
    }

    #[inline(always)]
    fn list_selected(
        self,
        pads: &mut PadList,
        start: usize,
        link: &[PadId; LINK_STRIDE],
        channels: u128,
    ) -> usize {
        let low = channels as u64;
        let high = (channels >> 64) as u64;
        let middle = list_groups::<8>(self, pads, start, link, low);
        list_groups::<2>(self, pads, middle, &link[64..], high)
    }

    #[inline(always)]
    fn number(self, pads: &mut [PadId; SEQUENCE], first: PadId) {
        // SAFETY: `self` proves that the CPU has AVX2.
        unsafe { number(pads, first) }
    }

    #[inline(always)]
    fn few_sequences(
        self,
        pads: &mut PadList,
        start: usize,
        row: RowOfPads,
        heads: &[u8; 2 * FEW],
        count: usize,
    ) -> Option<usize> {
        few_sequences(self.into(), pads, start, row, heads, count)
    }

    #[inline(always)]
    fn join_packed<const BITS: usize>(
        self,
        bytes: &Bytes,
        pads: &PadList,
        group: Group,
        digits: &mut [Digit],
    ) {
        let bits = BITS as i64;
        let shifts = [0, bits, 2 * bits, 3 * bits];
        let mut index = 0;
        let mut position = group.position as usize;
        while index < group.len() {
            // Two vectors an iteration: a row seldom needs more, so its end is predicted.
            for _ in 0..2 {
                let word = u64::from_le_bytes(*array_at(bytes, position));
                store::<BITS>(self, word, shifts, pads, &group, index, digits);
                index += LANES;
                // These bytes hold exactly four samples.
                position += BITS / 2;
            }
        }
    }

    #[inline(always)]
    fn join_words(self, bytes: &Bytes, pads: &PadList, group: Group, digits: &mut [Digit]) {
        const FOUR: [i64; LANES] = [0, 12, 24, 36];
        const FIFTH: [i64; LANES] = [48; LANES];
        let mut index = 0;
        let mut position = group.position as usize;
        while index < group.len() {
            let word = u64::from_le_bytes(*array_at(bytes, position));
            store::<WORD_SAMPLE_BITS>(self, word, FOUR, pads, &group, index, digits);
            store::<WORD_SAMPLE_BITS>(self, word, FIFTH, pads, &group, index + LANES, digits);
            index += SAMPLES_IN_WORD;
            position += 8;
        }
    }
}

/// Lists the selected pads of some groups of channels; returns the index after them.
#[inline(always)]
fn list_groups<const N: usize>(
    _: Avx2Bmi2,
    pads: &mut PadList,
    mut start: usize,
    link: &[PadId],
    channels: u64,
) -> usize {
    for number in 0..N {
        let mask = (channels >> (CHANNELS * number)) as u8;
        let group: &[PadId; CHANNELS] = match link[CHANNELS * number..].first_chunk() {
            Some(group) => group,
            None => unreachable!("a link has more groups"),
        };
        // SAFETY: the witness proves that the CPU has AVX2.
        unsafe { compress(group, mask, pads.target(start)) };
        start += mask.count_ones() as usize;
    }
    start
}

/// Moves the selected pads of a group of channels next to each other.
#[target_feature(enable = "avx2")]
#[inline]
fn compress(group: &[PadId; CHANNELS], selected: u8, to: &mut [PadId; CHANNELS]) {
    let order = load_128(&COMPRESSION.0[usize::from(selected)]);
    store_128(to, _mm_shuffle_epi8(load_128(group), order));
}

/// Stores the digits of four samples of a word, as far as there is capacity.
#[inline(always)]
fn store<const BITS: usize>(
    _: Avx2Bmi2,
    word: u64,
    shifts: [i64; LANES],
    pads: &PadList,
    group: &Group,
    index: usize,
    digits: &mut [Digit],
) {
    let pads = pads.at(usize::from(group.first) + index);
    // SAFETY: the witness proves that the CPU has AVX2.
    let joined = unsafe { join_four::<BITS>(word, shifts, pads, group.template) };
    let target = digits.get_mut(index..).unwrap_or_default();
    match target.first_chunk_mut::<LANES>() {
        // SAFETY: the witness proves that the CPU has AVX2.
        Some(target) => unsafe { store_256(target, joined) },
        None => {
            let count = target.len() as i64;
            // SAFETY: the witness proves that the CPU has AVX2, and the mask selects the digits
            // within the capacity.
            unsafe {
                let indices = _mm256_setr_epi64x(0, 1, 2, 3);
                let mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), indices);
                _mm256_maskstore_epi64(target.as_mut_ptr().cast(), mask, joined);
            }
        }
    }
}

/// Joins four samples of a word with their pads.
#[target_feature(enable = "avx2")]
#[inline]
fn join_four<const BITS: usize>(
    word: u64,
    [a, b, c, d]: [i64; LANES],
    pads: &[PadId; LANES],
    template: u64,
) -> __m256i {
    let shifts = _mm256_setr_epi64x(a, b, c, d);
    let samples = _mm256_srlv_epi64(_mm256_set1_epi64x(word as i64), shifts);
    let samples = _mm256_and_si256(samples, _mm256_set1_epi64x((1 << BITS) - 1));
    // SAFETY: eight bytes are loaded, the size of the four pads.
    let pads = unsafe { _mm_loadl_epi64(pads.as_ptr().cast()) };
    let pads = _mm256_slli_epi64::<16>(_mm256_cvtepu16_epi64(pads));
    let pads = _mm256_or_si256(pads, _mm256_set1_epi64x(template as i64));
    _mm256_or_si256(samples, pads)
}

/// The next bytes, each where a bit of `level` is set.
#[target_feature(enable = "bmi2")]
#[inline]
fn spread_eight(level: u16, bytes: u64) -> u64 {
    const LOWEST_BITS: u64 = 0x0101_0101_0101_0101;
    _pdep_u64(bytes, _pdep_u64(level.into(), LOWEST_BITS) * 0xff)
}

/// For each mask, the indices of its pads' bytes among eight pads.
#[repr(align(16))]
struct Compression([[u8; 16]; 256]);

static COMPRESSION: Compression = {
    let mut orders = [[0x80; 16]; 256];
    let mut mask = 0;
    while mask < 256 {
        let mut channel = 0;
        let mut kept = 0;
        while channel < CHANNELS {
            if mask >> channel & 1 == 1 {
                orders[mask][2 * kept] = 2 * channel as u8;
                orders[mask][2 * kept + 1] = 2 * channel as u8 + 1;
                kept += 1;
            }
            channel += 1;
        }
        mask += 1;
    }
    Compression(orders)
};

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
