//! 16 messages at once.

use std::arch::x86_64::*;

use generators_sts::Digi;
use generators_sts::raw::MicrosliceCounts;

use super::blocks::bits::*;
use super::blocks::{HitCounts, Hits, Isa, Kinds, unpack};
use super::{Messages, Microslice};
use crate::sts_unpack::cpu::microslice::Word;
use crate::sts_unpack::tables::{ADDRESS_HIGH, MASKED, UNKNOWN_ELINK, UNWANTED};
use tasks::device::cpu_features::{Avx512BwDq, with_instructions};
use tasks::device::vectors::{load_512, store_512};

with_instructions! {
    /// For machines with AVX-512.
    ["avx512f", "avx512bw", "avx512vl", "avx512dq", "bmi1", "bmi2", "lzcnt", "popcnt"]
    Messages: fn of_microslice(microslice: Microslice<'_>, digis: &mut [Digi]) -> MicrosliceCounts {
        unpack(Avx512BwDq::enabled(), microslice, digis)
    }
}

const LANES: usize = 16;
/// Digis of a vector.
const DIGIS: usize = LANES / 2;
/// Bits of tables below the channel, which charges replace.
const BELOW_CHANNEL: i32 = ADC_MASK;

impl Isa for Avx512BwDq {
    const LANES: usize = LANES;
    type Vector = __m512i;

    #[inline(always)]
    fn load(self, words: &[Word]) -> __m512i {
        let words: &[Word; LANES] = match words.first_chunk() {
            Some(words) => words,
            None => unreachable!("a block has a vector of words"),
        };
        // SAFETY: `self` proves that the CPU has AVX-512.
        unsafe { load_512(words) }
    }

    #[inline(always)]
    fn kinds(self, words: __m512i) -> Kinds {
        // SAFETY: `self` proves that the CPU has AVX-512 DQ.
        unsafe { kinds(words) }
    }

    #[inline(always)]
    fn all(self, value: u32) -> __m512i {
        // SAFETY: `self` proves that the CPU has AVX-512.
        unsafe { _mm512_set1_epi32(value as i32) }
    }

    #[inline(always)]
    fn from(self, vector: __m512i, lane: u32, value: u32) -> __m512i {
        // SAFETY: `self` proves that the CPU has AVX-512.
        unsafe { _mm512_mask_set1_epi32(vector, u16::MAX << lane, value as i32) }
    }

    #[inline(always)]
    fn put(self, hits: Hits<'_, __m512i>, digis: &mut [Digi]) -> HitCounts {
        // SAFETY: `self` proves that the CPU has AVX-512 BW.
        unsafe { put(hits, digis) }
    }
}

#[target_feature(enable = "avx512dq")]
#[inline]
fn kinds(words: __m512i) -> Kinds {
    let with_charge = _mm512_test_epi32_mask(words, _mm512_set1_epi32(ADC_MASK << ADC));
    let hits = with_charge & !_mm512_movepi32_mask(words);
    let types = _mm512_srli_epi32::<TYPE>(words);
    let ts_msbs = _mm512_cmpeq_epi32_mask(types, _mm512_set1_epi32(TS_MSB));
    Kinds { hits: hits.into(), ts_msbs: ts_msbs.into() }
}

#[target_feature(enable = "avx512bw")]
#[inline]
fn put(hits: Hits<'_, __m512i>, digis: &mut [Digi]) -> HitCounts {
    let Hits { words, are_hits, epoch_starts, board } = hits;
    let are_hits = are_hits as u16;
    let adcs = masked::<ADC>(words, ADC_MASK);
    let of_times = masked::<ELINKS_OF_32>(words, ELINKS_OF_32_MASK);
    let of_times = _mm512_or_si512(of_times, adcs);
    let of_channels = masked::<ELINK_AND_CHANNEL>(words, ELINK_AND_CHANNEL_MASK);
    let none = _mm512_set1_epi32(UNWANTED);
    let times = board.times.as_ptr();
    let channels = board.channels.as_ptr().cast();
    // SAFETY: masks keep the indices within the tables: `bits` asserts it.
    let (corrections, uppers) = unsafe {
        let corrections = _mm512_mask_i32gather_epi32::<4>(none, are_hits, of_times, times);
        (corrections, _mm512_mask_i32gather_epi32::<4>(none, are_hits, of_channels, channels))
    };
    let unknown = _mm512_set1_epi32(UNKNOWN_ELINK);
    let are_unknown = _mm512_cmpeq_epi32_mask(corrections, unknown);
    let kept = _mm512_cmpgt_epi32_mask(corrections, unknown);
    let masks = _mm512_set1_epi32(MASKED as i32);
    let kept = _mm512_mask_testn_epi32_mask(kept, uppers, masks);

    let ticks = _mm512_or_si512(
        masked::<TICKS>(words, TICKS_MASK),
        masked::<LAST_TICK>(words, LAST_TICK_MASK),
    );
    let eighths = _mm512_madd_epi16(ticks, _mm512_set1_epi32(EIGHTHS_OF_TICK));
    let times_in_epoch = _mm512_srli_epi32::<3>(_mm512_add_epi32(eighths, _mm512_set1_epi32(HALF)));
    let times = _mm512_add_epi32(_mm512_add_epi32(epoch_starts, times_in_epoch), corrections);
    const { assert!(ADDRESS_HIGH == 1) };
    let lowers = _mm512_or_si512(times, _mm512_slli_epi32::<31>(uppers));
    let channels = _mm512_andnot_si512(_mm512_set1_epi32(BELOW_CHANNEL), uppers);
    let uppers = _mm512_or_si512(channels, adcs);

    let first = _mm512_permutex2var_epi32(lowers, FIRST_DIGIS.vector(), uppers);
    let second = _mm512_permutex2var_epi32(lowers, SECOND_DIGIS.vector(), uppers);
    let found = compress(first, kept as u8, digis);
    let more = compress(second, (kept >> DIGIS) as u8, &mut digis[found as usize..]);
    HitCounts { digis: found + more, unknown_elinks: are_unknown.count_ones() }
}

/// Some bits of each number.
#[target_feature(enable = "avx512f")]
#[inline]
fn masked<const SHIFT: u32>(words: __m512i, mask: i32) -> __m512i {
    _mm512_and_si512(_mm512_srli_epi32::<SHIFT>(words), _mm512_set1_epi32(mask))
}

/// Writes the selected digis of a vector contiguously to the beginning of a list; returns their
/// number.
#[target_feature(enable = "avx512f")]
#[inline]
fn compress(vector: __m512i, kept: u8, digis: &mut [Digi]) -> u32 {
    match digis.first_chunk_mut::<DIGIS>() {
        Some(slot) => store_512(slot, _mm512_maskz_compress_epi64(kept, vector)),
        None => unreachable!("the list has capacity for a digi of each message, and slack"),
    }
    kept.count_ones()
}

/// Lane indices that gather halves of digis: first the lower ones of all, then the upper ones.
#[repr(align(64))]
struct IndexTable([u32; LANES]);

static FIRST_DIGIS: IndexTable = IndexTable::from(0);
static SECOND_DIGIS: IndexTable = IndexTable::from(DIGIS as u32);

impl IndexTable {
    const fn from(first: u32) -> Self {
        let mut indices = [0; LANES];
        let mut digi = 0;
        while digi < DIGIS {
            indices[2 * digi] = first + digi as u32;
            indices[2 * digi + 1] = first + digi as u32 + LANES as u32;
            digi += 1;
        }
        IndexTable(indices)
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn vector(&self) -> __m512i {
        load_512(&self.0)
    }
}
