//! Eight messages at once.

use std::arch::x86_64::*;

use generators_sts::Digi;
use generators_sts::raw::MicrosliceCounts;

use super::blocks::bits::*;
use super::blocks::{HitCounts, Hits, Isa, Kinds, unpack};
use super::{Messages, Microslice};
use crate::sts_unpack::cpu::microslice::Word;
use crate::sts_unpack::tables::{ADDRESS_HIGH, MASKED, UNKNOWN_ELINK, UNWANTED};
use tasks::device::cpu_features::{Avx2, with_instructions};
use tasks::device::vectors::{load_256, store_256};

with_instructions! {
    /// For machines with AVX2.
    ["avx2", "bmi1", "bmi2", "lzcnt", "popcnt"]
    Messages: fn of_microslice(microslice: Microslice<'_>, digis: &mut [Digi]) -> MicrosliceCounts {
        unpack(Avx2::enabled(), microslice, digis)
    }
}

const LANES: usize = 8;
/// Digis of a vector.
const DIGIS: usize = LANES / 2;

impl Isa for Avx2 {
    const LANES: usize = LANES;
    type Vector = __m256i;

    #[inline(always)]
    fn load(self, words: &[Word]) -> __m256i {
        let words: &[Word; LANES] = match words.first_chunk() {
            Some(words) => words,
            None => unreachable!("a block has a vector of words"),
        };
        // SAFETY: `self` proves that the CPU has AVX2.
        unsafe { load_256(words) }
    }

    #[inline(always)]
    fn kinds(self, words: __m256i) -> Kinds {
        // SAFETY: `self` proves that the CPU has AVX2.
        unsafe { kinds(words) }
    }

    #[inline(always)]
    fn all(self, value: u32) -> __m256i {
        // SAFETY: `self` proves that the CPU has AVX2.
        unsafe { _mm256_set1_epi32(value as i32) }
    }

    #[inline(always)]
    fn from(self, vector: __m256i, lane: u32, value: u32) -> __m256i {
        // SAFETY: `self` proves that the CPU has AVX2.
        unsafe { from(vector, lane, value) }
    }

    #[inline(always)]
    fn put(self, hits: Hits<'_, __m256i>, digis: &mut [Digi]) -> HitCounts {
        // SAFETY: `self` proves that the CPU has AVX2.
        unsafe { put(hits, digis) }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn kinds(words: __m256i) -> Kinds {
    let charges = _mm256_and_si256(words, _mm256_set1_epi32(ADC_MASK << ADC));
    let without = signs(_mm256_cmpeq_epi32(charges, _mm256_setzero_si256()));
    let types = _mm256_srli_epi32::<{ TYPE as i32 }>(words);
    let ts_msbs = signs(_mm256_cmpeq_epi32(types, _mm256_set1_epi32(TS_MSB)));
    Kinds { hits: !(without | signs(words)) & 0xff, ts_msbs }
}

#[target_feature(enable = "avx2")]
#[inline]
fn from(vector: __m256i, lane: u32, value: u32) -> __m256i {
    let before = _mm256_cmpgt_epi32(_mm256_set1_epi32(lane as i32), LANE_NUMBERS.vector());
    _mm256_blendv_epi8(_mm256_set1_epi32(value as i32), vector, before)
}

#[target_feature(enable = "avx2")]
#[inline]
fn put(hits: Hits<'_, __m256i>, digis: &mut [Digi]) -> HitCounts {
    let Hits { words, are_hits, epoch_starts, board } = hits;
    let adcs = masked::<{ ADC as i32 }>(words, ADC_MASK);
    let of_times = masked::<{ ELINKS_OF_32 as i32 }>(words, ELINKS_OF_32_MASK);
    let of_times = _mm256_or_si256(of_times, adcs);
    let of_channels = masked::<{ ELINK_AND_CHANNEL as i32 }>(words, ELINK_AND_CHANNEL_MASK);
    let times = board.times.as_ptr();
    let channels = board.channels.as_ptr().cast();
    // SAFETY: masks keep the indices within the tables: `bits` asserts it.
    let (corrections, uppers) = unsafe {
        let corrections = _mm256_i32gather_epi32::<4>(times, of_times);
        (corrections, _mm256_i32gather_epi32::<4>(channels, of_channels))
    };
    let unknown = _mm256_set1_epi32(UNKNOWN_ELINK);
    const { assert!(UNWANTED < UNKNOWN_ELINK) };
    let are_unknown = signs(_mm256_cmpeq_epi32(corrections, unknown)) & are_hits;
    let with_time = signs(_mm256_cmpgt_epi32(corrections, unknown));
    let are_masked = signs(_mm256_slli_epi32::<{ TO_SIGN }>(uppers));
    let kept = with_time & !are_masked & are_hits;

    let ticks = _mm256_or_si256(
        masked::<{ TICKS as i32 }>(words, TICKS_MASK),
        masked::<{ LAST_TICK as i32 }>(words, LAST_TICK_MASK),
    );
    let eighths = _mm256_madd_epi16(ticks, _mm256_set1_epi32(EIGHTHS_OF_TICK));
    let times_in_epoch = _mm256_srli_epi32::<3>(_mm256_add_epi32(eighths, _mm256_set1_epi32(HALF)));
    let times = _mm256_add_epi32(_mm256_add_epi32(epoch_starts, times_in_epoch), corrections);
    const { assert!(ADDRESS_HIGH == 1) };
    let lowers = _mm256_or_si256(times, _mm256_slli_epi32::<31>(uppers));
    let channels = _mm256_andnot_si256(_mm256_set1_epi32(ADC_MASK), uppers);
    let uppers = _mm256_or_si256(channels, adcs);

    // Digis 0, 1, 4, 5 and 2, 3, 6, 7.
    let even = _mm256_unpacklo_epi32(lowers, uppers);
    let odd = _mm256_unpackhi_epi32(lowers, uppers);
    let first = _mm256_permute2x128_si256::<0x20>(even, odd);
    let second = _mm256_permute2x128_si256::<0x31>(even, odd);
    let found = compress(first, kept & 0xf, digis);
    let more = compress(second, kept >> DIGIS, &mut digis[found as usize..]);
    HitCounts { digis: found + more, unknown_elinks: are_unknown.count_ones() }
}

/// Shift from the bit of a masked channel to the sign bit.
const TO_SIGN: i32 = MASKED.leading_zeros() as i32;

/// The highest bit of each number.
#[target_feature(enable = "avx2")]
#[inline]
fn signs(numbers: __m256i) -> u32 {
    _mm256_movemask_ps(_mm256_castsi256_ps(numbers)) as u32
}

/// Some bits of each number.
#[target_feature(enable = "avx2")]
#[inline]
fn masked<const SHIFT: i32>(words: __m256i, mask: i32) -> __m256i {
    _mm256_and_si256(_mm256_srli_epi32::<SHIFT>(words), _mm256_set1_epi32(mask))
}

/// Writes the selected digis of a vector contiguously to the beginning of a list; returns their
/// number.
#[target_feature(enable = "avx2")]
#[inline]
fn compress(vector: __m256i, kept: u32, digis: &mut [Digi]) -> u32 {
    match digis.first_chunk_mut::<DIGIS>() {
        Some(slot) => {
            let order = COMPRESSED[kept as usize].vector();
            store_256(slot, _mm256_permutevar8x32_epi32(vector, order));
        }
        None => unreachable!("the list has capacity for a digi of each message, and slack"),
    }
    kept.count_ones()
}

#[derive(Clone, Copy)]
#[repr(align(32))]
struct IndexTable([u32; LANES]);

static LANE_NUMBERS: IndexTable = IndexTable([0, 1, 2, 3, 4, 5, 6, 7]);

/// Lane indices of the selected digis' halves, for each selection.
static COMPRESSED: [IndexTable; 1 << DIGIS] = {
    let mut all = [IndexTable([0; LANES]); 1 << DIGIS];
    let mut kept = 0;
    while kept < all.len() {
        let mut digi = 0;
        let mut index = 0;
        while digi < DIGIS {
            if kept >> digi & 1 == 1 {
                all[kept].0[index] = 2 * digi as u32;
                all[kept].0[index + 1] = 2 * digi as u32 + 1;
                index += 2;
            }
            digi += 1;
        }
        kept += 1;
    }
    all
};

impl IndexTable {
    #[target_feature(enable = "avx2")]
    #[inline]
    fn vector(&self) -> __m256i {
        load_256(&self.0)
    }
}
