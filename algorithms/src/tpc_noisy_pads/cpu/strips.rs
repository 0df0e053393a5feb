//! Groups of pads that are one thread's work.
//!
//! A strip is some rows of pads of a sector. Its tiles in one row of tiles are next to
//! each other in memory, so a strip is read in long pieces; and the state of its pads
//! stays in the nearest cache while time goes by.

use std::ops::Range;

use generators::tpc::PadId;
use generators::tpc::geometry::{PADS_IN_SECTOR, ROWS, first_pad_of_row, pads_in_row};

use super::Advance;
use crate::tpc_decode::charge_map::{TILE, TILE_PADS, TILES_IN_ROW, column};
use crate::tpc_noisy_pads::activity::{PadActivity, Thresholds};

/// The charges of eight pads in four time bins, time bin by time bin.
pub(super) type Tile = [u16; TILE];

/// Rows of pads in a strip: 8 to 17 tiles each, and as many bytes of state.
const ROWS_IN_STRIP: usize = 8;
/// Strips of a sector.
const STRIPS: usize = ROWS.div_ceil(ROWS_IN_STRIP);

/// What is known of the pads of a tile so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(super) struct PadState {
    pub(super) charges: [u16; TILE_PADS],
    pub(super) run: [u16; TILE_PADS],
    pub(super) longest_run: [u16; TILE_PADS],
    pub(super) largest: [u16; TILE_PADS],
}

/// Some rows of pads of a sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Strip {
    pub(super) sector: usize,
    first_row: usize,
}

/// The strips of so many sectors, in order.
pub(super) fn of(sectors: usize) -> Vec<Strip> {
    let strip = |number| Strip {
        sector: number / STRIPS,
        first_row: number % STRIPS * ROWS_IN_STRIP,
    };
    (0..sectors * STRIPS).map(strip).collect()
}

impl Strip {
    fn rows(self) -> Range<usize> {
        self.first_row..(self.first_row + ROWS_IN_STRIP).min(ROWS)
    }

    /// The number of its pads.
    pub(super) fn pads(self) -> usize {
        let rows = self.rows();
        let end = match rows.end {
            ROWS => PADS_IN_SECTOR,
            row => first_pad_of_row(row),
        };
        end - first_pad_of_row(rows.start)
    }

    /// Its tiles in each row of tiles.
    fn tiles(self) -> Range<usize> {
        let rows = self.rows();
        let first = column(PadId::new(rows.start as u8, 0)) / TILE_PADS;
        let last_row = rows.end - 1;
        let last_pad = (pads_in_row(last_row) - 1) as u8;
        first..column(PadId::new(last_row as u8, last_pad)) / TILE_PADS + 1
    }

    /// Finds what its pads did, from the map of its sector.
    pub(super) fn find(
        self,
        map: &[u16],
        thresholds: &Thresholds,
        advance: Advance,
        activity: &mut [PadActivity],
    ) {
        let (map, _) = map.as_chunks::<TILE>();
        let tiles = self.tiles();
        let mut states = vec![PadState::default(); tiles.len()];
        for row_of_tiles in map.chunks_exact(TILES_IN_ROW) {
            advance(&mut states, &row_of_tiles[tiles.clone()]);
        }
        let pads = self
            .rows()
            .flat_map(|row| (0..pads_in_row(row)).map(move |pad| PadId::new(row as u8, pad as u8)));
        for (pad, activity) in pads.zip(activity) {
            let column = column(pad);
            let (state, lane) = (
                &states[column / TILE_PADS - tiles.start],
                column % TILE_PADS,
            );
            *activity = PadActivity::new(
                state.charges[lane],
                state.longest_run[lane],
                state.largest[lane],
                thresholds,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_are_all_pads_of_all_sectors() {
        let strips = of(3);
        let pads: usize = strips.iter().map(|strip| strip.pads()).sum();
        assert_eq!(pads, 3 * PADS_IN_SECTOR);
        let mut free = 0;
        for strip in &strips[..STRIPS] {
            let tiles = strip.tiles();
            assert!(
                tiles.start >= free && tiles.end <= TILES_IN_ROW,
                "{strip:?}"
            );
            free = tiles.end;
        }
        assert_eq!(strips[STRIPS].sector, 1);
    }
}
