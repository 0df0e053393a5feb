//! The header of the zero-suppressed payload.
//!
//! Row pages have its first 8 bytes, after the RDH; link pages all 16, at the same offset; dense
//! link pages all 16, as the last used bytes of the page.

use super::{Field, u16_at};

/// Bytes of the header in row pages.
pub const SHORT_HEADER_BYTES: usize = 8;
/// Bytes of the header in link and dense link pages.
pub const HEADER_BYTES: usize = 16;
/// The last byte of the long header.
pub const HEADER_MAGIC: u8 = 0xfd;

/// Flag: a trigger word stands before the header.
pub const FLAG_TRIGGER_WORD: u8 = 1;
/// Flag: 256 are to be added to the span.
pub const FLAG_LONG_SPAN: u8 = 2;
/// Flag: the last block continues in the next page of the stream.
pub const FLAG_CONTINUES: u8 = 4;

const VERSION: usize = 0;
const SPAN: usize = 1;
const CRU: Field = 2..4;
const TIME_OFFSET: Field = 4..6;
const SAMPLES: Field = 6..8;
const FIRST_BLOCK: Field = 8..10;
const BLOCKS: Field = 10..12;
const FLAGS: usize = 12;
const RESERVED: Field = 13..15;
const MAGIC: usize = 15;

/// The fields of the header. Some mean different things in different versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZsHeader {
    /// The version of the format, 1 to 5.
    pub version: u8,
    /// Row pages: the number of time bins. Others: the last time bin minus the
    /// first one, without the 256 of [`FLAG_LONG_SPAN`].
    pub span: u8,
    /// The CRU, valid below 360.
    pub cru: u16,
    /// Bunch crossings from the orbit of the RDH to the first time bin.
    pub time_offset: u16,
    /// Samples of the page; in dense link pages, of the blocks that start in it.
    pub samples: u16,
    /// Link pages: 16-byte words between this header and the first link header.
    /// Dense link pages: the first block's offset in the page, in bytes.
    pub first_block: u16,
    /// Link pages: link headers. Dense link pages: blocks that start in the page.
    pub blocks: u16,
    /// `FLAG_` bits, in dense link pages.
    pub flags: u8,
    /// 0.
    pub reserved: u16,
    /// [`HEADER_MAGIC`], in long headers.
    pub magic: u8,
}

impl ZsHeader {
    /// The fields of a long header.
    pub fn from_bytes(bytes: &[u8; HEADER_BYTES]) -> Self {
        ZsHeader {
            version: bytes[VERSION],
            span: bytes[SPAN],
            cru: u16_at(bytes, CRU),
            time_offset: u16_at(bytes, TIME_OFFSET),
            samples: u16_at(bytes, SAMPLES),
            first_block: u16_at(bytes, FIRST_BLOCK),
            blocks: u16_at(bytes, BLOCKS),
            flags: bytes[FLAGS],
            reserved: u16_at(bytes, RESERVED),
            magic: bytes[MAGIC],
        }
    }

    /// The fields of a short header; the others are 0.
    pub fn from_short_bytes(bytes: &[u8; SHORT_HEADER_BYTES]) -> Self {
        let mut long = [0; HEADER_BYTES];
        long[..SHORT_HEADER_BYTES].copy_from_slice(bytes);
        ZsHeader::from_bytes(&long)
    }

    /// The bytes of a long header.
    pub fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[VERSION] = self.version;
        bytes[SPAN] = self.span;
        bytes[CRU].copy_from_slice(&self.cru.to_le_bytes());
        bytes[TIME_OFFSET].copy_from_slice(&self.time_offset.to_le_bytes());
        bytes[SAMPLES].copy_from_slice(&self.samples.to_le_bytes());
        bytes[FIRST_BLOCK].copy_from_slice(&self.first_block.to_le_bytes());
        bytes[BLOCKS].copy_from_slice(&self.blocks.to_le_bytes());
        bytes[FLAGS] = self.flags;
        bytes[RESERVED].copy_from_slice(&self.reserved.to_le_bytes());
        bytes[MAGIC] = self.magic;
        bytes
    }

    /// The bytes of a short header.
    pub fn to_short_bytes(&self) -> [u8; SHORT_HEADER_BYTES] {
        let mut short = [0; SHORT_HEADER_BYTES];
        short.copy_from_slice(&self.to_bytes()[..SHORT_HEADER_BYTES]);
        short
    }

    /// In dense link pages, the last time bin minus the first one.
    pub const fn long_span(&self) -> u16 {
        self.span as u16 + 256 * self.has(FLAG_LONG_SPAN) as u16
    }

    /// Sets span and flag so that [`ZsHeader::long_span`] is this, below 512.
    pub(crate) fn set_long_span(&mut self, span: u16) {
        self.span = span as u8;
        self.flags &= !FLAG_LONG_SPAN;
        if span > u16::from(u8::MAX) {
            self.flags |= FLAG_LONG_SPAN;
        }
    }

    /// True if a flag is set.
    pub const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> ZsHeader {
        ZsHeader {
            version: 4,
            span: 2,
            cru: 0x0304,
            time_offset: 0x0506,
            samples: 0x0708,
            first_block: 0x090a,
            blocks: 0x0b0c,
            flags: FLAG_TRIGGER_WORD | FLAG_CONTINUES,
            reserved: 0,
            magic: HEADER_MAGIC,
        }
    }

    #[test]
    fn fields_lie_where_the_format_has_them() {
        let bytes = header().to_bytes();
        let expected = [4, 2, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 5, 0, 0, 0xfd];
        assert_eq!(bytes, expected);
        assert_eq!(ZsHeader::from_bytes(&bytes), header());
    }

    #[test]
    fn short_headers_are_the_first_half() {
        let short = header().to_short_bytes();
        let read = ZsHeader::from_short_bytes(&short);
        assert_eq!(short, [4, 2, 4, 3, 6, 5, 8, 7]);
        assert_eq!((read.samples, read.blocks, read.magic), (0x0708, 0, 0));
    }

    #[test]
    fn long_spans_have_nine_bits() {
        let mut header = header();
        for span in [0, 255, 256, 445, 511] {
            header.set_long_span(span);
            assert_eq!(header.long_span(), span);
            assert!(header.has(FLAG_CONTINUES));
        }
    }
}
