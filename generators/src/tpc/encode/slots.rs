//! Pages being filled.

use super::FrameInfo;
use crate::tpc::page::rdh::RDH_BYTES;
use crate::tpc::page::zs_header::{HEADER_BYTES, HEADER_MAGIC};
use crate::tpc::page::{PAGE_BYTES, Page, Rdh, ZsHeader};

/// The pages of one endpoint and heartbeat frame, the last one open.
pub(super) struct Slots<'a> {
    pages: &'a mut Vec<Page>,
    rdh: Rdh,
}

impl<'a> Slots<'a> {
    pub(super) fn new(info: &FrameInfo, pages: &'a mut Vec<Page>) -> Self {
        let fee_id = info.fee_id();
        let rdh = Rdh { fee_id, link_id: fee_id.link(), orbit: info.orbit, ..Rdh::default() };
        Slots { pages, rdh }
    }

    /// Opens a page, all zero.
    pub(super) fn open(&mut self) {
        self.pages.push([0; PAGE_BYTES]);
    }

    /// The open page.
    pub(super) fn page(&mut self) -> &mut Page {
        let last = self.pages.len() - 1;
        &mut self.pages[last]
    }

    /// Writes the RDH of the open page, of which `used` bytes are used.
    pub(super) fn close(&mut self, used: usize) {
        self.rdh.memory_size = used as u16;
        let rdh = self.rdh.to_bytes();
        self.page()[..RDH_BYTES].copy_from_slice(&rdh);
    }

    /// Writes a long header into the open page.
    pub(super) fn put_header(&mut self, offset: usize, header: &ZsHeader) {
        self.page()[offset..offset + HEADER_BYTES].copy_from_slice(&header.to_bytes());
    }
}

/// Header of an empty page.
pub(super) fn empty_header(info: &FrameInfo) -> ZsHeader {
    ZsHeader {
        version: info.format.version(),
        cru: info.cru.number(),
        magic: HEADER_MAGIC,
        ..ZsHeader::default()
    }
}

/// Trailer of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PageEnd {
    /// More data of the heartbeat frame follow in the next page.
    MoreFollows,
    /// The data of the heartbeat frame end here.
    LastOfFrame,
}

impl PageEnd {
    /// The size that row and link pages state: the whole slot if more follows,
    /// however little of it is used.
    pub(super) fn stated_size(self, used: usize) -> usize {
        match self {
            PageEnd::MoreFollows => PAGE_BYTES,
            PageEnd::LastOfFrame => used.next_multiple_of(SIZE_UNIT),
        }
    }
}

/// Sizes are multiples of the 16-byte words of the read-out link.
pub(super) const SIZE_UNIT: usize = 16;
