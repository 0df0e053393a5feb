//! A page: its headers, which are checked before the payload is read (see `checks`), and the
//! payload in contiguous memory.

mod checks;

use generators_tpc::page::rdh::RDH_BYTES;
use generators_tpc::page::zs_header::FLAG_CONTINUES;
use generators_tpc::page::{PAGE_BYTES, Page, Rdh};
use generators_tpc::pages::StreamId;
use generators_tpc::time::{BC_PER_ORBIT, BC_PER_TIME_BIN, orbits_since};
use generators_tpc::{Digit, Endpoint, Layout, ZsFormat};

use super::damage::{Damage, Expected, Field};
use checks::{
    FieldOffset, array_at, check_rdh, check_size_of, check_zs_header, payload_end, payload_start,
    zs_header,
};

/// Contents of the valid headers of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenPage {
    /// The format.
    pub format: ZsFormat,
    /// The sector.
    pub sector: u8,
    /// The endpoint.
    pub endpoint: Endpoint,
    /// Bunch crossings from the start of the time frame to the page's orbit.
    pub orbit_start: u64,
    /// Bunch crossings from there to the page's first time bin.
    pub time_offset: u16,
    /// Row pages: the number of time bins. Others: the last one minus the first.
    pub span: u16,
    /// Samples of the page.
    pub samples: u16,
    /// Blocks of link and dense link pages.
    pub blocks: u16,
    /// Offset of the payload.
    pub start: usize,
    /// End of the payload; in row and link pages, an upper bound of it.
    pub end: usize,
    /// Bytes of the last block that are in the next page, if it continues there.
    pub continuation: Option<usize>,
    /// Bytes of the page that are used.
    pub used: u16,
    /// Offset of the zero-suppression header.
    header: usize,
    page_counter: u16,
    continues: bool,
}

/// Reads the headers of a page; `None` if it has only an RDH.
///
/// # Errors
/// Returns the first field that is wrong.
pub fn open(
    page: &Page,
    stream: StreamId,
    bounds: &FrameBounds,
) -> Result<Option<OpenPage>, Damage> {
    let rdh = Rdh::from_bytes(array_at(page, 0));
    check_size_of(&rdh)?;
    if rdh.is_alone() {
        return Ok(None);
    }
    check_rdh(&rdh, stream, bounds)?;
    let orbits = orbits_since(bounds.first_orbit, rdh.orbit);
    let (offset, header) = zs_header(page, &rdh, bounds.format)?;
    check_zs_header(&header, offset, stream, bounds.format)?;
    let open = OpenPage {
        format: bounds.format,
        sector: stream.sector,
        endpoint: stream.endpoint,
        orbit_start: u64::from(orbits) * BC_PER_ORBIT,
        time_offset: header.time_offset,
        span: match bounds.format.layout() {
            Layout::DenseLink => header.long_span(),
            _ => u16::from(header.span),
        },
        samples: header.samples,
        blocks: header.blocks,
        start: payload_start(&header, bounds.format),
        end: payload_end(&rdh, &header, bounds.format),
        continuation: None,
        used: rdh.memory_size,
        header: offset,
        page_counter: rdh.page_counter,
        continues: bounds.format.layout() == Layout::DenseLink && header.has(FLAG_CONTINUES),
    };
    open.check_extent(header.first_block)?;
    Ok(Some(open))
}

/// Reads the headers of a page of a stream, and those of the next page if the last block continues
/// there.
///
/// # Errors
/// Returns the first field that is wrong.
pub fn open_in_stream(
    pages: &[Page],
    index: usize,
    stream: StreamId,
    bounds: &FrameBounds,
) -> Result<Option<OpenPage>, Damage> {
    let Some(mut page) = open(&pages[index], stream, bounds)? else {
        return Ok(None);
    };
    if page.continues {
        let next = pages.get(index + 1);
        let next = next.and_then(|next| open(next, stream, bounds).ok().flatten());
        page.continuation = Some(page.bytes_in_next(next)?);
    }
    Ok(Some(page))
}

impl OpenPage {
    /// The page's first time bin.
    pub fn first_time_bin(&self) -> u32 {
        ((self.orbit_start + u64::from(self.time_offset)) / BC_PER_TIME_BIN) as u32
    }

    /// The page's last time bin; before the first one if there is none.
    pub fn last_time_bin(&self) -> u32 {
        match self.format.layout() {
            Layout::Row => (self.first_time_bin() + u32::from(self.span)).saturating_sub(1),
            _ => self.first_time_bin() + u32::from(self.span),
        }
    }

    /// End of the payload with the continuation appended.
    pub fn joined_end(&self) -> usize {
        self.end + self.continuation.unwrap_or(0)
    }

    /// A damage in the joined payload, with its offset in the pages.
    pub(super) fn damage(
        &self,
        joined: usize,
        field: Field,
        value: impl Into<u64>,
        expected: Expected,
    ) -> Damage {
        let offset = match joined.checked_sub(self.end) {
            Some(behind) if self.continues => PAGE_BYTES + RDH_BYTES + behind,
            _ => joined,
        };
        Damage::new(offset, field, value, expected)
    }

    /// The damage of a page with more or fewer samples than the header states.
    pub(super) fn wrong_samples(&self, found: usize) -> Damage {
        let expected = Expected::Exactly(found as u64);
        self.wrong(checks::SAMPLES, self.samples, expected)
    }

    /// The damage of a page with a wrong number of blocks.
    pub(super) fn wrong_blocks(&self, expected: Expected) -> Damage {
        self.wrong(checks::BLOCKS, self.blocks, expected)
    }

    /// The damage of a field of the zero-suppression header.
    fn wrong(&self, field: FieldOffset, value: u16, expected: Expected) -> Damage {
        field.of_header(self.header).wrong(value, expected)
    }

    fn check_extent(&self, first_block: u16) -> Result<(), Damage> {
        if self.start > self.end || self.start < RDH_BYTES {
            let expected = Expected::Words("an offset within the payload");
            return Err(self.wrong(checks::FIRST_BLOCK, first_block, expected));
        }
        let end_of_orbit = self.orbit_start + BC_PER_ORBIT - 1;
        if u64::from(self.last_time_bin()) > end_of_orbit / BC_PER_TIME_BIN {
            let expected = Expected::Words("time bins of the page's orbit only");
            return Err(self.wrong(checks::SPAN, self.span, expected));
        }
        if self.span == 0 && self.samples > 0 && self.format.layout() == Layout::Row {
            return Err(self.wrong_samples(0));
        }
        if self.continues && (self.blocks == 0 || usize::from(self.used) != PAGE_BYTES) {
            let expected = Expected::Words("no continuation of a page without blocks or not full");
            return Err(self.wrong(checks::FLAGS, FLAG_CONTINUES.into(), expected));
        }
        Ok(())
    }

    /// The bytes of the next page that belong to this one.
    fn bytes_in_next(&self, next: Option<OpenPage>) -> Result<usize, Damage> {
        let wrong = |offset: usize, value, expected| {
            Damage::new(PAGE_BYTES + offset, Field::Continuation, value, expected)
        };
        let Some(next) = next else {
            return Err(wrong(0, 0_u64, Expected::Words("a sound page")));
        };
        let counter = self.page_counter.wrapping_add(1);
        if next.page_counter != counter {
            let expected = Expected::Exactly(counter.into());
            return Err(wrong(checks::PAGE_COUNTER, next.page_counter.into(), expected));
        }
        if next.orbit_start != self.orbit_start {
            let orbit = next.orbit_start / BC_PER_ORBIT;
            let FieldOffset(offset, _) = checks::ORBIT;
            return Err(wrong(offset, orbit, Expected::Words("the orbit of the page before")));
        }
        Ok(next.start - RDH_BYTES)
    }
}

/// Bounds of the pages of a time frame, known before they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameBounds {
    /// The format of all pages.
    pub format: ZsFormat,
    /// First orbit of the time frame.
    pub first_orbit: u32,
    /// The number of orbits; pages of later ones are damaged.
    pub orbits: u32,
}

impl FrameBounds {
    /// Maximum number of orbits that the time bins of a [`Digit`] can represent.
    pub const MAX_ORBITS: u32 = (Digit::TIME_BINS as u64 * BC_PER_TIME_BIN / BC_PER_ORBIT) as u32;
}

/// Readable padding after every payload, of undefined content: the heads of all links that a block
/// can announce, and a wide load.
const ROOM: usize = 512;
/// Bytes of a payload with its continuation and the padding.
pub(super) const PAYLOAD_BYTES: usize = 2 * PAGE_BYTES + ROOM;

/// A copy of a page with the continuation of its last block appended to the payload.
///
/// The copy is cheap: the page has to be read from memory anyway. It makes every offset in the two
/// pages safe to read from with a wide load.
#[repr(align(64))]
pub(super) struct Payload([u8; PAYLOAD_BYTES]);

impl Payload {
    /// An empty payload.
    pub(super) fn new() -> Box<Self> {
        Box::new(Payload([0; PAYLOAD_BYTES]))
    }

    /// Copies a page. `next` is the next page of the stream.
    #[inline]
    pub(super) fn fill(&mut self, page: &OpenPage, bytes: &Page, next: Option<&Page>) {
        self.0[..page.end].copy_from_slice(&bytes[..page.end]);
        if let (Some(length), Some(next)) = (page.continuation, next) {
            let rest = &next[RDH_BYTES..RDH_BYTES + length];
            self.0[page.end..page.end + length].copy_from_slice(rest);
        }
    }

    /// The bytes, at their offsets in the page.
    #[inline]
    pub(super) fn bytes(&self) -> &[u8; PAYLOAD_BYTES] {
        &self.0
    }
}
