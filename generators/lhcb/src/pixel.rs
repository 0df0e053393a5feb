//! A pixel of the detector, and its identifier in the experiment's numbering.

use crate::geometry::CHIP_COLUMNS;

/// Marks an identifier as one of the VELO.
const VELO: u32 = 0x2000_0000;
/// Bits of an identifier without the marks of fractions.
pub const WITHOUT_FRACTIONS: u32 = 0xF3FF_FFFF;
/// Mark of an identifier whose cluster has a fraction of a column.
pub const COLUMN_FRACTION: u32 = 1 << 27;
/// Mark of an identifier whose cluster has a fraction of a row.
pub const ROW_FRACTION: u32 = 1 << 26;

/// Pixel of a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pixel {
    /// The sensor, below 208.
    pub sensor: u16,
    /// The column, below 768.
    pub column: u16,
    /// The row, below 256.
    pub row: u16,
}

impl Pixel {
    /// Identifier of a hit in this pixel without fractions.
    #[inline]
    pub fn id(self) -> u32 {
        // The chip, and the column on it.
        let column = u32::from(self.column);
        VELO | u32::from(self.sensor) << 18 | column << 8 | u32::from(self.row)
    }

    /// Identifier of a hit, with marks for fractions of column and row that are not 0.
    #[inline]
    pub fn id_with_fractions(self, column: bool, row: bool) -> u32 {
        let mark = |is_set, mark| if is_set { mark } else { 0 };
        self.id() | mark(column, COLUMN_FRACTION) | mark(row, ROW_FRACTION)
    }

    /// The pixel of an identifier.
    #[inline]
    pub fn of_id(id: u32) -> Pixel {
        let chip = (id >> 16 & 3) as u16;
        Pixel {
            sensor: (id >> 18 & 0xFF) as u16,
            column: chip * CHIP_COLUMNS as u16 + (id >> 8 & 0xFF) as u16,
            row: (id & 0xFF) as u16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_have_chip_column_and_row() {
        let pixel = Pixel { sensor: 61, column: 282, row: 136 };
        assert_eq!(pixel.id(), 0x20f5_1a88);
        assert_eq!(pixel.id_with_fractions(true, false), 0x28f5_1a88);
        assert_eq!(Pixel::of_id(0x2cf5_1a88), pixel);
    }
}
