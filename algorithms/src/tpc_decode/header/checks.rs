//! What headers have to be.

use generators::tpc::encode::link_id;
use generators::tpc::geometry::Cru;
use generators::tpc::page::rdh::{RDH_BYTES, RDH_VERSION, ZS_DETECTOR_FIELD};
use generators::tpc::page::trigger::TRIGGER_WORD_BYTES;
use generators::tpc::page::zs_header::{
    FLAG_CONTINUES, FLAG_LONG_SPAN, FLAG_TRIGGER_WORD, HEADER_BYTES, HEADER_MAGIC,
    SHORT_HEADER_BYTES,
};
use generators::tpc::page::{PAGE_BYTES, Page, Rdh, ZsHeader};
use generators::tpc::pages::StreamId;
use generators::tpc::time::{BC_PER_ORBIT, orbits_since};
use generators::tpc::{Layout, ZsFormat};

use super::FrameBounds;
use crate::tpc_decode::damage::{Damage, Expected, Field};

/// Sizes of row and link pages are multiples of this; those of dense link pages, of
/// two of them.
const SIZE_UNIT: u16 = 16;
const KNOWN_FLAGS: u8 = FLAG_TRIGGER_WORD | FLAG_LONG_SPAN | FLAG_CONTINUES;

/// Offsets of fields that messages name.
pub(super) mod at {
    pub(in crate::tpc_decode::header) const RDH_VERSION: usize = 0;
    pub(in crate::tpc_decode::header) const RDH_SIZE: usize = 1;
    pub(in crate::tpc_decode::header) const FEE_ID: usize = 2;
    pub(in crate::tpc_decode::header) const MEMORY_SIZE: usize = 10;
    pub(in crate::tpc_decode::header) const LINK_ID: usize = 12;
    pub(in crate::tpc_decode::header) const ORBIT: usize = 20;
    pub(in crate::tpc_decode::header) const PAGE_COUNTER: usize = 36;
    pub(in crate::tpc_decode::header) const DETECTOR_FIELD: usize = 48;
    /// In the zero-suppression header.
    pub(in crate::tpc_decode::header) const VERSION: usize = 0;
    pub(in crate::tpc_decode::header) const SPAN: usize = 1;
    pub(in crate::tpc_decode::header) const CRU: usize = 2;
    pub(in crate::tpc_decode::header) const TIME_OFFSET: usize = 4;
    pub(in crate::tpc_decode::header) const SAMPLES: usize = 6;
    pub(in crate::tpc_decode::header) const FIRST_BLOCK: usize = 8;
    pub(in crate::tpc_decode::header) const BLOCKS: usize = 10;
    pub(in crate::tpc_decode::header) const FLAGS: usize = 12;
    pub(in crate::tpc_decode::header) const MAGIC: usize = 15;
}

/// Whether the header is one, and how much of the page it says is used.
pub(super) fn check_size_of(rdh: &Rdh) -> Result<(), Damage> {
    if rdh.header_version != RDH_VERSION {
        let expected = Expected::Exactly(RDH_VERSION.into());
        return Err(Damage::new(
            at::RDH_VERSION,
            Field::RdhVersion,
            rdh.header_version,
            expected,
        ));
    }
    if usize::from(rdh.header_size) != RDH_BYTES {
        let expected = Expected::Exactly(RDH_BYTES as u64);
        return Err(Damage::new(
            at::RDH_SIZE,
            Field::RdhSize,
            rdh.header_size,
            expected,
        ));
    }
    let size = usize::from(rdh.memory_size);
    let expected = if size < RDH_BYTES {
        Expected::AtLeast(RDH_BYTES as u64)
    } else if size > PAGE_BYTES {
        Expected::AtMost(PAGE_BYTES as u64)
    } else {
        return Ok(());
    };
    Err(wrong_size(rdh, expected))
}

pub(super) fn wrong_size(rdh: &Rdh, expected: Expected) -> Damage {
    Damage::new(
        at::MEMORY_SIZE,
        Field::MemorySize,
        rdh.memory_size,
        expected,
    )
}

pub(super) fn check_rdh(rdh: &Rdh, stream: StreamId, bounds: &FrameBounds) -> Result<(), Damage> {
    if rdh.detector_field != ZS_DETECTOR_FIELD {
        let expected = Expected::Exactly(ZS_DETECTOR_FIELD.into());
        return Err(Damage::new(
            at::DETECTOR_FIELD,
            Field::DetectorField,
            rdh.detector_field,
            expected,
        ));
    }
    let link = link_id(bounds.format);
    let cru = Cru::of(stream.sector.into(), stream.endpoint.region());
    let cru = cru.map_or(u16::MAX, Cru::number);
    let sender = cru << 7 | (stream.endpoint.half() as u16) << 6 | u16::from(link);
    if rdh.fee_id.0 != sender {
        let expected = Expected::Exactly(sender.into());
        return Err(Damage::new(
            at::FEE_ID,
            Field::FeeId,
            rdh.fee_id.0,
            expected,
        ));
    }
    if rdh.link_id != link {
        let expected = Expected::Exactly(link.into());
        return Err(Damage::new(
            at::LINK_ID,
            Field::LinkId,
            rdh.link_id,
            expected,
        ));
    }
    let orbits = orbits_since(bounds.first_orbit, rdh.orbit);
    if orbits >= bounds.orbits {
        let expected = Expected::Words("an orbit of the time frame");
        return Err(Damage::new(at::ORBIT, Field::Orbit, rdh.orbit, expected));
    }
    Ok(())
}

/// The zero-suppression header and where it is.
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
    Ok(match format.layout() {
        Layout::Row => (
            RDH_BYTES,
            ZsHeader::from_short_bytes(array_at(page, RDH_BYTES)),
        ),
        Layout::Link => (RDH_BYTES, ZsHeader::from_bytes(array_at(page, RDH_BYTES))),
        Layout::DenseLink => {
            let offset = size - HEADER_BYTES;
            (offset, ZsHeader::from_bytes(array_at(page, offset)))
        }
    })
}

pub(super) fn check_zs_header(
    header: &ZsHeader,
    offset: usize,
    stream: StreamId,
    format: ZsFormat,
) -> Result<(), Damage> {
    let wrong = |at: usize, field, value: u64, expected| {
        Err(Damage::new(offset + at, field, value, expected))
    };
    if header.version != format.version() {
        let expected = Expected::Exactly(format.version().into());
        return wrong(at::VERSION, Field::Version, header.version.into(), expected);
    }
    if format.layout() != Layout::Row && header.magic != HEADER_MAGIC {
        let expected = Expected::Exactly(HEADER_MAGIC.into());
        return wrong(at::MAGIC, Field::Magic, header.magic.into(), expected);
    }
    let cru = Cru::of(stream.sector.into(), stream.endpoint.region());
    let cru = cru.map_or(u16::MAX, Cru::number);
    if header.cru != cru {
        let expected = Expected::Exactly(cru.into());
        return wrong(at::CRU, Field::Cru, header.cru.into(), expected);
    }
    if u64::from(header.time_offset) >= BC_PER_ORBIT {
        let expected = Expected::AtMost(BC_PER_ORBIT - 1);
        return wrong(
            at::TIME_OFFSET,
            Field::TimeOffset,
            header.time_offset.into(),
            expected,
        );
    }
    if format.layout() == Layout::DenseLink && header.flags & !KNOWN_FLAGS != 0 {
        let expected = Expected::AtMost(KNOWN_FLAGS.into());
        return wrong(at::FLAGS, Field::Flags, header.flags.into(), expected);
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

/// So many bytes of a page from an offset on, which must lie within.
pub(super) fn array_at<const N: usize>(page: &Page, offset: usize) -> &[u8; N] {
    match page[offset..].first_chunk() {
        Some(bytes) => bytes,
        None => unreachable!("headers lie within their page"),
    }
}
