//! The sample of one pad in one time bin.

use std::fmt;

use bytemuck::{Pod, TransparentWrapper, Zeroable};

const ADC_BITS: u32 = 16;
const PAD_SHIFT: u32 = 16;
const ROW_SHIFT: u32 = 24;
const TIME_SHIFT: u32 = 32;
const TIME_BITS: u32 = 26;
const TIME_MASK: u64 = (1 << TIME_BITS) - 1;
const SECTOR_SHIFT: u32 = TIME_SHIFT + TIME_BITS;

/// A digit: sector, time bin, row, pad and ADC value, in 8 bytes.
///
/// From the lowest bit: 16 bits of ADC value, the raw integer of the page (its scale is that of the
/// [format](super::ZsFormat)); 8 bits of pad; 8 bits of row in the sector; 26 bits of time bin (13
/// s), from the beginning of the time frame; 6 bits of sector. So the samples of a time bin differ
/// in the lower half only, and digits compare by sector, time bin, row and pad.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct Digit(u64);

impl Digit {
    /// Time bins are below this.
    pub const TIME_BINS: u32 = 1 << TIME_BITS;

    /// Packs a digit. Bits that don't fit a field are cut off.
    #[inline]
    pub const fn new(sector: u8, pad: PadId, time_bin: u32, adc: u16) -> Self {
        Digit(
            (sector as u64) << SECTOR_SHIFT
                | (time_bin as u64 & TIME_MASK) << TIME_SHIFT
                | (pad.0 as u64) << PAD_SHIFT
                | adc as u64,
        )
    }

    /// The digit with these bits.
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Digit(bits)
    }

    /// All bits.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The sector, 0 to 35.
    #[inline]
    pub const fn sector(self) -> u8 {
        (self.0 >> SECTOR_SHIFT) as u8
    }

    /// The pad: its row in the sector and its number in the row.
    #[inline]
    pub const fn pad_id(self) -> PadId {
        PadId((self.0 >> PAD_SHIFT) as u16)
    }

    /// The row in the sector.
    #[inline]
    pub const fn row(self) -> u8 {
        (self.0 >> ROW_SHIFT) as u8
    }

    /// The pad in the row.
    #[inline]
    pub const fn pad(self) -> u8 {
        (self.0 >> PAD_SHIFT) as u8
    }

    /// The time bin from the beginning of the time frame.
    #[inline]
    pub const fn time_bin(self) -> u32 {
        (self.0 >> TIME_SHIFT & TIME_MASK) as u32
    }

    /// The ADC value, as the integer of the page.
    #[inline]
    pub const fn adc(self) -> u16 {
        self.0 as u16
    }

    /// Returns the digit with another ADC value.
    #[inline]
    pub const fn with_adc(self, adc: u16) -> Self {
        Digit(self.0 >> ADC_BITS << ADC_BITS | adc as u64)
    }

    /// Everything but the ADC value: no two digits of a time frame have it in
    /// common.
    #[inline]
    pub const fn cell_bits(self) -> u64 {
        self.0 >> ADC_BITS
    }
}

impl fmt::Debug for Digit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Digit")
            .field("sector", &self.sector())
            .field("row", &self.row())
            .field("pad", &self.pad())
            .field("time_bin", &self.time_bin())
            .field("adc", &self.adc())
            .finish()
    }
}

/// A pad of a sector: the row above 8 bits of pad in the row.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Pod,
    Zeroable,
    TransparentWrapper,
)]
#[repr(transparent)]
pub struct PadId(u16);

impl PadId {
    /// The pad with this number in this row.
    #[inline]
    pub const fn new(row: u8, pad: u8) -> Self {
        PadId((row as u16) << 8 | pad as u16)
    }

    /// The pad with these bits.
    #[inline]
    pub const fn from_bits(bits: u16) -> Self {
        PadId(bits)
    }

    /// Row and pad as one number.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The row in the sector.
    #[inline]
    pub const fn row(self) -> u8 {
        (self.0 >> 8) as u8
    }

    /// The pad in the row.
    #[inline]
    pub const fn pad(self) -> u8 {
        self.0 as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_back() {
        let digit = Digit::new(35, PadId::new(151, 137), Digit::TIME_BINS - 1, 4095);
        assert_eq!((digit.sector(), digit.row(), digit.pad()), (35, 151, 137));
        assert_eq!(digit.pad_id(), PadId::new(151, 137));
        assert_eq!((digit.time_bin(), digit.adc()), (Digit::TIME_BINS - 1, 4095));
        assert_eq!(digit.with_adc(7).adc(), 7);
        assert_eq!(digit.with_adc(7).cell_bits(), digit.cell_bits());
        assert_eq!(size_of::<Digit>(), 8);
    }

    #[test]
    fn bits_order_by_sector_time_row_and_pad() {
        let ordered = [
            Digit::new(0, PadId::new(9, 9), 9, 9),
            Digit::new(1, PadId::new(9, 9), 0, 9),
            Digit::new(1, PadId::new(0, 9), 1, 9),
            Digit::new(1, PadId::new(1, 0), 1, 9),
            Digit::new(1, PadId::new(1, 1), 1, 0),
        ];
        assert!(ordered.is_sorted());
    }
}
