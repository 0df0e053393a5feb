//! Messages: words of 32 bits into which read-out boards convert the output of the ASICs.

use bytemuck::{Pod, Zeroable};

/// Bytes of a message.
pub const MESSAGE_BYTES: usize = size_of::<Message>();

const NO_HIT: u32 = 1 << 31;
const TYPE_SHIFT: u32 = 29;
/// Types of messages other than hits.
const TS_MSB: u32 = 0;
const EPOCH: u32 = 1;
const STATUS: u32 = 2;
const END: u32 = 3;
/// Subtype of [`END`] messages without meaning.
const EMPTY: u32 = 1 << 28;
const VALUE_MASK: u32 = (1 << TYPE_SHIFT) - 1;

const TIME_SHIFT: u32 = 1;
const TIME_LOW_BITS: u32 = 9;
const TIME_LOW_MASK: u32 = (1 << TIME_LOW_BITS) - 1;
const TIME_HIGH_SHIFT: u32 = 30;
const ADC_SHIFT: u32 = 10;
const ADC_MASK: u32 = 0x1f;
const CHANNEL_SHIFT: u32 = 15;
const CHANNEL_MASK: u32 = 0x7f;
const ELINK_SHIFT: u32 = 22;
const ELINK_MASK: u32 = 0x3f;

/// A message, little endian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct Message(u32);

/// Kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A channel saw something.
    Hit,
    /// Nothing: a hit without charge.
    Dummy,
    /// Number of the epoch of the following hits.
    TsMsb,
    /// The beginning of a microslice.
    Epoch,
    /// Status of an ASIC.
    Status,
    /// Nothing.
    Empty,
    /// The end of a microslice.
    End,
}

impl Message {
    /// The message with these bits.
    #[inline]
    pub const fn from_bits(bits: u32) -> Self {
        Message(bits)
    }

    /// All bits.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The message in these bytes.
    #[inline]
    pub const fn from_bytes(bytes: [u8; MESSAGE_BYTES]) -> Self {
        Message(u32::from_le_bytes(bytes))
    }

    /// Its bytes.
    #[inline]
    pub const fn to_bytes(self) -> [u8; MESSAGE_BYTES] {
        self.0.to_le_bytes()
    }

    /// A hit: e-link (6 bits), channel of its ASIC (7 bits), charge (5 bits, not 0), ticks since
    /// the beginning of the epoch (10 bits). Bits that don't fit a field are cut off.
    #[inline]
    pub const fn hit(elink: u8, channel: u8, adc: u8, ticks: u16) -> Self {
        let ticks = ticks as u32;
        Message(
            (ticks & TIME_LOW_MASK) << TIME_SHIFT
                | (ticks >> TIME_LOW_BITS & 1) << TIME_HIGH_SHIFT
                | (adc as u32 & ADC_MASK) << ADC_SHIFT
                | (channel as u32 & CHANNEL_MASK) << CHANNEL_SHIFT
                | (elink as u32 & ELINK_MASK) << ELINK_SHIFT,
        )
    }

    /// Message with the number of an epoch in its cycle, 29 bits.
    #[inline]
    pub const fn ts_msb(epoch: u32) -> Self {
        Message(NO_HIT | TS_MSB << TYPE_SHIFT | epoch & VALUE_MASK)
    }

    /// The first message of a microslice; its value means nothing.
    #[inline]
    pub const fn epoch(value: u32) -> Self {
        Message(NO_HIT | EPOCH << TYPE_SHIFT | value & VALUE_MASK)
    }

    /// Message with the status of an ASIC, 29 bits.
    #[inline]
    pub const fn status(bits: u32) -> Self {
        Message(NO_HIT | STATUS << TYPE_SHIFT | bits & VALUE_MASK)
    }

    /// The end of a microslice without an error.
    #[inline]
    pub const fn end() -> Self {
        Message(NO_HIT | END << TYPE_SHIFT)
    }

    /// Kind of the message.
    #[inline]
    pub const fn kind(self) -> Kind {
        if self.0 & NO_HIT == 0 {
            return if self.adc() == 0 { Kind::Dummy } else { Kind::Hit };
        }
        match self.0 >> TYPE_SHIFT & 3 {
            TS_MSB => Kind::TsMsb,
            EPOCH => Kind::Epoch,
            STATUS => Kind::Status,
            _ if self.0 & EMPTY != 0 => Kind::Empty,
            _ => Kind::End,
        }
    }

    /// Hits: ticks since the start of the epoch, 10 bits.
    #[inline]
    pub const fn ticks(self) -> u32 {
        let high = self.0 >> TIME_HIGH_SHIFT & 1;
        self.0 >> TIME_SHIFT & TIME_LOW_MASK | high << TIME_LOW_BITS
    }

    /// Hits: the charge, 5 bits.
    #[inline]
    pub const fn adc(self) -> u8 {
        (self.0 >> ADC_SHIFT & ADC_MASK) as u8
    }

    /// Hits: the channel of the ASIC, 7 bits.
    #[inline]
    pub const fn channel(self) -> u8 {
        (self.0 >> CHANNEL_SHIFT & CHANNEL_MASK) as u8
    }

    /// Hits: the e-link, 6 bits.
    #[inline]
    pub const fn elink(self) -> u8 {
        (self.0 >> ELINK_SHIFT & ELINK_MASK) as u8
    }

    /// Other messages: 29 bits.
    #[inline]
    pub const fn value(self) -> u32 {
        self.0 & VALUE_MASK
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_lie_where_the_format_has_them() {
        let hit = Message::hit(0x2a, 0x55, 0x11, 0x201);
        assert_eq!(hit.bits(), 1 << 30 | 0x2a << 22 | 0x55 << 15 | 0x11 << 10 | 1 << 1);
        assert_eq!((hit.elink(), hit.channel(), hit.adc(), hit.ticks()), (0x2a, 0x55, 0x11, 0x201));
        let all = Message::hit(63, 127, 31, 1023);
        assert_eq!((all.elink(), all.channel(), all.adc(), all.ticks()), (63, 127, 31, 1023));
    }

    #[test]
    fn kinds_follow_from_the_highest_bits() {
        let kind = |bits| Message::from_bits(bits).kind();
        assert_eq!(
            [kind(0), kind(0x7fff_83ff), kind(1 << 10)],
            [Kind::Dummy, Kind::Dummy, Kind::Hit]
        );
        assert_eq!([kind(0x8000_0000), kind(0xa000_0000)], [Kind::TsMsb, Kind::Epoch]);
        assert_eq!([kind(0xc000_0000), kind(0xe000_0000)], [Kind::Status, Kind::End]);
        assert_eq!(kind(0xf000_0000), Kind::Empty);
        let made = [Message::ts_msb(7), Message::epoch(7), Message::status(7), Message::end()];
        let kinds = [Kind::TsMsb, Kind::Epoch, Kind::Status, Kind::End];
        assert_eq!(made.map(Message::kind), kinds);
        assert_eq!(Message::ts_msb(u32::MAX).value(), (1 << 29) - 1);
    }
}
