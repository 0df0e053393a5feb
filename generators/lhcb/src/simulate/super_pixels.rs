//! Super-pixels of a sensor, and which of them are isolated.

use super::neighbours::for_each_pair;

/// Bits of the row in the address of a pixel, and in that of a super-pixel.
const ROW_BITS: u32 = 8;
const SUPER_ROW_BITS: u32 = 6;
/// Rows of a super-pixel.
const ROWS: u32 = 4;

/// Super-pixels of a sensor, in order of columns and rows.
#[derive(Default)]
pub(super) struct SensorSuperPixels {
    /// Column and row: bits 6 and up, bits 0 to 5.
    pub addresses: Vec<u32>,
    /// Pixels of each, by bits.
    pub patterns: Vec<u8>,
    /// True if no neighbour is present.
    pub is_isolated: Vec<bool>,
}

impl SensorSuperPixels {
    /// Finds the super-pixels of pixels, which are in order of columns and rows.
    pub(super) fn find(&mut self, pixels: &[u32]) {
        self.addresses.clear();
        self.patterns.clear();
        let column = |pixel: &u32| pixel >> ROW_BITS;
        for two_columns in pixels.chunk_by(|a, b| column(a) / 2 == column(b) / 2) {
            let even = two_columns.partition_point(|pixel| column(pixel) % 2 == 0);
            let (even, odd) = two_columns.split_at(even);
            self.add(column(&two_columns[0]) / 2, even, odd);
        }
        self.is_isolated.clear();
        self.is_isolated.resize(self.addresses.len(), true);
        for_each_pair(&self.addresses, SUPER_ROW_BITS, |index, earlier| {
            self.is_isolated[index] = false;
            self.is_isolated[earlier] = false;
        });
    }

    /// Adds the super-pixels of two columns of pixels.
    fn add(&mut self, column: u32, mut even: &[u32], mut odd: &[u32]) {
        let row = |pixels: &[u32]| {
            pixels.first().map_or(u32::MAX, |pixel| (pixel & ((1 << ROW_BITS) - 1)) / ROWS)
        };
        while !even.is_empty() || !odd.is_empty() {
            let lowest = row(even).min(row(odd));
            let mut pattern = 0;
            while row(even) == lowest {
                pattern |= 1 << (even[0] % ROWS);
                even = &even[1..];
            }
            while row(odd) == lowest {
                pattern |= 1 << (ROWS + odd[0] % ROWS);
                odd = &odd[1..];
            }
            self.addresses.push(column << SUPER_ROW_BITS | lowest);
            self.patterns.push(pattern);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_of_two_columns_are_joined() {
        let pixel = |column: u32, row: u32| column << 8 | row;
        let mut found = SensorSuperPixels::default();
        found.find(&[pixel(2, 5), pixel(2, 9), pixel(3, 4), pixel(3, 200), pixel(4, 12)]);
        let address = |column: u32, row: u32| column << 6 | row;
        assert_eq!(found.addresses, [address(1, 1), address(1, 2), address(1, 50), address(2, 3)]);
        assert_eq!(found.patterns, [0b0001_0010, 0b0010, 0b0001_0000, 0b0001]);
        assert_eq!(found.is_isolated, [false, false, true, false]);
    }
}
