//! Super-pixels of a sensor, and which of them are isolated.

use crate::words::{SUPER_COLUMNS, SUPER_ROWS};

use super::patch::{PATCH_PIXELS, Patch};

/// Columns and rows of a super-pixel.
const COLUMNS: usize = 2;
const ROWS: usize = 4;
/// Super-pixels of a column in the table: one before the first row, and those after the last that a load of
/// four reaches.
const STRIDE: usize = SUPER_ROWS as usize + 4;
/// Columns of the table: one before the first, and two after the last, as patches reach.
const TABLE_COLUMNS: usize = SUPER_COLUMNS as usize + 3;
/// Neighbours among four super-pixels of a column: those next to a super-pixel, and in its own column.
const IN_NEXT_COLUMN: u32 = 0x00FF_FFFF;
const IN_OWN_COLUMN: u32 = 0x00FF_00FF;

/// Pixels of the four super-pixels at which a patch lies, a byte each, those of the first column lowest: by
/// the column of the patch in the super-pixel, its row there, and its pattern.
static IN_SUPER_PIXELS: [[[u32; 1 << PATCH_PIXELS]; ROWS]; COLUMNS] = in_super_pixels();

const fn in_super_pixels() -> [[[u32; 1 << PATCH_PIXELS]; ROWS]; COLUMNS] {
    let mut table = [[[0; 1 << PATCH_PIXELS]; ROWS]; COLUMNS];
    let mut index = 0;
    while index < (COLUMNS * ROWS) << PATCH_PIXELS {
        let pattern = index & ((1 << PATCH_PIXELS) - 1);
        let first_row = (index >> PATCH_PIXELS) % ROWS;
        let first_column = (index >> PATCH_PIXELS) / ROWS;
        let mut bit = 0;
        while bit < PATCH_PIXELS {
            if pattern >> bit & 1 != 0 {
                let column = first_column + bit / 2;
                let row = first_row + bit % 2;
                let super_pixel = 2 * (column / COLUMNS) + row / ROWS;
                let pixel = ROWS * (column % COLUMNS) + row % ROWS;
                table[first_column][first_row][pattern] |= 1 << (8 * super_pixel + pixel);
            }
            bit += 1;
        }
        index += 1;
    }
    table
}

/// The highest bit of each byte that is not 0.
#[inline]
fn present_bytes(bytes: u32) -> u32 {
    const LOW_BITS: u32 = 0x7F7F_7F7F;
    (((bytes & LOW_BITS) + LOW_BITS) | bytes) & !LOW_BITS
}

/// Super-pixel of a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FoundSuperPixel {
    /// Column of super-pixels.
    pub column: u16,
    /// Row of super-pixels.
    pub row: u16,
    /// Pixels by bits.
    pub pattern: u8,
    /// True if no neighbour is present.
    pub is_isolated: bool,
}

/// Super-pixels of a sensor.
pub(super) struct SensorSuperPixels {
    /// Pixels of each address, all 0 between sensors.
    patterns: Vec<u8>,
    /// Addresses of the super-pixels that are present, and some more.
    present: Vec<u32>,
    count: usize,
}

/// Four patterns from an index on.
#[inline]
fn four(patterns: &[u8], index: usize) -> u32 {
    u32::from_le_bytes([
        patterns[index],
        patterns[index + 1],
        patterns[index + 2],
        patterns[index + 3],
    ])
}

impl Default for SensorSuperPixels {
    fn default() -> Self {
        let patterns = vec![0; TABLE_COLUMNS * STRIDE];
        SensorSuperPixels { patterns, present: Vec::new(), count: 0 }
    }
}

impl SensorSuperPixels {
    /// Finds the super-pixels of a sensor, and passes each on in order of the first patches at them.
    pub(super) fn for_each(&mut self, patches: &[Patch], found: impl FnMut(FoundSuperPixel)) {
        self.add(patches);
        self.pass_on(found);
        self.clear();
    }

    fn add(&mut self, patches: &[Patch]) {
        let max = PATCH_PIXELS * (patches.len() + 1);
        if self.present.len() < max {
            self.present.resize(max, 0);
        }
        let mut count = 0;
        for patch in patches {
            let column = patch.column();
            let row = patch.row();
            let first = (column / COLUMNS + 1) * STRIDE + row / ROWS + 1;
            let parts = IN_SUPER_PIXELS[column % COLUMNS][row % ROWS][patch.pattern()];
            let patterns: &mut [u8; STRIDE + 2] =
                self.patterns[first..].first_chunk_mut().expect("a border of super-pixels");
            let before = u32::from_le_bytes([
                patterns[0],
                patterns[1],
                patterns[STRIDE],
                patterns[STRIDE + 1],
            ]);
            let [first_low, first_high, next_low, next_high] = (before | parts).to_le_bytes();
            patterns[0] = first_low;
            patterns[1] = first_high;
            patterns[STRIDE] = next_low;
            patterns[STRIDE + 1] = next_high;
            // Without a branch, which can't be predicted.
            let added = present_bytes(parts) & !present_bytes(before);
            let present: &mut [u32; PATCH_PIXELS] =
                self.present[count..].first_chunk_mut().expect("one for each pixel");
            let mut index = 0;
            for (byte, offset) in [0, 1, STRIDE, STRIDE + 1].into_iter().enumerate() {
                present[index % PATCH_PIXELS] = (first + offset) as u32;
                index += (added >> (8 * byte + 7) & 1) as usize;
            }
            count += index;
        }
        self.count = count;
    }

    fn pass_on(&self, mut found: impl FnMut(FoundSuperPixel)) {
        for &address in &self.present[..self.count] {
            let address = address as usize;
            let around: &[u8; 2 * STRIDE + 4] = self.patterns[address - 1 - STRIDE..]
                .first_chunk()
                .expect("a border of super-pixels");
            let neighbours = (four(around, 0) & IN_NEXT_COLUMN)
                | (four(around, STRIDE) & IN_OWN_COLUMN)
                | (four(around, 2 * STRIDE) & IN_NEXT_COLUMN);
            found(FoundSuperPixel {
                column: (address / STRIDE - 1) as u16,
                row: (address % STRIDE - 1) as u16,
                pattern: around[STRIDE + 1],
                is_isolated: neighbours == 0,
            });
        }
    }

    fn clear(&mut self) {
        for &address in &self.present[..self.count] {
            self.patterns[address as usize] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(pixels: &[(usize, usize, usize)]) -> Vec<FoundSuperPixel> {
        let patch = |&(column, row, pattern)| Patch::new(0, 0).with_pixels(column, row, pattern);
        let patches: Vec<_> = pixels.iter().map(patch).collect();
        let mut super_pixels = SensorSuperPixels::default();
        let mut found = Vec::new();
        super_pixels.for_each(&patches, |super_pixel| found.push(super_pixel));
        assert!(super_pixels.patterns.iter().all(|pattern| *pattern == 0));
        found
    }

    fn found(column: u16, row: u16, pattern: u8, is_isolated: bool) -> FoundSuperPixel {
        FoundSuperPixel { column, row, pattern, is_isolated }
    }

    #[test]
    fn patches_are_joined() {
        let pixels = [(2, 5, 1), (2, 9, 1), (3, 4, 1), (2, 5, 1), (3, 200, 1), (4, 12, 1)];
        let expected = [
            found(1, 1, 0b0001_0010, false),
            found(1, 2, 0b0010, false),
            found(1, 50, 0b0001_0000, true),
            found(2, 3, 0b0001, false),
        ];
        assert_eq!(find(&pixels), expected);
    }

    #[test]
    fn a_patch_may_lie_at_four_super_pixels() {
        let expected = [
            found(4, 2, 0b1000_0000, false),
            found(4, 3, 0b0001_0000, false),
            found(5, 2, 0b1000, false),
            found(5, 3, 0b0001, false),
        ];
        assert_eq!(find(&[(9, 11, 0b1111)]), expected);
    }

    #[test]
    fn borders_separate() {
        let corners = [(0, 0, 1), (0, 255, 1), (2, 0, 1), (767, 0, 1), (767, 255, 1)];
        let isolated: Vec<_> = find(&corners).iter().map(|found| found.is_isolated).collect();
        assert_eq!(isolated, [false, true, false, true, true]);
    }
}
