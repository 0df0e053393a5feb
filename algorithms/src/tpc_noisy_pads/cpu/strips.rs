//! Rows of pads that one thread processes.
//!
//! A row of pads has contiguous tiles in each row of tiles, and the state of the pads of a strip
//! stays in the nearest cache during the iteration over time. The distance from one row of tiles to
//! the next is too large for the hardware prefetcher, so the next tiles are prefetched explicitly.

use std::ops::Range;

use generators::tpc::geometry::{ROWS, first_pad_of_row, pads_in_row};

use super::pad_state::{Advance, PadState};
use crate::prefetch::prefetch;
use crate::tpc_decode::charge_map::{TILE, TILE_PADS, TILES_IN_ROW, tiles_of_row};
use crate::tpc_noisy_pads::activity::{PadActivity, Thresholds};

/// Rows of pads in a strip: 9 to 18 tiles each, with a state of one cache line for each tile.
const ROWS_IN_STRIP: usize = 8;
/// Strips of a sector.
const STRIPS: usize = ROWS.div_ceil(ROWS_IN_STRIP);

/// Some rows of pads of a sector.
#[derive(Clone, Copy)]
pub(super) struct Strip {
    pub(super) sector: usize,
    first_row: usize,
}

/// The strips of `sectors` sectors, in order.
pub(super) fn for_sectors(sectors: usize) -> Vec<Strip> {
    let strip = |index| Strip { sector: index / STRIPS, first_row: index % STRIPS * ROWS_IN_STRIP };
    (0..sectors * STRIPS).map(strip).collect()
}

impl Strip {
    fn rows(self) -> Range<usize> {
        self.first_row..(self.first_row + ROWS_IN_STRIP).min(ROWS)
    }

    /// Number of its pads.
    pub(super) fn pads(self) -> usize {
        first_pad_of_row(self.rows().end) - first_pad_of_row(self.rows().start)
    }

    /// Finds the activity of its pads, from the map of its sector.
    pub(super) fn find(
        self,
        map: &[u16],
        thresholds: &Thresholds,
        advance: Advance,
        activity: &mut [PadActivity],
    ) {
        let (map, _) = map.as_chunks::<TILE>();
        let mut rows: Vec<RowOfPads> = self.rows().map(RowOfPads::new).collect();
        let mut rows_of_tiles = map.chunks_exact(TILES_IN_ROW).peekable();
        while let Some(tiles) = rows_of_tiles.next() {
            for row in &mut rows {
                if let Some(later) = rows_of_tiles.peek() {
                    row.tiles.clone().for_each(|tile| prefetch(later, tile));
                }
                advance(&mut row.states, &tiles[row.tiles.clone()]);
            }
        }
        let found = rows.iter().flat_map(|row| row.activity(thresholds));
        for (activity, found) in activity.iter_mut().zip(found) {
            *activity = found;
        }
    }
}

/// A row of pads, with the state so far.
struct RowOfPads {
    pads: usize,
    /// Its tiles in each row of tiles.
    tiles: Range<usize>,
    /// The pads of each of these tiles.
    states: Vec<PadState>,
}

impl RowOfPads {
    fn new(row: usize) -> Self {
        let tiles = tiles_of_row(row);
        RowOfPads { pads: pads_in_row(row), states: vec![PadState::default(); tiles.len()], tiles }
    }

    fn activity(&self, thresholds: &Thresholds) -> impl Iterator<Item = PadActivity> {
        (0..self.pads).map(|pad| {
            let state = &self.states[pad / TILE_PADS];
            let lane = pad % TILE_PADS;
            let charges = state.charges[lane];
            let largest = state.largest[lane];
            PadActivity::new(charges, state.longest_run[lane], largest, thresholds)
        })
    }
}
