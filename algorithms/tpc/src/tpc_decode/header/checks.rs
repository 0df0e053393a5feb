//! Checks of headers.

use generators_tpc::geometry::Cru;
use generators_tpc::page::link_header::TRIGGER_WORD_BYTES;
use generators_tpc::page::rdh::{RDH_BYTES, RDH_VERSION, ZS_DETECTOR_FIELD, link_id};
use generators_tpc::page::zs_header::{
    FLAG_CONTINUES, FLAG_LONG_SPAN, FLAG_TRIGGER_WORD, HEADER_BYTES, HEADER_MAGIC,
    SHORT_HEADER_BYTES,
};
use generators_tpc::page::{PAGE_BYTES, Page, Rdh, ZsHeader};
use generators_tpc::pages::StreamId;
use generators_tpc::time::{BC_PER_ORBIT, orbits_since};
use generators_tpc::{Layout, ZsFormat};

use super::FrameBounds;
use crate::tpc_decode::damage::{Damage, Expected, Field};

/// Sizes of row and link pages are multiples of this; those of dense link pages, of
/// two of them.
const SIZE_UNIT: u16 = 16;
const KNOWN_FLAGS: u8 = FLAG_TRIGGER_WORD | FLAG_LONG_SPAN | FLAG_CONTINUES;

/// A field for messages, and its offset.
#[derive(Clone, Copy)]
pub(super) struct FieldOffset(pub(super) usize, pub(super) Field);

const HEADER_VERSION: FieldOffset = FieldOffset(0, Field::RdhVersion);
const RDH_SIZE: FieldOffset = FieldOffset(1, Field::RdhSize);
const FEE_ID: FieldOffset = FieldOffset(2, Field::FeeId);
const MEMORY_SIZE: FieldOffset = FieldOffset(10, Field::MemorySize);
const LINK_ID: FieldOffset = FieldOffset(12, Field::LinkId);
pub(super) const ORBIT: FieldOffset = FieldOffset(20, Field::Orbit);
pub(super) const PAGE_COUNTER: usize = 36;
const DETECTOR_FIELD: FieldOffset = FieldOffset(48, Field::DetectorField);
// Fields of the zero-suppression header.
const VERSION: FieldOffset = FieldOffset(0, Field::Version);
pub(super) const SPAN: FieldOffset = FieldOffset(1, Field::Span);
const CRU: FieldOffset = FieldOffset(2, Field::Cru);
const TIME_OFFSET: FieldOffset = FieldOffset(4, Field::TimeOffset);
pub(super) const SAMPLES: FieldOffset = FieldOffset(6, Field::Samples);
pub(super) const FIRST_BLOCK: FieldOffset = FieldOffset(8, Field::FirstBlock);
pub(super) const BLOCKS: FieldOffset = FieldOffset(10, Field::Blocks);
pub(super) const FLAGS: FieldOffset = FieldOffset(12, Field::Flags);
const MAGIC: FieldOffset = FieldOffset(15, Field::Magic);

impl FieldOffset {
    /// This field, in a header at an offset.
    pub(super) fn of_header(self, offset: usize) -> Self {
        FieldOffset(offset + self.0, self.1)
    }

    /// The damage of a field with this value.
    pub(super) fn wrong(self, value: impl Into<u64>, expected: Expected) -> Damage {
        Damage::new(self.0, self.1, value, expected)
    }

    fn must_be<T: Copy + PartialEq + Into<u64>>(self, value: T, expected: T) -> Result<(), Damage> {
        if value == expected {
            return Ok(());
        }
        Err(self.wrong(value, Expected::Exactly(expected.into())))
    }
}

/// Checks that the header is valid, and the number of used bytes that it states.
pub(super) fn check_size_of(rdh: &Rdh) -> Result<(), Damage> {
    HEADER_VERSION.must_be(rdh.header_version, RDH_VERSION)?;
    RDH_SIZE.must_be(rdh.header_size, RDH_BYTES as u8)?;
    let size = usize::from(rdh.memory_size);
    if size < RDH_BYTES {
        Err(wrong_size(rdh, Expected::AtLeast(RDH_BYTES as u64)))
    } else if size > PAGE_BYTES {
        Err(wrong_size(rdh, Expected::AtMost(PAGE_BYTES as u64)))
    } else {
        Ok(())
    }
}

pub(super) fn wrong_size(rdh: &Rdh, expected: Expected) -> Damage {
    MEMORY_SIZE.wrong(rdh.memory_size, expected)
}

pub(super) fn check_rdh(rdh: &Rdh, stream: StreamId, bounds: &FrameBounds) -> Result<(), Damage> {
    DETECTOR_FIELD.must_be(rdh.detector_field, ZS_DETECTOR_FIELD)?;
    let link = link_id(bounds.format);
    let half = (stream.endpoint.half() as u16) << 6;
    let sender = cru_of(stream) << 7 | half | u16::from(link);
    FEE_ID.must_be(rdh.fee_id.0, sender)?;
    LINK_ID.must_be(rdh.link_id, link)?;
    if orbits_since(bounds.first_orbit, rdh.orbit) >= bounds.orbits {
        let expected = Expected::Words("an orbit of the time frame");
        return Err(ORBIT.wrong(rdh.orbit, expected));
    }
    Ok(())
}

fn cru_of(stream: StreamId) -> u16 {
    let cru = Cru::for_region(stream.sector.into(), stream.endpoint.region());
    cru.map_or(u16::MAX, Cru::number)
}

/// The zero-suppression header and its offset.
pub(super) fn zs_header(
    page: &Page,
    rdh: &Rdh,
    format: ZsFormat,
) -> Result<(usize, ZsHeader), Damage> {
    let (bytes, unit) = match format.layout() {
        Layout::Row => (SHORT_HEADER_BYTES, SIZE_UNIT),
        Layout::Link => (HEADER_BYTES, SIZE_UNIT),
        Layout::DenseLink => (HEADER_BYTES, 2 * SIZE_UNIT),
    };
    let size = usize::from(rdh.memory_size);
    if size < RDH_BYTES + bytes {
        let expected = Expected::AtLeast((RDH_BYTES + bytes) as u64);
        return Err(wrong_size(rdh, expected));
    }
    if !rdh.memory_size.is_multiple_of(unit) {
        return Err(wrong_size(rdh, Expected::MultipleOf(unit.into())));
    }
    let offset = match format.layout() {
        Layout::Row | Layout::Link => RDH_BYTES,
        Layout::DenseLink => size - HEADER_BYTES,
    };
    let header = match format.layout() {
        Layout::Row => ZsHeader::from_short_bytes(array_at(page, offset)),
        Layout::Link | Layout::DenseLink => ZsHeader::from_bytes(array_at(page, offset)),
    };
    Ok((offset, header))
}

pub(super) fn check_zs_header(
    header: &ZsHeader,
    offset: usize,
    stream: StreamId,
    format: ZsFormat,
) -> Result<(), Damage> {
    let field = |field: FieldOffset| field.of_header(offset);
    field(VERSION).must_be(header.version, format.version())?;
    if format.layout() != Layout::Row {
        field(MAGIC).must_be(header.magic, HEADER_MAGIC)?;
    }
    field(CRU).must_be(header.cru, cru_of(stream))?;
    if u64::from(header.time_offset) >= BC_PER_ORBIT {
        let expected = Expected::AtMost(BC_PER_ORBIT - 1);
        return Err(field(TIME_OFFSET).wrong(header.time_offset, expected));
    }
    if format.layout() == Layout::DenseLink && header.flags & !KNOWN_FLAGS != 0 {
        let expected = Expected::AtMost(KNOWN_FLAGS.into());
        return Err(field(FLAGS).wrong(header.flags, expected));
    }
    Ok(())
}

pub(super) fn payload_start(header: &ZsHeader, format: ZsFormat) -> usize {
    let first = usize::from(header.first_block);
    match format.layout() {
        Layout::Row => RDH_BYTES + SHORT_HEADER_BYTES,
        Layout::Link => RDH_BYTES + HEADER_BYTES + first * usize::from(SIZE_UNIT),
        Layout::DenseLink => first,
    }
}

pub(super) fn payload_end(rdh: &Rdh, header: &ZsHeader, format: ZsFormat) -> usize {
    let size = usize::from(rdh.memory_size);
    match format.layout() {
        Layout::Row | Layout::Link => size,
        Layout::DenseLink if header.has(FLAG_TRIGGER_WORD) => {
            (size - HEADER_BYTES).saturating_sub(TRIGGER_WORD_BYTES)
        }
        Layout::DenseLink => size - HEADER_BYTES,
    }
}

/// `N` bytes of a page from an offset on, which must lie within.
pub(super) fn array_at<const N: usize>(page: &Page, offset: usize) -> &[u8; N] {
    match page[offset..].first_chunk() {
        Some(bytes) => bytes,
        None => unreachable!("headers lie within their page"),
    }
}
