//! Growth of clusters in masks of bits: four columns of sixteen rows each.

/// Rows of each of four columns.
const fn in_all_columns(rows: u16) -> u64 {
    let rows = rows as u64;
    rows | rows << 16 | rows << 32 | rows << 48
}

/// Rows from which there is a step to the north, and to the south.
const NOT_LAST: u64 = in_all_columns(0x7FFF);
const NOT_FIRST: u64 = in_all_columns(0xFFFE);
/// Rows from which there is a step to the north-east, and to the south-west: off by a row, as in the
/// experiment.
const NORTH_EAST: u64 = in_all_columns(0xFFFC);
const SOUTH_WEST: u64 = in_all_columns(0x3FFF);

/// Bit of a pixel.
#[inline]
pub fn bit(column: u32, row: u32) -> u64 {
    1 << (16 * column + row)
}

/// Joins four columns.
#[inline]
pub fn field(columns: &[u16]) -> u64 {
    let column = |index: usize| u64::from(columns[index]) << (16 * index);
    column(0) | column(1) | column(2) | column(3)
}

/// Rows of a column.
#[inline]
pub fn column(field: u64, index: u32) -> u16 {
    (field >> (16 * index)) as u16
}

/// The rows themselves, and those next to them.
#[inline]
pub fn near(rows: u16) -> u16 {
    rows | rows << 1 | rows >> 1
}

/// Pixels that can be reached from `start` in steps to set pixels.
#[inline]
pub fn grow(start: u64, pixels: u64) -> u64 {
    let mut cluster = start;
    loop {
        let north = (cluster & NOT_LAST) << 1 | (cluster & NOT_LAST) >> 15;
        let south = (cluster & NOT_FIRST) >> 1 | (cluster & NOT_FIRST) << 15;
        let sides = cluster << 16 | cluster >> 16;
        let corners = (cluster & NORTH_EAST) << 17 | (cluster & SOUTH_WEST) >> 17;
        let grown = cluster | (north | south | sides | corners) & pixels;
        if grown == cluster {
            return cluster;
        }
        cluster = grown;
    }
}

/// Sum of the column indices of the pixels.
#[inline]
pub fn sum_of_columns(field: u64) -> u32 {
    let in_column = |index| column(field, index).count_ones();
    in_column(1) + 2 * in_column(2) + 3 * in_column(3)
}

/// Sum of the row indices of the pixels.
#[inline]
pub fn sum_of_rows(field: u64) -> u32 {
    let with_bit = |rows: u16| (field & in_all_columns(rows)).count_ones();
    with_bit(0xAAAA) + 2 * with_bit(0xCCCC) + 4 * with_bit(0xF0F0) + 8 * with_bit(0xFF00)
}
