//! Interface of the kernels, and their arguments.

use generators::tpc::page::link_header::{DATA_WORD_BYTES, SAMPLES_IN_DATA_WORD};
use generators::tpc::{Digit, PadId};

use super::pad_list::PadList;
use crate::tpc_decode::pads::LINK_STRIDE;
use crate::tpc_decode::payload::PAYLOAD_BYTES;

/// The bytes that a payload may be read from.
pub(in crate::tpc_decode::cpu) type Bytes = [u8; PAYLOAD_BYTES];

/// Pads that are numbered at once: longer than most sequences.
pub(in crate::tpc_decode::cpu) const SEQUENCE: usize = 16;

/// Maximum number of sequences for `few_sequences`: more than most rows have.
pub(in crate::tpc_decode::cpu) const FEW: usize = 8;

/// Inner loops that benefit from SIMD. An implementing type is a witness that the CPU has the
/// instructions.
pub(in crate::tpc_decode::cpu) trait Isa: Copy {
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
pub(in crate::tpc_decode::cpu) struct RowOfPads {
    pub(in crate::tpc_decode::cpu) row: u8,
    pub(in crate::tpc_decode::cpu) pads: usize,
}

/// Consecutive samples in the payload.
#[derive(Clone, Copy, Default)]
pub(in crate::tpc_decode::cpu) struct Group {
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
pub(in crate::tpc_decode::cpu) enum Packing {
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
pub(in crate::tpc_decode::cpu) fn array_at<const N: usize>(
    bytes: &Bytes,
    position: usize,
) -> &[u8; N] {
    match bytes[position..].first_chunk() {
        Some(array) => array,
        None => unreachable!("each payload is followed by padding"),
    }
}
