//! Super-pixels of a sensor, and which of them are isolated.

use crate::words::{SUPER_ROWS, SuperPixel};

use super::patch::{PATCH_PIXELS, Patch};

/// Columns and rows of a super-pixel.
const COLUMNS: usize = 2;
const ROWS: usize = 4;
/// Super-pixels of a column in the table: one before the first row, and those after the last that a load of
/// four reaches.
const STRIDE: usize = SUPER_ROWS as usize + 4;
/// Columns of the table: one before the first, those that a patch of ten bits for the column may have, and
/// one after.
const TABLE_COLUMNS: usize = 514;
const TABLE: usize = TABLE_COLUMNS * STRIDE + PATCH_PIXELS;
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

/// Super-pixels of a sensor.
pub(super) struct SensorSuperPixels {
    /// Pixels of each super-pixel, all 0 between sensors.
    patterns: Box<[u8; TABLE]>,
    /// Words of the super-pixels that are present, without pixels and flags, and some more.
    present: Vec<u32>,
}

/// Index of the super-pixel at a column and row in the table.
#[inline]
fn index_of(column: usize, row: usize) -> usize {
    (column + 1) * STRIDE + row + 1
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
        SensorSuperPixels { patterns: Box::new([0; TABLE]), present: Vec::new() }
    }
}

impl SensorSuperPixels {
    /// Adds the words of the super-pixels of a sensor in order of the first patches at them.
    pub(super) fn add_words(&mut self, patches: &[Patch], words: &mut Vec<u32>) {
        let count = self.fill(patches);
        words.extend(self.present[..count].iter().map(|word| self.complete(*word)));
        for &word in &self.present[..count] {
            let SuperPixel { column, row, .. } = SuperPixel::decode(word);
            self.patterns[index_of(column.into(), row.into())] = 0;
        }
    }

    /// Fills the table; returns the number of super-pixels that are present.
    fn fill(&mut self, patches: &[Patch]) -> usize {
        let max = PATCH_PIXELS * (patches.len() + 1);
        if self.present.len() < max {
            self.present.resize(max, 0);
        }
        let mut count = 0;
        for patch in patches {
            let column = patch.column() / COLUMNS;
            let row = patch.row() / ROWS;
            let parts = IN_SUPER_PIXELS[patch.column() % COLUMNS][patch.row() % ROWS]
                [patch.pattern() % (1 << PATCH_PIXELS)];
            let patterns: &mut [u8; STRIDE + 2] =
                self.patterns[index_of(column, row)..].first_chunk_mut().expect("a border");
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
            let first = SuperPixel::word_at(column as u32, row as u32);
            let mut index = 0;
            for (byte, [columns, rows]) in [[0, 0], [0, 1], [1, 0], [1, 1]].into_iter().enumerate()
            {
                present[index % PATCH_PIXELS] = first + SuperPixel::word_at(columns, rows);
                index += (added >> (8 * byte + 7) & 1) as usize;
            }
            count += index;
        }
        count
    }

    /// The word of a super-pixel with its pixels, and the mark if no neighbour is present.
    #[inline]
    fn complete(&self, word: u32) -> u32 {
        let address = SuperPixel::decode(word);
        let index = index_of(address.column.into(), address.row.into());
        let around: &[u8; 2 * STRIDE + 4] =
            self.patterns[index - 1 - STRIDE..].first_chunk().expect("a border");
        let neighbours = (four(around, 0) & IN_NEXT_COLUMN)
            | (four(around, STRIDE) & IN_OWN_COLUMN)
            | (four(around, 2 * STRIDE) & IN_NEXT_COLUMN);
        SuperPixel { pattern: around[STRIDE + 1], is_isolated: neighbours == 0, ..address }.encode()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(pixels: &[(usize, usize, usize)]) -> Vec<SuperPixel> {
        let patch = |&(column, row, pattern)| Patch::new(0, 0).with_pixels(column, row, pattern);
        let patches: Vec<_> = pixels.iter().map(patch).collect();
        let mut super_pixels = SensorSuperPixels::default();
        let mut words = Vec::new();
        super_pixels.add_words(&patches, &mut words);
        assert!(super_pixels.patterns.iter().all(|pattern| *pattern == 0));
        words.into_iter().map(SuperPixel::decode).collect()
    }

    fn found(column: u16, row: u16, pattern: u8, is_isolated: bool) -> SuperPixel {
        SuperPixel { column, row, pattern, is_isolated, is_second_sensor: false }
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
