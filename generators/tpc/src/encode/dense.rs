//! Pages of the dense link formats: a block for each time bin with all its links,
//! cut where the page ends.

use super::link::{ChannelMask, Channels};
use super::slots::{SIZE_UNIT, SLACK, Slots, empty_header, pack, packed_bytes};
use super::{FrameInfo, Sample, TimeBin, ZsFormat};
use crate::geometry::{CHANNELS_IN_LINK, MAX_FECS};
use crate::page::link_header::{
    BLOCK_HEAD_BYTES, BlockHead, FLAT_MASK, MASK_BYTES, MAX_LINK_HEAD_BYTES, SECOND_LEVEL_SHIFT,
    SHORT_SAMPLE_BITS, SHORT_SAMPLES, TRIGGER_WORD_BYTES,
};
use crate::page::rdh::RDH_BYTES;
use crate::page::zs_header::{FLAG_CONTINUES, FLAG_TRIGGER_WORD, HEADER_BYTES};
use crate::page::{PAGE_BYTES, ZsHeader};
use crate::time::crossing_of;

/// The end of the payload of a full page.
const FULL: usize = PAGE_BYTES - HEADER_BYTES;
/// Sizes of pages are multiples of two words of the read-out link.
const PAGE_UNIT: usize = 2 * SIZE_UNIT;

pub(super) fn encode<'a>(
    info: &FrameInfo,
    time_bins: impl Iterator<Item = TimeBin<'a>>,
    slots: Slots,
) {
    let mut writer =
        Writer { info, slots, position: RDH_BYTES, time_bins: None, header: ZsHeader::default() };
    writer.open(RDH_BYTES);
    let mut block = Block::new(info.format);
    for bin in time_bins {
        block.fill(&bin);
        writer.put(&bin, block.bytes());
    }
    writer.finish();
}

struct Writer<'a> {
    info: &'a FrameInfo,
    slots: Slots<'a>,
    position: usize,
    /// The first and the last time bin that start in the open page; if there is none, the last one
    /// before it.
    time_bins: Option<(u32, u32)>,
    header: ZsHeader,
}

impl Writer<'_> {
    /// Opens a page whose first block starts at this offset.
    fn open(&mut self, first_block: usize) {
        self.slots.open();
        self.position = RDH_BYTES;
        self.time_bins = self.time_bins.map(|(_, last)| (last, last));
        self.header = empty_header(self.info);
        self.header.first_block = first_block as u16;
    }

    fn put(&mut self, bin: &TimeBin, block: &[u8]) {
        if self.position == FULL {
            self.close();
            self.open(RDH_BYTES);
        }
        self.count(bin);
        let here = block.len().min(FULL - self.position);
        self.put_bytes(&block[..here]);
        if here < block.len() {
            self.header.flags |= FLAG_CONTINUES;
            self.close();
            self.open(RDH_BYTES + block.len() - here);
            self.put_bytes(&block[here..]);
        }
    }

    /// Counts a block in the page in which it starts.
    fn count(&mut self, bin: &TimeBin) {
        self.time_bins = match self.time_bins {
            Some((first, _)) if self.header.blocks > 0 => Some((first, bin.number)),
            _ => Some((bin.number, bin.number)),
        };
        self.header.blocks += 1;
        self.header.samples += bin.samples.len() as u16;
    }

    fn put_bytes(&mut self, bytes: &[u8]) {
        let end = self.position + bytes.len();
        self.slots.page()[self.position..end].copy_from_slice(bytes);
        self.position = end;
    }

    /// Closes the last page with the trigger word, in an extra page if it does not fit.
    fn finish(&mut self) {
        if self.position.next_multiple_of(PAGE_UNIT) + TRIGGER_WORD_BYTES > FULL {
            self.close();
            self.open(RDH_BYTES);
        }
        self.position = self.position.next_multiple_of(PAGE_UNIT);
        let word = self.info.triggers.to_bytes();
        self.put_bytes(&word);
        self.header.flags |= FLAG_TRIGGER_WORD;
        self.close();
    }

    fn close(&mut self) {
        if let Some((first, last)) = self.time_bins {
            self.header.time_offset = crossing_of(first);
            self.header.set_long_span((last - first) as u16);
        }
        let mut offset = self.position.next_multiple_of(SIZE_UNIT);
        if offset.is_multiple_of(PAGE_UNIT) {
            offset += SIZE_UNIT;
        }
        self.slots.put_header(offset, &self.header);
        self.slots.close(offset + HEADER_BYTES);
    }
}

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
