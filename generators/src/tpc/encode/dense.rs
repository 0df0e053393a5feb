//! Pages of the dense link formats: a block for each time bin with all its links,
//! cut where the page ends.

use super::block::Block;
use super::slots::{SIZE_UNIT, Slots, empty_header};
use super::{FrameInfo, TimeBin};
use crate::tpc::page::rdh::RDH_BYTES;
use crate::tpc::page::trigger::TRIGGER_WORD_BYTES;
use crate::tpc::page::zs_header::{FLAG_CONTINUES, FLAG_TRIGGER_WORD, HEADER_BYTES};
use crate::tpc::page::{PAGE_BYTES, ZsHeader};
use crate::tpc::time::crossing_of;

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
