//! Words of banks: super-pixels of 2 × 4 pixels, and clusters that the FPGA of the readout has found.

use crate::format::BankFormat;

/// Columns of super-pixels on a sensor.
pub const SUPER_COLUMNS: u32 = 384;
/// Rows of super-pixels on a sensor.
pub const SUPER_ROWS: u32 = 64;

const SECOND_SENSOR_OF_CLUSTER: u32 = 22;

/// A super-pixel: the pixels of two columns and four rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SuperPixel {
    /// True if none of the eight neighbouring super-pixels is present, as the readout says.
    pub is_isolated: bool,
    /// True for the second sensor of a bank for two.
    pub is_second_sensor: bool,
    /// Column of super-pixels, below 384.
    pub column: u16,
    /// Row of super-pixels, below 64.
    pub row: u16,
    /// Bit k: column k / 4 and row k % 4 of its pixels.
    pub pattern: u8,
}

impl SuperPixel {
    /// Bit of a word without neighbours.
    pub(crate) const ISOLATED: u32 = 1 << 31;
    /// Bit of a word of the second sensor.
    pub(crate) const SECOND_SENSOR: u32 = 1 << 23;

    /// The super-pixel of a word.
    #[inline]
    pub fn decode(word: u32) -> SuperPixel {
        SuperPixel {
            is_isolated: word & Self::ISOLATED != 0,
            is_second_sensor: word & Self::SECOND_SENSOR != 0,
            column: (word >> 14 & 0x1FF) as u16,
            row: (word >> 8 & 0x3F) as u16,
            pattern: word as u8,
        }
    }

    /// The word of a super-pixel.
    #[inline]
    pub fn encode(self) -> u32 {
        let isolated = if self.is_isolated { Self::ISOLATED } else { 0 };
        let second = if self.is_second_sensor { Self::SECOND_SENSOR } else { 0 };
        isolated
            | second
            | SuperPixel::word_at(self.column.into(), self.row.into())
            | u32::from(self.pattern)
    }

    /// The word of a super-pixel at a column and row, without pixels and flags.
    #[inline]
    pub(crate) fn word_at(column: u32, row: u32) -> u32 {
        column << 14 | row << 8
    }
}

/// A cluster that the readout has found. Fractions are of a pixel, in units of its bank's version:
/// quarters, or eighths in version 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClusterWord {
    /// True for the second sensor of a bank for two.
    pub is_second_sensor: bool,
    /// Column, below 768.
    pub column: u16,
    /// Fraction of the column.
    pub column_fraction: u8,
    /// Row, below 256.
    pub row: u16,
    /// Fraction of the row.
    pub row_fraction: u8,
}

/// Bits of a fraction in cluster words of a version.
#[inline]
pub fn fraction_bits(version: u8) -> u32 {
    if version == 2 { 3 } else { 2 }
}

/// Column of the cluster of a word.
#[inline]
pub fn cluster_column(word: u32, version: u8) -> u32 {
    word >> (2 * fraction_bits(version) + 8) & 0x3FF
}

/// True if the cluster of a word is on the second sensor of a bank for two.
#[inline]
pub fn is_second_sensor(word: u32) -> bool {
    word >> SECOND_SENSOR_OF_CLUSTER & 1 != 0
}

impl ClusterWord {
    /// The cluster of a word; `None` if the word is 0.
    #[inline]
    pub fn decode(word: u32, version: u8) -> Option<ClusterWord> {
        let bits = fraction_bits(version);
        let fraction = (1 << bits) - 1;
        (word != 0).then_some(ClusterWord {
            is_second_sensor: is_second_sensor(word),
            column: cluster_column(word, version) as u16,
            column_fraction: (word >> (bits + 8) & fraction) as u8,
            row: (word >> bits & 0xFF) as u16,
            row_fraction: (word & fraction) as u8,
        })
    }

    /// The word of a cluster.
    #[inline]
    pub fn encode(self, version: u8) -> u32 {
        let bits = fraction_bits(version);
        u32::from(self.is_second_sensor) << SECOND_SENSOR_OF_CLUSTER
            | u32::from(self.column) << (2 * bits + 8)
            | u32::from(self.column_fraction) << (bits + 8)
            | u32::from(self.row) << bits
            | u32::from(self.row_fraction)
    }
}

/// The sensor of a bank: its source, or one of two by the bit of a word.
#[inline]
pub fn sensor_of(format: BankFormat, source: u16, is_second: bool) -> u16 {
    if format.has_sensor_pairs() { 2 * (source % 512) + u16::from(is_second) } else { source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        let pixel = SuperPixel {
            is_isolated: true,
            is_second_sensor: true,
            column: 383,
            row: 63,
            pattern: 0x81,
        };
        assert_eq!(pixel.encode(), 0x80df_ff81);
        assert_eq!(SuperPixel::decode(pixel.encode()), pixel);
        let cluster = ClusterWord {
            is_second_sensor: false,
            column: 767,
            column_fraction: 3,
            row: 255,
            row_fraction: 2,
        };
        for version in [2, 3] {
            assert_eq!(
                ClusterWord::decode(cluster.encode(version), version).as_ref(),
                Some(&cluster)
            );
        }
        assert_eq!(ClusterWord::decode(0, 3), None);
    }
}
