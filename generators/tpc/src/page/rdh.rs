//! The raw data header (RDH), version 7, in front of each page.

use super::part;
use crate::geometry::Cru;
use crate::{Layout, ZsFormat};

/// Bytes of the header.
pub const RDH_BYTES: usize = 64;
/// The version that is written and read here.
pub const RDH_VERSION: u8 = 7;
/// The source id of the TPC in recorded data; simulated pages have 0.
pub const TPC_SOURCE_ID: u8 = 3;
/// The detector field of pages with zero-suppressed data.
pub const ZS_DETECTOR_FIELD: u32 = 2;
/// The link id of row pages.
pub const ROW_LINK_ID: u8 = 15;
/// The link id of link pages.
pub const LINK_LINK_ID: u8 = 21;
/// The link id of dense link pages: their header is at the end of the page.
pub const DENSE_LINK_ID: u8 = 22;

/// The number in the link fields of the RDH.
pub const fn link_id(format: ZsFormat) -> u8 {
    match format.layout() {
        Layout::Row => ROW_LINK_ID,
        Layout::Link => LINK_LINK_ID,
        Layout::DenseLink => DENSE_LINK_ID,
    }
}

const HEADER_VERSION: usize = 0;
const LINK_ID: usize = 12;
const PACKET_COUNTER: usize = 13;
const CRU_AND_ENDPOINT: usize = 14;
const CROSSING: usize = 16;
const ORBIT: usize = 20;
const PAGE_COUNTER: usize = 36;

/// Bits of the CRU below those of the endpoint.
const CRU_BITS: u32 = 12;
const CRU_MASK: u16 = (1 << CRU_BITS) - 1;
const CROSSING_MASK: u16 = 0xfff;

/// ID of the front-end that sent a page: 9 bits of CRU, 1 of endpoint, 6 of link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FeeId(pub u16);

impl FeeId {
    fn from_le_bytes(bytes: [u8; 2]) -> Self {
        FeeId(u16::from_le_bytes(bytes))
    }

    fn to_le_bytes(self) -> [u8; 2] {
        self.0.to_le_bytes()
    }

    /// The id of an endpoint's half (0 or 1) and link (6 bits).
    pub const fn new(cru: Cru, half: usize, link: u8) -> Self {
        FeeId(cru.number() << 7 | (half as u16 & 1) << 6 | link as u16 & 0x3f)
    }

    /// Number of the CRU, 9 bits: valid ones are below 360.
    pub const fn cru(self) -> u16 {
        self.0 >> 7
    }

    /// The half, 0 or 1.
    pub const fn half(self) -> usize {
        (self.0 >> 6 & 1) as usize
    }

    /// The link, 6 bits.
    pub const fn link(self) -> u8 {
        (self.0 & 0x3f) as u8
    }
}

header! {
    /// The fields of a raw data header; reserved bytes are left out.
    #[derive(Clone, Debug, PartialEq, Eq)]
    Rdh, RDH_BYTES bytes, with_shared_bits, shared_bits_to_bytes {
        /// 7.
        header_version: u8 = HEADER_VERSION,
        /// Bytes of this header.
        header_size: u8 = 1,
        /// ID of the sender.
        fee_id: FeeId = 2,
        /// Priority bit.
        priority: u8 = 4,
        /// The detector: 3 for the TPC, 0 in simulated pages.
        source_id: u8 = 5,
        /// Bytes to the next page; not used.
        offset_to_next: u16 = 8,
        /// Bytes used of the page, this header included; 64 if it has no payload.
        memory_size: u16 = 10,
        /// Number of the link, as in the ID.
        link_id: u8 = LINK_ID,
        /// Counts the pages of a sender, modulo 256.
        packet_counter: u8 = PACKET_COUNTER,
        /// The CRU, 12 bits; 0 in simulated pages.
        cru: u16 = CRU_AND_ENDPOINT,
        /// The endpoint, 4 bits; 0 in simulated pages.
        endpoint: u8 = CRU_AND_ENDPOINT + 1,
        /// The bunch crossing of the heartbeat, 12 bits.
        crossing: u16 = CROSSING,
        /// The orbit of the heartbeat frame; it wraps at 2^32.
        orbit: u32 = ORBIT,
        /// 0.
        data_format: u8 = 24,
        /// Bits of the trigger that the page belongs to.
        trigger_type: u32 = 32,
        /// Counts the pages of a heartbeat frame, modulo 65536.
        page_counter: u16 = PAGE_COUNTER,
        /// 1 in the last page of a heartbeat frame, in recorded data.
        stop_bit: u8 = 38,
        /// 2 for zero-suppressed data.
        detector_field: u32 = 48,
        /// Further bits of the detector.
        detector_par: u16 = 52,
    }
}

impl Default for Rdh {
    /// A page of zero-suppressed data without payload.
    fn default() -> Self {
        Rdh {
            header_version: RDH_VERSION,
            header_size: RDH_BYTES as u8,
            fee_id: FeeId::default(),
            priority: 0,
            source_id: 0,
            offset_to_next: 0,
            memory_size: RDH_BYTES as u16,
            link_id: 0,
            packet_counter: 0,
            cru: 0,
            endpoint: 0,
            crossing: 0,
            orbit: 0,
            data_format: 0,
            trigger_type: 0,
            page_counter: 0,
            stop_bit: 0,
            detector_field: ZS_DETECTOR_FIELD,
            detector_par: 0,
        }
    }
}

impl Rdh {
    /// The fields in these bytes.
    pub fn from_bytes(bytes: &[u8; RDH_BYTES]) -> Self {
        let mut rdh = Rdh::with_shared_bits(bytes);
        rdh.endpoint >>= CRU_BITS - u8::BITS;
        rdh.cru &= CRU_MASK;
        rdh.crossing &= CROSSING_MASK;
        rdh
    }

    /// The bytes of these fields. Bits that don't fit a field are cut off.
    pub fn to_bytes(&self) -> [u8; RDH_BYTES] {
        let [_, high] = (self.cru & CRU_MASK).to_le_bytes();
        let endpoint = high | self.endpoint << (CRU_BITS - u8::BITS);
        Rdh { endpoint, crossing: self.crossing & CROSSING_MASK, ..self.clone() }
            .shared_bits_to_bytes()
    }

    /// True if the page has nothing but this header.
    pub const fn is_alone(&self) -> bool {
        self.memory_size as usize == RDH_BYTES
    }
}

/// Sets the two counters of a page, which are known only when all pages of its
/// sector are there.
pub(crate) fn set_counters(page: &mut [u8], packet: u8, page_in_frame: u16) {
    page[PACKET_COUNTER] = packet;
    page[PAGE_COUNTER..PAGE_COUNTER + 2].copy_from_slice(&page_in_frame.to_le_bytes());
}

/// Sets the version of a page's header and its link.
pub(crate) fn set_version_and_link(page: &mut [u8], version: u8, link: u8) {
    page[HEADER_VERSION] = version;
    page[LINK_ID] = link;
}

pub(crate) fn orbit_of(page: &[u8]) -> u32 {
    u32::from_le_bytes(part(page, ORBIT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Region;

    #[test]
    fn fields_lie_where_the_format_has_them() {
        let cru = Region::new(2).and_then(|region| Cru::for_region(7, region));
        let rdh = Rdh {
            fee_id: FeeId::new(cru.expect("a sector"), 1, DENSE_LINK_ID),
            link_id: DENSE_LINK_ID,
            memory_size: 0x1ff0,
            packet_counter: 0x12,
            orbit: 0xfedc_ba98,
            page_counter: 0x0102,
            cru: 0xabc,
            endpoint: 0xd,
            ..Rdh::default()
        };
        let bytes = rdh.to_bytes();
        assert_eq!(bytes[..4], [7, 64, 0x56, 0x24]);
        assert_eq!(
            bytes[8..16],
            [0, 0, 0xf0, 0x1f, 22, 0x12, 0xbc, 0xda],
            "sizes, link and counter"
        );
        assert_eq!(bytes[20..24], [0x98, 0xba, 0xdc, 0xfe]);
        assert_eq!(bytes[36..38], [0x02, 0x01]);
        assert_eq!(bytes[48], 2);
        assert_eq!(Rdh::from_bytes(&bytes), rdh);
    }

    #[test]
    fn every_byte_comes_back_or_is_reserved() {
        let bytes = std::array::from_fn(|i| i as u8 | 0x80);
        let rdh = Rdh::from_bytes(&bytes);
        let written = rdh.to_bytes();
        let reserved = |i: usize| written[i] == 0;
        for i in 0..RDH_BYTES {
            let cut = i == CROSSING + 1;
            assert!(written[i] == bytes[i] || reserved(i) || cut, "byte {i}");
        }
        assert_eq!(Rdh::from_bytes(&written), rdh);
    }

    #[test]
    fn ids_come_back() {
        let cru = Cru::new(359).expect("below 360");
        let id = FeeId::new(cru, 1, ROW_LINK_ID);
        assert_eq!((id.cru(), id.half(), id.link()), (359, 1, 15));
    }
}
