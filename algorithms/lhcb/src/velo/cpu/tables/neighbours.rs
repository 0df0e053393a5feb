//! Super-pixels of a sensor by address: the patterns of the neighbours of one are next to each other.

use generators_lhcb::SuperPixel;
use generators_lhcb::words::{SUPER_COLUMNS, SUPER_ROWS};

/// Empty columns before the first and after the last.
const COLUMNS_BEFORE: usize = 3;
const COLUMNS_AFTER: usize = 1;
/// Empty rows before the first and after the last.
const ROWS_BEFORE: usize = 2;
const ROWS_AFTER: usize = 2;
const HEIGHT: usize = SUPER_ROWS as usize + ROWS_BEFORE + ROWS_AFTER;
const WIDTH: usize = SUPER_COLUMNS as usize + COLUMNS_BEFORE + COLUMNS_AFTER;

/// Patterns of super-pixels by column and row, those of a column next to each other.
#[derive(Clone, Debug)]
pub struct Neighbours(Box<[u8]>);

impl Default for Neighbours {
    fn default() -> Self {
        Neighbours(vec![0; WIDTH * HEIGHT].into_boxed_slice())
    }
}

fn index(pixel: SuperPixel) -> usize {
    let column = usize::from(pixel.column) + COLUMNS_BEFORE;
    column * HEIGHT + usize::from(pixel.row) + ROWS_BEFORE
}

impl Neighbours {
    /// Adds the pixels of a super-pixel.
    #[inline]
    pub fn add(&mut self, pixel: SuperPixel) {
        self.0[index(pixel)] |= pixel.pattern;
    }

    /// Removes the pixels at the address of a super-pixel.
    #[inline]
    pub fn clear(&mut self, pixel: SuperPixel) {
        self.0[index(pixel)] = 0;
    }

    /// Pixels of a super-pixel that have no neighbour to the north or east, as bits of its pattern.
    #[inline]
    pub fn last_pixels(&self, pixel: SuperPixel) -> u8 {
        let at = index(pixel);
        let own = u16::from(pixel.pattern);
        let north = u16::from(self.0[at + 1]);
        let south = u16::from(self.0[at - 1]);
        let east = &self.0[at + HEIGHT - 1..at + HEIGHT + 2];
        // Three columns of six rows each: that below, those of the super-pixel, that above.
        let column =
            |south: u16, own: u16, north: u16| south >> 3 & 1 | (own & 15) << 1 | (north & 1) << 5;
        let first = column(south & 15, own, north);
        let second = column(south >> 4, own >> 4, north >> 4);
        let [east_south, east_own, east_north] = [east[0], east[1], east[2]].map(u16::from);
        let third = column(east_south & 15, east_own, east_north);
        // In the column to the east: the rows below, next to it and above.
        let near = |column: u16| column | column >> 1 | column >> 2;
        let first_last = (own & 15) & !(first >> 2) & !near(second);
        let second_last = (own >> 4) & !(second >> 2) & !near(third);
        (first_last & 15 | (second_last & 15) << 4) as u8
    }

    /// Columns of pixels around a super-pixel: ten of sixteen rows, from six columns and eight rows before
    /// its own.
    #[inline]
    pub fn window(&self, pixel: SuperPixel) -> [u16; 10] {
        let first = index(pixel) - COLUMNS_BEFORE * HEIGHT - ROWS_BEFORE;
        let mut columns = [0; 10];
        for (super_column, columns) in columns.chunks_exact_mut(2).enumerate() {
            let at = first + super_column * HEIGHT;
            let bytes: [u8; 4] = self.0[at..at + 4].try_into().expect("four rows");
            let rows = u32::from_le_bytes(bytes);
            columns[0] = nibbles(rows);
            columns[1] = nibbles(rows >> 4);
        }
        columns
    }
}

/// The lower nibbles of four bytes.
#[inline]
fn nibbles(bytes: u32) -> u16 {
    let pairs = (bytes & 0x000F_000F) | (bytes & 0x0F00_0F00) >> 4;
    (pairs | pairs >> 8) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_have_the_rows_of_each_column() {
        let mut pixels = Neighbours::default();
        let pixel = |column, row, pattern| SuperPixel {
            is_isolated: false,
            is_second_sensor: false,
            column,
            row,
            pattern,
        };
        pixels.add(pixel(10, 20, 0x21));
        pixels.add(pixel(11, 21, 0x10));
        pixels.add(pixel(7, 18, 0x80));
        let window = pixels.window(pixel(10, 20, 0));
        assert_eq!(window, [0, 1 << 3, 0, 0, 0, 0, 1 << 8, 2 << 8, 0, 1 << 12]);
    }
}
