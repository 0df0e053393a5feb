//! The inner loops of decoding, for each instruction set, and the scalar one.
//!
//! Each kernel is inlined (`#[inline(always)]`) into a walk that is compiled for its instruction
//! set: see `DecodePage`.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(test)]
mod tests;

use generators_tpc::geometry::{CHANNELS_IN_LINK, MAX_FECS};
use generators_tpc::page::link_header::{DATA_WORD_BYTES, SAMPLES_IN_DATA_WORD};
use generators_tpc::{Digit, PadId};

use crate::tpc_decode::header::PAYLOAD_BYTES;
use crate::tpc_decode::input::LINK_STRIDE;

/// The bytes that a payload may be read from.
pub(super) type Bytes = [u8; PAYLOAD_BYTES];

/// Pads that are numbered at once: longer than most sequences.
pub(super) const SEQUENCE: usize = 16;

/// Maximum number of sequences for `few_sequences`: more than most rows have.
pub(in crate::tpc_decode::cpu) const FEW: usize = 8;

/// Inner loops that benefit from SIMD. An implementing type is a witness that the CPU has the
/// instructions.
pub(super) trait Isa: Copy {
    /// A channel mask from the mask bytes that are not zero: byte `i` is the next of `bytes` if bit
    /// `i` of `level` is set. Bits from 80 on are undefined.
    fn spread(self, level: u16, bytes: &[u8; 16]) -> u128;

    /// Lists the pads of the channels that are set, in ascending order, from an index of the list
    /// on; returns the index after them.
    fn list_selected(
        self,
        pads: &mut PadList,
        start: usize,
        link: &[PadId; LINK_STRIDE],
        channels: u128,
    ) -> usize;

    /// Numbers consecutive pads of a row.
    fn number(self, pads: &mut [PadId; SEQUENCE], first: PadId);

    /// Lists the pads of a row with few and short sequences, from an index of the list on, and
    /// returns their number; `None` if there are many or long ones, if they are invalid, or if this
    /// kernel would be slower. `heads` has the first pad and the end of each.
    #[inline(always)]
    fn few_sequences(
        self,
        _pads: &mut PadList,
        _start: usize,
        _row: RowOfPads,
        _heads: &[u8; 2 * FEW],
        _count: usize,
    ) -> Option<usize> {
        None
    }

    /// Makes a digit for each pad of a group, with samples of a stream of bits. The capacity is at
    /// least the number of digits; elements after them may be overwritten.
    fn join_packed<const BITS: usize>(
        self,
        bytes: &Bytes,
        pads: &PadList,
        group: Group,
        digits: &mut [Digit],
    );

    /// Makes digits like `join_packed`, with five 12-bit samples in each 64-bit word.
    fn join_words(self, bytes: &Bytes, pads: &PadList, group: Group, digits: &mut [Digit]);
}

/// A row, and its number of pads.
#[derive(Clone, Copy)]
pub(super) struct RowOfPads {
    pub(in crate::tpc_decode::cpu) row: u8,
    pub(in crate::tpc_decode::cpu) pads: usize,
}

/// Consecutive samples in the payload.
#[derive(Clone, Copy, Default)]
pub(super) struct Group {
    /// Common bits of their digits.
    pub(in crate::tpc_decode::cpu) template: u64,
    /// Offset of the first one in the payload.
    pub(in crate::tpc_decode::cpu) position: u32,
    /// The first pad in the list.
    pub(in crate::tpc_decode::cpu) first: u16,
    /// The end of their pads in the list.
    pub(in crate::tpc_decode::cpu) end: u16,
    /// Packing of the samples.
    pub(in crate::tpc_decode::cpu) packing: Packing,
}

impl Group {
    /// The number of samples.
    #[inline(always)]
    pub(in crate::tpc_decode::cpu) fn len(&self) -> usize {
        usize::from(self.end - self.first)
    }
}

/// Packing of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Packing {
    /// A stream of bits, 10 for each.
    #[default]
    Bits10,
    /// A stream of bits, 12 for each.
    Bits12,
    /// Five of 12 bits in each 64-bit word.
    Words,
}

impl Packing {
    /// Bytes of this number of samples.
    #[inline(always)]
    pub(in crate::tpc_decode::cpu) fn bytes_of(self, samples: usize) -> usize {
        match self {
            Packing::Bits10 => (samples * 10).div_ceil(8),
            Packing::Bits12 => (samples * 12).div_ceil(8),
            Packing::Words => samples.div_ceil(SAMPLES_IN_DATA_WORD) * DATA_WORD_BYTES,
        }
    }
}

/// Bytes of a payload from a position on.
#[inline(always)]
pub(super) fn array_at<const N: usize>(bytes: &Bytes, position: usize) -> &[u8; N] {
    match bytes[position..].first_chunk() {
        Some(array) => array,
        None => unreachable!("each payload is followed by padding"),
    }
}

/// Maximum number of pads that a time bin adds: all channels of all links of an endpoint, which are
/// more than the pads of its rows.
const MAX_ADDED: usize = MAX_FECS / 2 * CHANNELS_IN_LINK;
/// Pads of several time bins.
const MAX_PADS: usize = 2560;
/// Padding that wide stores may overwrite.
const SLACK: usize = 320;

/// Pads in the order of their samples. The caller keeps their number: in a register, so that it
/// doesn't wait for the stores to the list.
#[repr(align(64))]
pub(super) struct PadList {
    pads: [PadId; MAX_PADS + SLACK],
}

impl PadList {
    /// An empty list.
    pub(in crate::tpc_decode::cpu) fn new() -> Box<Self> {
        Box::new(PadList { pads: [PadId::default(); MAX_PADS + SLACK] })
    }

    /// True if the pads of another time bin might not fit after this number of pads.
    #[inline(always)]
    pub(in crate::tpc_decode::cpu) fn is_almost_full(length: usize) -> bool {
        length + MAX_ADDED > MAX_PADS
    }

    /// Destination of `N` pads from an index on. All may be written, even if fewer of them count as
    /// listed.
    #[inline(always)]
    pub(in crate::tpc_decode::cpu) fn target<const N: usize>(
        &mut self,
        start: usize,
    ) -> &mut [PadId; N] {
        match self.pads[start..].first_chunk_mut() {
            Some(target) => target,
            None => unreachable!("a full list is followed by padding"),
        }
    }

    /// `N` pads from an index on; those that were not listed are undefined.
    #[inline(always)]
    fn at<const N: usize>(&self, index: usize) -> &[PadId; N] {
        match self.pads[index..].first_chunk() {
            Some(pads) => pads,
            None => unreachable!("a full list is followed by padding"),
        }
    }
}

const SAMPLES_IN_WORD: usize = 5;
const WORD_SAMPLE_BITS: usize = 12;

/// No instructions beyond those of the target.
#[derive(Clone, Copy)]
pub(super) struct Scalar;

impl Isa for Scalar {
    #[inline(always)]
    fn spread(self, level: u16, bytes: &[u8; 16]) -> u128 {
        let mut mask = [0; 16];
        let mut rest = level;
        for byte in bytes {
            if rest == 0 {
                break;
            }
            mask[rest.trailing_zeros() as usize] = *byte;
            rest &= rest - 1;
        }
        u128::from_le_bytes(mask)
    }

    #[inline(always)]
    fn list_selected(
        self,
        pads: &mut PadList,
        start: usize,
        link: &[PadId; LINK_STRIDE],
        channels: u128,
    ) -> usize {
        let halves = [(channels as u64, 0), ((channels >> 64) as u64, 64)];
        let mut end = start;
        for (mut rest, first) in halves {
            let count = rest.count_ones() as usize;
            for pad in &mut pads.target::<64>(end)[..count] {
                *pad = link[first + rest.trailing_zeros() as usize];
                rest &= rest - 1;
            }
            end += count;
        }
        end
    }

    #[inline(always)]
    fn number(self, pads: &mut [PadId; SEQUENCE], first: PadId) {
        for (pad, number) in pads.iter_mut().zip(0_u8..) {
            *pad = PadId::new(first.row(), first.pad().wrapping_add(number));
        }
    }

    #[inline(always)]
    fn join_packed<const BITS: usize>(
        self,
        bytes: &Bytes,
        pads: &PadList,
        group: Group,
        digits: &mut [Digit],
    ) {
        let range = usize::from(group.first)..usize::from(group.end);
        for (index, (sample, digit)) in range.zip(digits).enumerate() {
            let bit = index * BITS;
            let word = *array_at(bytes, group.position as usize + bit / 8);
            let adc = u32::from_le_bytes(word) >> (bit % 8) & ((1 << BITS) - 1);
            *digit = join(group.template, pads.at::<1>(sample)[0], adc.into());
        }
    }

    #[inline(always)]
    fn join_words(self, bytes: &Bytes, pads: &PadList, group: Group, digits: &mut [Digit]) {
        let mut sample = usize::from(group.first);
        let mut position = group.position as usize;
        let end = usize::from(group.end);
        for digits in digits[..end - sample].chunks_mut(SAMPLES_IN_WORD) {
            let mut word = u64::from_le_bytes(*array_at(bytes, position));
            for digit in digits {
                let adc = word & ((1 << WORD_SAMPLE_BITS) - 1);
                *digit = join(group.template, pads.at::<1>(sample)[0], adc);
                word >>= WORD_SAMPLE_BITS;
                sample += 1;
            }
            position += 8;
        }
    }
}

#[inline(always)]
fn join(template: u64, pad: PadId, adc: u64) -> Digit {
    Digit::from_bits(template | u64::from(pad.bits()) << 16 | adc)
}
