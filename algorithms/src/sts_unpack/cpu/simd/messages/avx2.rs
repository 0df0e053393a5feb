//! Eight messages at once.

use std::arch::x86_64::*;

use generators::sts::Digi;
use generators::sts::raw::MicrosliceCounts;

use super::bits::*;
use super::{Found, Hits, Isa, Kinds, Messages, Microslice, Word, unpack};
use crate::device::with_instructions;
use crate::sts_unpack::lookup::{ADDRESS_HIGH, MASKED, UNKNOWN_ELINK, UNWANTED};

with_instructions! {
    /// For machines with AVX2.
    ["avx2", "bmi1", "bmi2", "lzcnt", "popcnt"]
    Messages: fn of_microslice(microslice: Microslice<'_>, digis: &mut [Digi]) -> MicrosliceCounts {
        unpack::<Avx2>(microslice, digis)
    }
}

struct Avx2;

const LANES: usize = 8;
/// Digis of a vector.
const DIGIS: usize = LANES / 2;

impl Isa for Avx2 {
    const LANES: usize = LANES;
    type Vector = __m256i;

    #[inline(always)]
    fn load(words: &[Word]) -> __m256i {
        let words: &[Word; LANES] = match words.first_chunk() {
            Some(words) => words,
            None => unreachable!("a block has so many words"),
        };
        // SAFETY: the instructions are there, as this is inlined into `of_microslice` only; as
        // many words as a vector has are loaded.
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    }

    #[inline(always)]
    fn kinds(words: __m256i) -> Kinds {
        // SAFETY: the instructions are there, as above.
        unsafe {
            let charges = _mm256_and_si256(words, _mm256_set1_epi32(ADC_MASK << ADC));
            let without = signs(_mm256_cmpeq_epi32(charges, _mm256_setzero_si256()));
            let types = _mm256_srli_epi32::<{ TYPE as i32 }>(words);
            let ts_msbs = signs(_mm256_cmpeq_epi32(types, _mm256_set1_epi32(TS_MSB)));
            Kinds { hits: !(without | signs(words)) & 0xff, ts_msbs }
        }
    }

    #[inline(always)]
    fn all(number: u32) -> __m256i {
        // SAFETY: the instructions are there, as above.
        unsafe { _mm256_set1_epi32(number as i32) }
    }

    #[inline(always)]
    fn from(vector: __m256i, lane: u32, number: u32) -> __m256i {
        // SAFETY: the instructions are there, as above.
        unsafe {
            let before = _mm256_cmpgt_epi32(_mm256_set1_epi32(lane as i32), LANE_NUMBERS.vector());
            _mm256_blendv_epi8(_mm256_set1_epi32(number as i32), vector, before)
        }
    }

    #[inline(always)]
    fn put(hits: Hits<'_, __m256i>, digis: &mut [Digi]) -> Found {
        let Hits { words, are_hits, begins, board } = hits;
        // SAFETY: the instructions are there, as above. Places in tables have as many bits as the
        // tables have places for, whatever a message is.
        unsafe {
            let adcs = masked::<{ ADC as i32 }>(words, ADC_MASK);
            let of_times = masked::<{ ELINKS_OF_32 as i32 }>(words, ELINKS_OF_32_MASK);
            let of_times = _mm256_or_si256(of_times, adcs);
            let corrections = _mm256_i32gather_epi32::<4>(board.times.as_ptr().cast(), of_times);
            let of_channels = masked::<{ ELINK_AND_CHANNEL as i32 }>(words, ELINK_AND_CHANNEL_MASK);
            let uppers = _mm256_i32gather_epi32::<4>(board.channels.as_ptr().cast(), of_channels);
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
            let own = _mm256_srli_epi32::<3>(_mm256_add_epi32(eighths, _mm256_set1_epi32(HALF)));
            let times = _mm256_add_epi32(_mm256_add_epi32(begins, own), corrections);
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
            Found { digis: found + more, unknown_elinks: are_unknown.count_ones() }
        }
    }
}

/// From the bit that says whether a channel is masked to the highest one.
const TO_SIGN: i32 = MASKED.leading_zeros() as i32;

/// The highest bit of each number.
#[inline(always)]
fn signs(numbers: __m256i) -> u32 {
    // SAFETY: the instructions are there, as above.
    unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(numbers)) as u32 }
}

/// Some bits of each number.
#[inline(always)]
fn masked<const SHIFT: i32>(words: __m256i, mask: i32) -> __m256i {
    // SAFETY: the instructions are there, as above.
    unsafe { _mm256_and_si256(_mm256_srli_epi32::<SHIFT>(words), _mm256_set1_epi32(mask)) }
}

/// Puts some digis of a vector side by side to the beginning of a list; says how many.
#[inline(always)]
fn compress(vector: __m256i, kept: u32, digis: &mut [Digi]) -> u32 {
    let places: &mut [Digi; DIGIS] = match digis.first_chunk_mut() {
        Some(places) => places,
        None => unreachable!("there is room for a digi of each message, and more"),
    };
    // SAFETY: the instructions are there, as above; there are as many places as a vector has.
    unsafe {
        let packed = _mm256_permutevar8x32_epi32(vector, COMPRESSED[kept as usize].vector());
        _mm256_storeu_si256(places.as_mut_ptr().cast(), packed);
    }
    kept.count_ones()
}

#[derive(Clone, Copy)]
#[repr(align(32))]
struct Numbers([u32; LANES]);

static LANE_NUMBERS: Numbers = Numbers([0, 1, 2, 3, 4, 5, 6, 7]);

/// For each choice of digis the places of their halves.
static COMPRESSED: [Numbers; 1 << DIGIS] = {
    let mut all = [Numbers([0; LANES]); 1 << DIGIS];
    let mut kept = 0;
    while kept < all.len() {
        let (mut digi, mut place) = (0, 0);
        while digi < DIGIS {
            if kept >> digi & 1 == 1 {
                all[kept].0[place] = 2 * digi as u32;
                all[kept].0[place + 1] = 2 * digi as u32 + 1;
                place += 2;
            }
            digi += 1;
        }
        kept += 1;
    }
    all
};

impl Numbers {
    #[inline(always)]
    fn vector(&self) -> __m256i {
        // SAFETY: the instructions are there, as above; there are as many numbers as a vector has.
        unsafe { _mm256_loadu_si256(self.0.as_ptr().cast()) }
    }
}
