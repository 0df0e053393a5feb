//! The block of one time bin in the dense link formats.

use super::bits::{SLACK, pack, packed_bytes};
use super::channels::{ChannelMask, Channels};
use super::{Sample, TimeBin, ZsFormat};
use crate::tpc::geometry::{CHANNELS_IN_LINK, MAX_FECS};
use crate::tpc::page::dense_block::{
    BLOCK_HEAD_BYTES, BlockHead, FLAT_MASK, MASK_BYTES, MAX_LINK_HEAD_BYTES, SECOND_LEVEL_SHIFT,
    SHORT_SAMPLE_BITS, SHORT_SAMPLES,
};
use crate::tpc::time::crossing_of;

const SAMPLE_BITS: u32 = 12;
const LINKS: usize = MAX_FECS / 2;
/// Bytes of the largest block.
const MAX_BLOCK_BYTES: usize = BLOCK_HEAD_BYTES
    + LINKS * MAX_LINK_HEAD_BYTES
    + packed_bytes(LINKS * CHANNELS_IN_LINK, SAMPLE_BITS);

/// A block, rebuilt for each time bin.
pub(super) struct Block {
    format: ZsFormat,
    bytes: [u8; MAX_BLOCK_BYTES + SLACK],
    length: usize,
}

impl Block {
    pub(super) fn new(format: ZsFormat) -> Self {
        Block { format, bytes: [0; MAX_BLOCK_BYTES + SLACK], length: 0 }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Makes the block of a time bin.
    pub(super) fn fill(&mut self, bin: &TimeBin) {
        let bits = self.sample_bits(bin.samples);
        self.length = BLOCK_HEAD_BYTES;
        let links = self.put_link_heads(bin.samples);
        let mut crossing = crossing_of(bin.number);
        if bits == SHORT_SAMPLE_BITS {
            crossing |= SHORT_SAMPLES;
        }
        let head = BlockHead { links, crossing }.to_bytes();
        self.bytes[..BLOCK_HEAD_BYTES].copy_from_slice(&head);
        self.length += pack(bin.samples, bits, &mut self.bytes[self.length..]);
    }

    /// Version 5 uses short samples where all samples of the time bin allow it.
    fn sample_bits(&self, samples: &[Sample]) -> u32 {
        let is_short = |sample: &Sample| sample.adc() >> SHORT_SAMPLE_BITS == 0;
        if self.format == ZsFormat::DenseLinkV2 && samples.iter().all(is_short) {
            SHORT_SAMPLE_BITS
        } else {
            SAMPLE_BITS
        }
    }

    /// Puts the head of each link and returns how many there are.
    fn put_link_heads(&mut self, samples: &[Sample]) -> u8 {
        let mut links = 0;
        for (fec, mask) in Channels::from_samples(samples).links() {
            self.put_link_head(fec, mask);
            links += 1;
        }
        links
    }

    fn put_link_head(&mut self, fec: u8, mask: &ChannelMask) {
        let second_level = second_level(mask);
        if second_level == ALL_BYTES {
            self.push(fec | FLAT_MASK);
        } else {
            self.push(fec | ((second_level >> 8) as u8) << SECOND_LEVEL_SHIFT);
            self.push(second_level as u8);
        }
        for byte in mask {
            self.bytes[self.length] = *byte;
            self.length += usize::from(*byte != 0);
        }
    }

    fn push(&mut self, byte: u8) {
        self.bytes[self.length] = byte;
        self.length += 1;
    }
}

/// All bits of the second-level mask.
const ALL_BYTES: u16 = (1 << MASK_BYTES) - 1;

/// Mask of the nonzero bytes of a channel mask.
fn second_level(mask: &ChannelMask) -> u16 {
    let bits = mask.iter().enumerate();
    bits.fold(0, |level, (i, byte)| level | u16::from(*byte != 0) << i)
}
