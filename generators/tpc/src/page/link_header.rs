//! The heads of blocks of the link formats: one link in one time bin or, if they are dense, all
//! links of one time bin; and the trigger word in the last dense page of a heartbeat frame.
//!
//! A dense block is a 16-bit word, a head for each link, and the samples of all links
//! as one stream of bits. Nothing is aligned.

use super::part;
use crate::geometry::CHANNELS_IN_LINK;

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
        let word = u16::from_le_bytes(part(bytes, MASK_BYTES));
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

/// Entries of a word.
pub const TRIGGER_ENTRIES: usize = 8;
/// Bytes of a word.
pub const TRIGGER_WORD_BYTES: usize = 2 * TRIGGER_ENTRIES;

const TRIGGER_CROSSING_BITS: u32 = 12;
const CROSSING_MASK: u16 = (1 << TRIGGER_CROSSING_BITS) - 1;
const KIND_MASK: u16 = 7;
const VALID: u16 = 1 << 15;

/// Kind of a trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerKind {
    /// Physics.
    Physics = 1,
    /// A pre-pulse.
    PrePulse = 2,
    /// The laser.
    Laser = 4,
}

/// An entry: 12 bits of bunch crossing, 3 of kind, and a valid bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TriggerEntry(pub u16);

impl TriggerEntry {
    /// A trigger at a crossing of the orbit.
    pub const fn new(crossing: u16, kind: TriggerKind) -> Self {
        TriggerEntry(crossing & CROSSING_MASK | (kind as u16) << TRIGGER_CROSSING_BITS | VALID)
    }

    /// The bunch crossing in the orbit.
    pub const fn crossing(self) -> u16 {
        self.0 & CROSSING_MASK
    }

    /// Kind of the trigger, if it is a known one.
    pub const fn kind(self) -> Option<TriggerKind> {
        match self.0 >> TRIGGER_CROSSING_BITS & KIND_MASK {
            1 => Some(TriggerKind::Physics),
            2 => Some(TriggerKind::PrePulse),
            4 => Some(TriggerKind::Laser),
            _ => None,
        }
    }

    /// True if the valid bit is set.
    pub const fn is_valid(self) -> bool {
        self.0 & VALID != 0
    }
}

/// The triggers of a heartbeat frame; all zero if there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TriggerWord(pub [TriggerEntry; TRIGGER_ENTRIES]);

impl TriggerWord {
    /// The word in these bytes.
    pub fn from_bytes(bytes: &[u8; TRIGGER_WORD_BYTES]) -> Self {
        let entry = |i| TriggerEntry(u16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]));
        TriggerWord(std::array::from_fn(entry))
    }

    /// The bytes of this word.
    pub fn to_bytes(&self) -> [u8; TRIGGER_WORD_BYTES] {
        std::array::from_fn(|i| self.0[i / 2].0.to_le_bytes()[i % 2])
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

    #[test]
    fn the_crossing_is_above_the_links() {
        let head = BlockHead { links: 10, crossing: 0xdef };
        assert_eq!(head.to_bytes(), [0xfa, 0xde]);
        assert_eq!(BlockHead::from_bytes([0xfa, 0xde]), head);
    }

    #[test]
    fn triggers_come_back() {
        let mut word = TriggerWord::default();
        word.0[1] = TriggerEntry::new(3563, TriggerKind::Laser);
        let bytes = word.to_bytes();
        assert_eq!(bytes[..4], [0, 0, 0xeb, 0xcd]);
        let read = TriggerWord::from_bytes(&bytes);
        assert_eq!(read, word);
        assert_eq!(read.0[1].kind(), Some(TriggerKind::Laser));
        assert_eq!((read.0[1].crossing(), read.0[1].is_valid()), (3563, true));
        assert!(!read.0[0].is_valid());
    }
}
