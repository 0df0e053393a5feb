//! The inner work of decoding, for each set of instructions.
//!
//! Each kernel is written for `#[inline(always)]` into a walk that is compiled for
//! its instructions.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod few_sequences;
mod pad_list;
mod scalar;

use generators::tpc::page::link_header::{DATA_WORD_BYTES, SAMPLES_IN_DATA_WORD};
use generators::tpc::{Digit, PadId};

use super::walk::{self, Job};
use crate::tpc_decode::pads::LINK_STRIDE;
use crate::tpc_decode::payload::PAYLOAD_BYTES;
pub(in crate::tpc_decode) use pad_list::PadList;
use scalar::Scalar;

/// The bytes that a payload may be read from.
type Bytes = [u8; PAYLOAD_BYTES];

/// Pads that are numbered at once: more than most sequences have.
pub(super) const SEQUENCE: usize = 16;

/// Sequences that are few: more than most rows have.
pub(super) const FEW: usize = 8;

/// What is worth wide instructions.
pub(super) trait Isa {
    /// A channel mask from the mask bytes that are not zero: byte `i` is the next of
    /// `bytes` where bit `i` of `level` is set. Bits from 80 on mean nothing.
    fn spread(level: u16, bytes: &[u8; 16]) -> u128;

    /// Lists the pads of the channels that are set, in ascending order, from an index
    /// of the list on; returns the index behind them.
    fn list_selected(
        pads: &mut PadList,
        start: usize,
        link: &[PadId; LINK_STRIDE],
        channels: u128,
    ) -> usize;

    /// Pads of a row that follow each other.
    fn number(pads: &mut [PadId; SEQUENCE], first: PadId);

    /// Lists the pads of a row with few and short sequences, from an index of the list
    /// on, and returns how many there are; `None` if the sequences are not so, or not
    /// sound. `heads` has the first pad and the end of each.
    fn few_sequences(
        pads: &mut PadList,
        start: usize,
        row: RowOfPads,
        heads: &[u8; 2 * FEW],
        count: usize,
    ) -> Option<usize>;

    /// A digit for each pad of a group, with samples of a stream of bits. There is
    /// room for at least as many digits; those behind them may be overwritten.
    fn join_packed<const BITS: usize>(
        bytes: &Bytes,
        pads: &PadList,
        group: Group,
        digits: &mut [Digit],
    );

    /// The same with five 12-bit samples in each 64-bit word.
    fn join_words(bytes: &Bytes, pads: &PadList, group: Group, digits: &mut [Digit]);
}

/// A row, and how many pads it has.
#[derive(Clone, Copy)]
pub(super) struct RowOfPads {
    pub(super) row: u8,
    pub(super) pads: usize,
}

/// Samples that follow each other in the payload.
#[derive(Clone, Copy, Default)]
pub(super) struct Group {
    /// What their digits have in common.
    pub(super) template: u64,
    /// Where the first one is in the payload.
    pub(super) position: u32,
    /// The first pad in the list.
    pub(super) first: u16,
    /// The end of their pads in the list.
    pub(super) end: u16,
    /// How they are packed.
    pub(super) packing: Packing,
}

impl Group {
    /// The number of samples.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        usize::from(self.end - self.first)
    }
}

/// How samples are packed.
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
    /// Bytes that so many samples take.
    #[inline(always)]
    pub(super) fn bytes_of(self, samples: usize) -> usize {
        match self {
            Packing::Bits10 => (samples * 10).div_ceil(8),
            Packing::Bits12 => (samples * 12).div_ceil(8),
            Packing::Words => samples.div_ceil(SAMPLES_IN_DATA_WORD) * DATA_WORD_BYTES,
        }
    }
}

/// Sets of instructions that there are kernels for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tpc_decode) enum Level {
    /// Any machine.
    Scalar,
    /// AVX2 and BMI2.
    Avx2,
    /// AVX-512 with byte permutations and compression of 16-bit words.
    Avx512,
}

/// A function that decodes pages: see [`walk::decode`].
pub(in crate::tpc_decode) type DecodePage = fn(Job<'_>, &mut [Digit]) -> Option<()>;

impl Level {
    /// All levels, the widest last.
    #[cfg(test)]
    pub(in crate::tpc_decode) const ALL: [Level; 3] = [Level::Scalar, Level::Avx2, Level::Avx512];

    /// The widest that this machine has.
    pub(in crate::tpc_decode) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if avx512::if_available().is_some() {
                return Level::Avx512;
            }
            if avx2::if_available().is_some() {
                return Level::Avx2;
            }
        }
        Level::Scalar
    }

    /// Its decoder, if this machine has the instructions.
    pub(in crate::tpc_decode) fn decoder(self) -> Option<DecodePage> {
        match self {
            Level::Scalar => Some(walk::decode::<Scalar>),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => avx2::if_available(),
            #[cfg(target_arch = "x86_64")]
            Level::Avx512 => avx512::if_available(),
            #[cfg(not(target_arch = "x86_64"))]
            Level::Avx2 | Level::Avx512 => None,
        }
    }
}
