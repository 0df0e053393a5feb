//! The header of the zero-suppressed payload.
//!
//! Row pages have its first 8 bytes, after the RDH; link pages all 16, at the same offset; dense
//! link pages all 16, as the last used bytes of the page.

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

header! {
    /// The fields of the header. Some mean different things in different versions.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    ZsHeader, HEADER_BYTES bytes, from_bytes, to_bytes {
        /// The version of the format, 1 to 5.
        version: u8 = 0,
        /// Row pages: the number of time bins. Others: the last time bin minus the
        /// first one, without the 256 of [`FLAG_LONG_SPAN`].
        span: u8 = 1,
        /// The CRU, valid below 360.
        cru: u16 = 2,
        /// Bunch crossings from the orbit of the RDH to the first time bin.
        time_offset: u16 = 4,
        /// Samples of the page; in dense link pages, of the blocks that start in it.
        samples: u16 = 6,
        /// Link pages: 16-byte words between this header and the first link header.
        /// Dense link pages: the first block's offset in the page, in bytes.
        first_block: u16 = 8,
        /// Link pages: link headers. Dense link pages: blocks that start in the page.
        blocks: u16 = 10,
        /// `FLAG_` bits, in dense link pages.
        flags: u8 = 12,
        /// 0.
        reserved: u16 = 13,
        /// [`HEADER_MAGIC`], in long headers.
        magic: u8 = 15,
    }
}

impl ZsHeader {
    /// The fields of a short header; the others are 0.
    pub fn from_short_bytes(bytes: &[u8; SHORT_HEADER_BYTES]) -> Self {
        let mut long = [0; HEADER_BYTES];
        long[..SHORT_HEADER_BYTES].copy_from_slice(bytes);
        ZsHeader::from_bytes(&long)
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
