//! Eight digits at a time, with AVX-512.

use std::arch::x86_64::*;

use bytemuck::Pod;
use generators_tpc::{Digit, PadId};

use super::{Bytes, FEW, Group, Isa, PadList, RowOfPads, SEQUENCE, array_at, avx2};
use crate::tpc_decode::input::LINK_STRIDE;
use tasks::device::cpu_features::Avx512Vbmi2;
use tasks::device::vectors::{load_128, load_512, store_128, store_512};

/// Digits of a vector.
const LANES: usize = 8;
/// Pads of a vector.
const PADS: usize = 32;
/// Samples in the eight 64-bit words of a vector of a link block.
const SAMPLES_IN_VECTOR: usize = 40;
const WORD_SAMPLE_BITS: usize = 12;
const SAMPLES_IN_WORD: usize = 5;

impl Isa for Avx512Vbmi2 {
    #[inline(always)]
    fn spread(self, level: u16, bytes: &[u8; 16]) -> u128 {
        // SAFETY: `self` proves that the CPU has VBMI2 and VL of AVX-512.
        unsafe { expand(level, bytes) }
    }

    #[inline(always)]
    fn list_selected(
        self,
        pads: &mut PadList,
        start: usize,
        link: &[PadId; LINK_STRIDE],
        channels: u128,
    ) -> usize {
        let first = channels as u32;
        let second = (channels >> 32) as u32;
        let third = (channels >> 64) as u32;
        let after_first = first.count_ones() as usize;
        let after_second = after_first + second.count_ones() as usize;
        let target = pads.target(start);
        list_part::<0>(self, first, link, target, 0);
        list_part::<PADS>(self, second, link, target, after_first);
        list_part::<{ 2 * PADS }>(self, third, link, target, after_second);
        start + after_second + third.count_ones() as usize
    }

    #[inline(always)]
    fn number(self, pads: &mut [PadId; SEQUENCE], first: PadId) {
        // SAFETY: `self` proves that the CPU has AVX-512, which includes AVX2.
        unsafe { avx2::number(pads, first) }
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
        avx2::few_sequences(self.into(), pads, start, row, heads, count)
    }

    #[inline(always)]
    fn join_packed<const BITS: usize>(
        self,
        bytes: &Bytes,
        pads: &PadList,
        group: Group,
        digits: &mut [Digit],
    ) {
        let pattern = const { &Pattern::packed(BITS) };
        let mut index = 0;
        let mut position = group.position as usize;
        while index < group.len() {
            // Two vectors an iteration: a row seldom needs more, so its end is predicted.
            for _ in 0..2 {
                let source = array_at(bytes, position);
                // SAFETY: `self` proves that the CPU has AVX-512 BW.
                let words = unsafe { packed_words(source, pattern) };
                store::<BITS>(self, words, pattern, pads, &group, index, digits);
                index += LANES;
                // These bytes hold exactly eight samples.
                position += BITS;
            }
        }
    }

    #[inline(always)]
    fn join_words(self, bytes: &Bytes, pads: &PadList, group: Group, digits: &mut [Digit]) {
        let patterns = const { &Pattern::of_words() };
        let mut index = 0;
        let mut position = group.position as usize;
        while index < group.len() {
            let source: &[u8; 64] = array_at(bytes, position);
            // SAFETY: `self` proves that the CPU has AVX-512.
            let source = unsafe { load_512(source) };
            for pattern in patterns {
                // SAFETY: `self` proves that the CPU has AVX-512 VBMI.
                let words = unsafe { permuted_words(source, pattern) };
                store::<WORD_SAMPLE_BITS>(self, words, pattern, pads, &group, index, digits);
                index += LANES;
                if index >= group.len() {
                    return;
                }
            }
            position += 64;
        }
    }
}

/// The next bytes, each where a bit of `level` is set.
#[target_feature(enable = "avx512vl,avx512vbmi2")]
#[inline]
fn expand(level: u16, bytes: &[u8; 16]) -> u128 {
    let mut expanded = [0; 16];
    store_128(&mut expanded, _mm_maskz_expand_epi8(level, load_128(bytes)));
    u128::from_le_bytes(expanded)
}

/// Lists the selected ones of the pads of a link from `FIRST` on, from an index of the buffer on,
/// which is at most `FIRST`: at most that number of pads of the link come before them.
#[inline(always)]
fn list_part<const FIRST: usize>(
    _: Avx512Vbmi2,
    selected: u32,
    link: &[PadId; LINK_STRIDE],
    target: &mut [PadId; LINK_STRIDE],
    index: usize,
) {
    let parts = (link[FIRST..].first_chunk(), target[index..].first_chunk_mut());
    let (Some(pads), Some(target)) = parts else {
        unreachable!("the part is within the pads of a link and the list");
    };
    // SAFETY: the witness proves that the CPU has AVX-512 VBMI2.
    unsafe { compress(selected, pads, target) };
}

/// Moves the selected pads next to each other; zeros follow.
#[target_feature(enable = "avx512vbmi2")]
#[inline]
fn compress(selected: u32, pads: &[PadId; PADS], to: &mut [PadId; PADS]) {
    store_512(to, _mm512_maskz_compress_epi16(selected, load_512(pads)));
}

/// The bytes of eight samples of a stream of bits, in a 64-bit word each.
#[target_feature(enable = "avx512bw")]
#[inline]
fn packed_words(source: &[u8; 16], pattern: &Pattern) -> __m512i {
    let source = _mm512_broadcast_i32x4(load_128(source));
    _mm512_shuffle_epi8(source, pattern.bytes.vector())
}

/// The bytes of eight samples of eight 64-bit words, in a 64-bit word each.
#[target_feature(enable = "avx512vbmi")]
#[inline]
fn permuted_words(source: __m512i, pattern: &Pattern) -> __m512i {
    _mm512_permutexvar_epi8(pattern.bytes.vector(), source)
}

/// Stores the digits of eight samples, as far as there is capacity. The samples are in the
/// lowest bits of each 64-bit word, except for a shift and bits above them.
#[inline(always)]
fn store<const BITS: usize>(
    _: Avx512Vbmi2,
    words: __m512i,
    pattern: &Pattern,
    pads: &PadList,
    group: &Group,
    index: usize,
    digits: &mut [Digit],
) {
    let pads = pads.at(usize::from(group.first) + index);
    // SAFETY: the witness proves that the CPU has AVX-512 BW.
    let joined = unsafe { join_eight::<BITS>(words, &pattern.shifts, pads, group.template) };
    let target = digits.get_mut(index..).unwrap_or_default();
    match target.first_chunk_mut::<LANES>() {
        // SAFETY: the witness proves that the CPU has AVX-512.
        Some(target) => unsafe { store_512(target, joined) },
        // SAFETY: the witness proves that the CPU has AVX-512, and `target` is shorter than a
        // vector.
        None => unsafe { store_first(target, joined) },
    }
}

/// Joins eight samples with their pads.
#[target_feature(enable = "avx512bw")]
#[inline]
fn join_eight<const BITS: usize>(
    words: __m512i,
    shifts: &Vector<u64, 8>,
    pads: &[PadId; LANES],
    template: u64,
) -> __m512i {
    let samples = _mm512_srlv_epi64(words, shifts.vector());
    let pads = _mm512_broadcast_i32x4(load_128(pads));
    let pads = _mm512_shuffle_epi8(pads, PADS_IN_DIGITS.vector());
    let sample_mask = _mm512_set1_epi64((1 << BITS) - 1);
    // (samples & mask) | pads
    let digits = _mm512_ternarylogic_epi64::<0b1111_1000>(pads, samples, sample_mask);
    _mm512_or_si512(digits, _mm512_set1_epi64(template as i64))
}

/// Stores the digits, as far as there is capacity.
///
/// # Safety
/// `target` is shorter than a vector.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn store_first(target: &mut [Digit], digits: __m512i) {
    let mask = (1_u8 << target.len()) - 1;
    // SAFETY: the mask selects the digits within the slice.
    unsafe { _mm512_mask_storeu_epi64(target.as_mut_ptr().cast(), mask, digits) };
}

/// For each sample, its bytes in the source, and its distance from their lowest bit.
struct Pattern {
    bytes: Vector<u8, 64>,
    shifts: Vector<u64, 8>,
}

impl Pattern {
    /// Eight samples of a stream of bits, from each 128-bit part of a vector.
    const fn packed(bits: usize) -> Self {
        let mut pattern = Pattern::empty();
        let mut lane = 0;
        while lane < LANES {
            pattern.set(lane, lane * bits);
            lane += 1;
        }
        pattern
    }

    /// The samples of eight 64-bit words, eight at a time.
    const fn of_words() -> [Self; SAMPLES_IN_VECTOR / LANES] {
        let mut patterns = [const { Pattern::empty() }; SAMPLES_IN_VECTOR / LANES];
        let mut sample = 0;
        while sample < SAMPLES_IN_VECTOR {
            let word = sample / SAMPLES_IN_WORD;
            let bit = 64 * word + sample % SAMPLES_IN_WORD * WORD_SAMPLE_BITS;
            patterns[sample / LANES].set(sample % LANES, bit);
            sample += 1;
        }
        patterns
    }

    const fn empty() -> Self {
        Pattern { bytes: Vector([0; 64]), shifts: Vector([0; 8]) }
    }

    /// Sets a lane to the sample at a bit of the source: two bytes contain it.
    const fn set(&mut self, lane: usize, bit: usize) {
        self.bytes.0[8 * lane] = (bit / 8) as u8;
        self.bytes.0[8 * lane + 1] = (bit / 8 + 1) as u8;
        self.shifts.0[lane] = bit as u64 % 8;
    }
}

/// Byte indices that put the two bytes of a pad above the sample; an index with its highest bit set
/// gives 0.
static PADS_IN_DIGITS: Vector<u8, 64> = {
    let mut bytes = [0x80; 64];
    let mut lane = 0;
    while lane < LANES {
        bytes[8 * lane + 2] = 2 * lane as u8;
        bytes[8 * lane + 3] = 2 * lane as u8 + 1;
        lane += 1;
    }
    Vector(bytes)
};

/// The content of a vector, aligned for it.
#[repr(align(64))]
struct Vector<T, const N: usize>([T; N]);

impl<T: Pod, const N: usize> Vector<T, N> {
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn vector(&self) -> __m512i {
        load_512(&self.0)
    }
}
