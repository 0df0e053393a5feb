//! Eight digits at a time, with AVX-512.

use std::arch::x86_64::*;

use generators::tpc::{Digit, PadId};

use super::isa::{Bytes, FEW, Group, Isa, RowOfPads, SEQUENCE, array_at};
use super::pad_list::PadList;
use super::sequences;
use crate::tpc_decode::pads::LINK_STRIDE;

/// Where a machine has these instructions. All is inlined into functions only that are
/// compiled for them.
pub(in crate::tpc_decode::cpu) struct Avx512;

/// Digits of a vector.
const LANES: usize = 8;
/// Samples in the eight 64-bit words of a vector of a link block.
const SAMPLES_IN_VECTOR: usize = 40;
const WORD_SAMPLE_BITS: usize = 12;
const SAMPLES_IN_WORD: usize = 5;

impl Isa for Avx512 {
    #[inline(always)]
    fn spread(level: u16, bytes: &[u8; 16]) -> u128 {
        // SAFETY: the instructions are there, as `Avx512` says; the
        // load is of as many bytes as there are.
        unsafe {
            let bytes = _mm_loadu_si128(bytes.as_ptr().cast());
            u128_of(_mm_maskz_expand_epi8(level, bytes))
        }
    }

    #[inline(always)]
    fn list_selected(
        pads: &mut PadList,
        start: usize,
        link: &[PadId; LINK_STRIDE],
        channels: u128,
    ) -> usize {
        let (first, second) = (channels as u32, (channels >> 32) as u32);
        let third = (channels >> 64) as u32;
        let after_first = first.count_ones() as usize;
        let after_second = after_first + second.count_ones() as usize;
        let room = pads.room(start);
        compress::<0>(first, link, room, 0);
        compress::<32>(second, link, room, after_first);
        compress::<64>(third, link, room, after_second);
        start + after_second + third.count_ones() as usize
    }

    #[inline(always)]
    fn number(pads: &mut [PadId; SEQUENCE], first: PadId) {
        // SAFETY: the instructions are there, as `Avx512` says.
        unsafe { sequences::number(pads, first) }
    }

    #[inline(always)]
    fn few_sequences(
        pads: &mut PadList,
        start: usize,
        row: RowOfPads,
        heads: &[u8; 2 * FEW],
        count: usize,
    ) -> Option<usize> {
        // SAFETY: the instructions are there, as `Avx512` says.
        unsafe { sequences::few_sequences(pads, start, row, heads, count) }
    }

    #[inline(always)]
    fn join_packed<const BITS: usize>(
        bytes: &Bytes,
        pads: &PadList,
        group: Group,
        digits: &mut [Digit],
    ) {
        let pattern = const { &Pattern::packed(BITS) };
        let (mut index, mut position) = (0, group.position as usize);
        while index < group.len() {
            // Two vectors a turn: a row seldom needs more, so its end is foreseen.
            for _ in 0..2 {
                let source: &[u8; 16] = array_at(bytes, position);
                // SAFETY: inlined into `decode_here` only, which has the
                // instructions; the load is of as many bytes as there are.
                let words = unsafe {
                    let source = _mm_loadu_si128(source.as_ptr().cast());
                    let source = _mm512_broadcast_i32x4(source);
                    _mm512_shuffle_epi8(source, pattern.bytes.vector())
                };
                store::<BITS>(words, pattern, pads, &group, index, digits);
                index += LANES;
                // So many bytes hold eight samples, and nothing is left over.
                position += BITS;
            }
        }
    }

    #[inline(always)]
    fn join_words(bytes: &Bytes, pads: &PadList, group: Group, digits: &mut [Digit]) {
        let patterns = const { &Pattern::of_words() };
        let (mut index, mut position) = (0, group.position as usize);
        while index < group.len() {
            let source: &[u8; 64] = array_at(bytes, position);
            // SAFETY: the instructions are there, as `Avx512` says;
            // the load is of as many bytes as there are.
            let source = unsafe { _mm512_loadu_si512(source.as_ptr().cast()) };
            for pattern in patterns {
                // SAFETY: as above.
                let words = unsafe { _mm512_permutexvar_epi8(pattern.bytes.vector(), source) };
                store::<WORD_SAMPLE_BITS>(words, pattern, pads, &group, index, digits);
                index += LANES;
                if index >= group.len() {
                    return;
                }
            }
            position += 64;
        }
    }
}

/// Puts the selected ones of 32 pads of a link to a place, which is at most so many
/// behind the beginning of the room as there are pads in the link before them.
#[inline(always)]
fn compress<const FIRST: usize>(
    selected: u32,
    link: &[PadId; LINK_STRIDE],
    room: &mut [PadId; LINK_STRIDE],
    place: usize,
) {
    const { assert!(FIRST + 32 <= LINK_STRIDE) };
    debug_assert!(place <= FIRST);
    // SAFETY: the instructions are there, as `Avx512` says; 32 pads are
    // loaded from within the link, and as many stored within the room.
    unsafe {
        let source = _mm512_loadu_si512(link.as_ptr().add(FIRST).cast());
        let packed = _mm512_maskz_compress_epi16(selected, source);
        _mm512_storeu_si512(room.as_mut_ptr().add(place).cast(), packed);
    }
}

/// Stores the digits of eight samples, or as many as there is room for. The samples
/// are in the lowest bits of each 64-bit word, but for a shift and bits above them.
#[inline(always)]
fn store<const BITS: usize>(
    words: __m512i,
    pattern: &Pattern,
    pads: &PadList,
    group: &Group,
    index: usize,
    digits: &mut [Digit],
) {
    let eight = pads.at::<LANES>(usize::from(group.first) + index);
    // SAFETY: the instructions are there, as `Avx512` says; eight pads
    // are loaded from as many, and the mask keeps the store within the digits.
    unsafe {
        let samples = _mm512_srlv_epi64(words, pattern.shifts.vector());
        let pads = _mm512_broadcast_i32x4(_mm_loadu_si128(eight.as_ptr().cast()));
        let pads = _mm512_shuffle_epi8(pads, PADS_IN_DIGITS.vector());
        let sample_mask = _mm512_set1_epi64((1 << BITS) - 1);
        // (samples & mask) | pads
        let digit = _mm512_ternarylogic_epi64::<0b1111_1000>(pads, samples, sample_mask);
        let digit = _mm512_or_si512(digit, _mm512_set1_epi64(group.template as i64));
        let room = digits.get_mut(index..).unwrap_or_default();
        match room.first_chunk_mut::<LANES>() {
            Some(room) => _mm512_storeu_si512(room.as_mut_ptr().cast(), digit),
            None => {
                let mask = (1_u8 << room.len()) - 1;
                _mm512_mask_storeu_epi64(room.as_mut_ptr().cast(), mask, digit);
            }
        }
    }
}

/// Which bytes of the source hold a sample, and how far it is from their lowest bit.
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
            pattern.place(lane, lane * bits);
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
            patterns[sample / LANES].place(sample % LANES, bit);
            sample += 1;
        }
        patterns
    }

    const fn empty() -> Self {
        Pattern { bytes: Vector([0; 64]), shifts: Vector([0; 8]) }
    }

    /// The sample of a lane begins at a bit of the source: two bytes hold it.
    const fn place(&mut self, lane: usize, bit: usize) {
        self.bytes.0[8 * lane] = (bit / 8) as u8;
        self.bytes.0[8 * lane + 1] = (bit / 8 + 1) as u8;
        self.shifts.0[lane] = bit as u64 % 8;
    }
}

/// The two bytes of a pad go above the sample; a byte with its highest bit set gives 0.
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

impl<T, const N: usize> Vector<T, N> {
    /// # Safety
    /// The machine must have AVX-512.
    #[inline(always)]
    unsafe fn vector(&self) -> __m512i {
        const { assert!(size_of::<[T; N]>() == 64) };
        // SAFETY: 64 bytes, aligned to as many.
        unsafe { _mm512_load_si512(self.0.as_ptr().cast()) }
    }
}

#[inline(always)]
fn u128_of(vector: __m128i) -> u128 {
    let mut bytes = [0_u8; 16];
    // SAFETY: SSE2 is part of x86-64; the store is as large as the array.
    unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), vector) };
    u128::from_le_bytes(bytes)
}
