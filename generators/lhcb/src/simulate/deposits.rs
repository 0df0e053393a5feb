//! Pixels of charge that is spread over rectangles, each not much larger than a pixel. Lengths are in mm.
//!
//! Rectangles are in blocks of lanes, so that one instruction works on several of them.

use crate::geometry::{PITCH, ROWS};

use super::patch::{PATCH_PIXELS, Patch};
use super::sensors::{HEIGHT, WIDTH, column_at, edge_of, whole_part};

/// Rectangles of a block.
pub(super) const LANES: usize = 16;
/// Pattern that stands for pixels in more than two columns or rows.
const WIDE: usize = 1 << PATCH_PIXELS;
/// Columns, or rows, of a rectangle at most.
const MAX_SPAN: usize = 3;

/// Charge of a particle that is spread evenly over a rectangle.
#[derive(Clone, Copy)]
pub(super) struct Deposit {
    /// The patch of sensor and particle, without pixels.
    pub patch: Patch,
    /// Middle of the rectangle along columns and rows of the sensor.
    pub position: [f32; 2],
    /// Size of the rectangle along columns and rows.
    pub size: [f32; 2],
    /// Share of the charge above which a pixel has a hit.
    pub threshold: f32,
}

/// Charge without pixels.
const NO_DEPOSIT: Deposit =
    Deposit { patch: Patch::NONE, position: [0.0; 2], size: [0.0; 2], threshold: f32::INFINITY };

/// Charges of an event.
#[derive(Default)]
pub(super) struct Deposits {
    /// Blocks of lanes, more than are in use.
    blocks: Vec<Block>,
    count: usize,
}

/// Charges by lanes.
#[derive(Clone, Copy, Default)]
pub(super) struct Block {
    patch: [Patch; LANES],
    column: [f32; LANES],
    row: [f32; LANES],
    /// Size along columns.
    pub width: [f32; LANES],
    /// Size along rows.
    pub height: [f32; LANES],
    /// Share of the charge above which a pixel has a hit.
    pub threshold: [f32; LANES],
}

/// Extents of rectangles along columns, or rows, as far as they are on the sensor.
struct Extents {
    low: [f32; LANES],
    high: [f32; LANES],
    /// First and last column, or row.
    first: [u32; LANES],
    last: [u32; LANES],
}

impl Deposits {
    /// Adds a charge.
    #[inline]
    pub(super) fn push(&mut self, deposit: Deposit) {
        if self.count == LANES * self.blocks.len() {
            self.blocks.push(Block::default());
        }
        self.blocks[self.count / LANES].set(self.count % LANES, deposit);
        self.count += 1;
    }

    /// Adds the pixels of all charges to patches, and removes the charges.
    pub(super) fn drain(&mut self, patches: &mut Vec<Patch>) {
        while !self.count.is_multiple_of(LANES) {
            self.push(NO_DEPOSIT);
        }
        for block in &self.blocks[..self.count / LANES] {
            block.add_pixels(patches);
        }
        self.count = 0;
    }
}

impl Block {
    /// Charges of no extent at positions along columns and rows.
    #[inline]
    pub(super) fn new(patch: [Patch; LANES], column: [f32; LANES], row: [f32; LANES]) -> Self {
        let width = [0.0; LANES];
        let height = [0.0; LANES];
        Block { patch, column, row, width, height, threshold: [f32::INFINITY; LANES] }
    }

    #[inline]
    fn set(&mut self, lane: usize, deposit: Deposit) {
        self.patch[lane] = deposit.patch;
        self.column[lane] = deposit.position[0];
        self.row[lane] = deposit.position[1];
        self.width[lane] = deposit.size[0];
        self.height[lane] = deposit.size[1];
        self.threshold[lane] = deposit.threshold;
    }

    /// Adds the pixels of all lanes, without branches that can't be predicted.
    pub(super) fn add_pixels(&self, patches: &mut Vec<Patch>) {
        let columns = Extents::new(&self.column, &self.width, WIDTH, column_at);
        let rows = Extents::new(&self.row, &self.height, HEIGHT, row_at);
        let patterns = self.patterns(&columns, &rows);
        let first = patches.len();
        patches.resize(first + LANES, Patch::NONE);
        let mut count = first;
        let mut wide = 0_u32;
        for (lane, pattern) in patterns.into_iter().enumerate() {
            let column = columns.first[lane] as usize;
            let row = rows.first[lane] as usize;
            let pixels = pattern as usize & (WIDE - 1);
            patches[count] = self.patch[lane].with_pixels(column, row, pixels);
            count += usize::from(pixels != 0);
            wide |= u32::from(pattern as usize == WIDE) << lane;
        }
        patches.truncate(count);
        while wide != 0 {
            let lane = wide.trailing_zeros() as usize % LANES;
            wide &= wide - 1;
            self.add_wide(lane, &columns, &rows, patches);
        }
    }

    /// Patterns of the pixels in the first two columns and rows, or `WIDE` if there are more.
    #[inline]
    fn patterns(&self, columns: &Extents, rows: &Extents) -> [u32; LANES] {
        let mut patterns = [0; LANES];
        let column_shares = columns.first_shares(edge_of);
        let row_shares = rows.first_shares(row_edge);
        for lane in 0..LANES {
            let column = column_shares[lane];
            let row = row_shares[lane];
            let hit = |share: f32, bit| if share > self.threshold[lane] { bit } else { 0 };
            let pattern = hit(column * row, 1)
                | hit(column * (1.0 - row), 2)
                | hit((1.0 - column) * row, 4)
                | hit((1.0 - column) * (1.0 - row), 8);
            let is_wide = (columns.last[lane] > columns.first[lane] + 1)
                | (rows.last[lane] > rows.first[lane] + 1);
            let is_outside =
                (columns.low[lane] >= columns.high[lane]) | (rows.low[lane] >= rows.high[lane]);
            let pattern = if is_wide { WIDE as u32 } else { pattern };
            patterns[lane] = if is_outside { 0 } else { pattern };
        }
        patterns
    }

    /// Adds the pixels of more than two columns or rows, in patches of two by two.
    fn add_wide(&self, lane: usize, columns: &Extents, rows: &Extents, patches: &mut Vec<Patch>) {
        let column_shares = columns.shares(lane, edge_of);
        let row_shares = rows.shares(lane, row_edge);
        let columns_end = 1 + (columns.last[lane] - columns.first[lane]) as usize;
        let rows_end = 1 + (rows.last[lane] - rows.first[lane]) as usize;
        for column in (0..columns_end.min(MAX_SPAN)).step_by(2) {
            for row in (0..rows_end.min(MAX_SPAN)).step_by(2) {
                let hit = |bit: usize| {
                    let share = column_shares[column + bit / 2] * row_shares[row + bit % 2];
                    usize::from(share > self.threshold[lane]) << bit
                };
                let pattern = hit(0) | hit(1) | hit(2) | hit(3);
                if pattern != 0 {
                    let column = columns.first[lane] as usize + column;
                    let row = rows.first[lane] as usize + row;
                    patches.push(self.patch[lane].with_pixels(column, row, pattern));
                }
            }
        }
    }
}

impl Extents {
    /// The parts on the sensor, which ends at `end`.
    #[inline]
    fn new(
        positions: &[f32; LANES],
        sizes: &[f32; LANES],
        end: f32,
        index_at: impl Fn(f32) -> u32,
    ) -> Self {
        let mut extents =
            Extents { low: [0.0; LANES], high: [0.0; LANES], first: [0; LANES], last: [0; LANES] };
        for lane in 0..LANES {
            let low = positions[lane] - 0.5 * sizes[lane];
            let high = positions[lane] + 0.5 * sizes[lane];
            extents.low[lane] = if low > 0.0 { low } else { 0.0 };
            extents.high[lane] = if high < end { high } else { end };
        }
        for lane in 0..LANES {
            extents.first[lane] = index_at(extents.low[lane]);
            extents.last[lane] = index_at(extents.high[lane]);
        }
        extents
    }

    /// Shares of the charge in the first of at most two columns, or rows, given their lower edges.
    #[inline]
    fn first_shares(&self, edge: impl Fn(u32) -> f32) -> [f32; LANES] {
        let mut shares = [0.0; LANES];
        for (lane, share) in shares.iter_mut().enumerate() {
            let is_single = self.first[lane] == self.last[lane];
            let end = if is_single { self.high[lane] } else { edge(self.last[lane]) };
            *share = (end - self.low[lane]) / (self.high[lane] - self.low[lane]);
        }
        shares
    }

    /// Shares of the charge in all columns, or rows, given their lower edges; 0 in those after them.
    fn shares(&self, lane: usize, edge: impl Fn(u32) -> f32) -> [f32; MAX_SPAN + 1] {
        let high = self.high[lane];
        let mut start = self.low[lane];
        let per_length = 1.0 / (high - start);
        let mut shares = [0.0; MAX_SPAN + 1];
        for (index, share) in (self.first[lane]..=self.last[lane]).zip(&mut shares) {
            let end = edge(index + 1).min(high);
            *share = (end - start) * per_length;
            start = end;
        }
        shares
    }
}

/// The row at a position on the sensor.
#[inline]
fn row_at(position: f32) -> u32 {
    whole_part(position * (1.0 / PITCH)).min(ROWS as u32 - 1)
}

/// Lower edge of a row.
#[inline]
fn row_edge(row: u32) -> f32 {
    row as f32 * PITCH
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use generators_common::random::hash;

    use super::*;
    use crate::geometry::COLUMNS;

    /// Part of the range from `low` to `high` that another one covers.
    fn covered(low: f32, high: f32, [start, end]: [f32; 2]) -> f32 {
        (high.min(end) - low.max(start)).max(0.0) / (high - low)
    }

    /// Pixels of a charge, from the part of the rectangle on each.
    fn expected(deposit: &Deposit) -> BTreeSet<(usize, usize)> {
        let [column, row] = deposit.position;
        let [width, height] = deposit.size.map(|size| 0.5 * size);
        let x = [(column - width).max(0.0), (column + width).min(WIDTH)];
        let y = [(row - height).max(0.0), (row + height).min(HEIGHT)];
        let all = (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (column, row)));
        let has_hit = |&(column, row): &(usize, usize)| {
            let [column, row] = [column, row].map(|index| index as u32);
            let columns = covered(x[0], x[1], [edge_of(column), edge_of(column + 1)]);
            let rows = covered(y[0], y[1], [row_edge(row), row_edge(row + 1)]);
            columns * rows > deposit.threshold
        };
        if x[0] < x[1] && y[0] < y[1] { all.filter(has_hit).collect() } else { BTreeSet::new() }
    }

    #[test]
    fn pixels_have_enough_of_the_charge() {
        let fraction = |seed: u64, name: u64| (hash(seed, [name]) >> 40) as f32 / (1 << 24) as f32;
        for seed in 0..40 {
            // Some are at the edges of the sensor or outside.
            let deposit = Deposit {
                patch: Patch::new(7, 9),
                position: [
                    fraction(seed, 1) * (WIDTH + 0.1) - 0.05,
                    fraction(seed, 2) * (HEIGHT + 0.1) - 0.05,
                ],
                size: [3, 4].map(|name| 0.008 + 0.055 * fraction(seed, name)),
                threshold: 0.13 + 0.1 * fraction(seed, 5),
            };
            let mut deposits = Deposits::default();
            let mut patches = Vec::new();
            deposits.push(deposit);
            deposits.drain(&mut patches);
            let mut pixels = BTreeSet::new();
            for patch in &patches {
                for bit in (0..PATCH_PIXELS).filter(|bit| patch.pattern() >> bit & 1 != 0) {
                    assert!(pixels.insert((patch.column() + bit / 2, patch.row() + bit % 2)));
                }
            }
            assert_eq!(pixels, expected(&deposit), "seed {seed}");
        }
    }
}
