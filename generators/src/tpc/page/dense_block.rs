//! The heads of a block of the dense link formats: all links of one time bin.
//!
//! A block is a 16-bit word, a head for each link, and the samples of all links
//! as one stream of bits. Nothing is aligned.

use crate::tpc::geometry::CHANNELS_IN_LINK;

/// Bytes of the word in front of each block.
pub const BLOCK_HEAD_BYTES: usize = 2;
/// Bits of the number of links in the first word; the crossing is above them.
pub const LINK_COUNT_BITS: u32 = 4;
/// Maximum number of links that the first word can count.
pub const MAX_LINKS: usize = (1 << LINK_COUNT_BITS) - 1;
/// In version 5, the lowest bit of the crossing: samples have 10 bits.
pub const SHORT_SAMPLES: u16 = 1;
/// In version 5, the valid bits of the crossing.
pub const SHORT_SAMPLES_CROSSING_MASK: u16 = 0xffc;
/// Bits of a sample in a block with short samples; the scale stays the same.
pub const SHORT_SAMPLE_BITS: u32 = 10;

/// Bits of the card in the first byte of a link's head.
pub const FEC_MASK: u8 = 0x1f;
/// In the byte of the head: all bytes of the channel mask follow.
pub const FLAT_MASK: u8 = 0x20;
/// Shift of the two highest bits of the second-level mask in the byte of the head.
pub const SECOND_LEVEL_SHIFT: u32 = 6;
/// Bytes of the channel mask, and bits of the second-level mask.
pub const MASK_BYTES: usize = CHANNELS_IN_LINK / 8;
/// Maximum number of bytes of a link's head.
pub const MAX_LINK_HEAD_BYTES: usize = 2 + MASK_BYTES;

/// The word in front of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHead {
    /// Number of links with samples, at most 15.
    pub links: u8,
    /// Bunch crossings from the orbit, 12 bits; in version 5 with the flag
    /// [`SHORT_SAMPLES`].
    pub crossing: u16,
}

impl BlockHead {
    /// The fields in these bytes.
    #[inline]
    pub const fn from_bytes(bytes: [u8; BLOCK_HEAD_BYTES]) -> Self {
        let word = u16::from_le_bytes(bytes);
        BlockHead { links: (word & MAX_LINKS as u16) as u8, crossing: word >> LINK_COUNT_BITS }
    }

    /// The bytes of these fields. Bits that don't fit a field are cut off.
    #[inline]
    pub const fn to_bytes(self) -> [u8; BLOCK_HEAD_BYTES] {
        let word = self.crossing << LINK_COUNT_BITS | self.links as u16 & MAX_LINKS as u16;
        word.to_le_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crossing_is_above_the_links() {
        let head = BlockHead { links: 10, crossing: 0xdef };
        assert_eq!(head.to_bytes(), [0xfa, 0xde]);
        assert_eq!(BlockHead::from_bytes([0xfa, 0xde]), head);
    }
}
