//! The head of a block of the link format: one link in one time bin.

use super::u16_at;
use crate::tpc::geometry::CHANNELS_IN_LINK;

/// Bytes of the head; blocks are aligned to as much.
pub const LINK_HEADER_BYTES: usize = 16;
/// The last byte of the head.
pub const LINK_MAGIC: u8 = 0xfc;
/// Samples in a 64-bit word; its highest 4 bits are 0.
pub const SAMPLES_IN_WORD: usize = 5;
/// Samples in a 128-bit data word.
pub const SAMPLES_IN_DATA_WORD: usize = 10;
/// Bytes of a data word.
pub const DATA_WORD_BYTES: usize = 16;

const MASK_BYTES: usize = CHANNELS_IN_LINK / 8;
const CROSSING_BITS: u32 = 12;
const SYNC_OFFSET: usize = 12;
const FEC: usize = 13;
const CMC: usize = 14;
const MAGIC: usize = 15;

/// The fields of the head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkHeader {
    /// Bit `c` is set if raw channel `c` has a sample; 80 bits.
    pub channels: u128,
    /// Bunch crossings from the page's time offset, 12 bits.
    pub crossing: u16,
    /// 128-bit words that follow, 4 bits.
    pub data_words: u8,
    /// 0.
    pub sync_offset: u8,
    /// The front-end card, as number in the partition.
    pub fec: u8,
    /// Corrections by the common mode; 0.
    pub cmc: u8,
    /// [`LINK_MAGIC`].
    pub magic: u8,
}

impl LinkHeader {
    /// The fields in these bytes.
    pub fn from_bytes(bytes: &[u8; LINK_HEADER_BYTES]) -> Self {
        let mut mask = [0; 16];
        mask[..MASK_BYTES].copy_from_slice(&bytes[..MASK_BYTES]);
        let word = u16_at(bytes, MASK_BYTES..MASK_BYTES + 2);
        LinkHeader {
            channels: u128::from_le_bytes(mask),
            crossing: word & ((1 << CROSSING_BITS) - 1),
            data_words: (word >> CROSSING_BITS) as u8,
            sync_offset: bytes[SYNC_OFFSET],
            fec: bytes[FEC],
            cmc: bytes[CMC],
            magic: bytes[MAGIC],
        }
    }

    /// The bytes of these fields. Bits that don't fit a field are cut off.
    pub fn to_bytes(&self) -> [u8; LINK_HEADER_BYTES] {
        let crossing = self.crossing & ((1 << CROSSING_BITS) - 1);
        let word = crossing | u16::from(self.data_words) << CROSSING_BITS;
        let mut bytes = [0; LINK_HEADER_BYTES];
        bytes[..MASK_BYTES].copy_from_slice(&self.channels.to_le_bytes()[..MASK_BYTES]);
        bytes[MASK_BYTES..MASK_BYTES + 2].copy_from_slice(&word.to_le_bytes());
        bytes[SYNC_OFFSET] = self.sync_offset;
        bytes[FEC] = self.fec;
        bytes[CMC] = self.cmc;
        bytes[MAGIC] = self.magic;
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_lie_where_the_format_has_them() {
        let header = LinkHeader {
            channels: 1 << 79 | 1 << 8 | 1,
            crossing: 0xabc,
            data_words: 0xd,
            sync_offset: 0,
            fec: 19,
            cmc: 0,
            magic: LINK_MAGIC,
        };
        let bytes = header.to_bytes();
        let expected = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0x80, 0xbc, 0xda, 0, 19, 0, 0xfc];
        assert_eq!(bytes, expected);
        assert_eq!(LinkHeader::from_bytes(&bytes), header);
    }
}
