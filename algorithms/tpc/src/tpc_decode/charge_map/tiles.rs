//! Maps as tiles: those that contain pads, and the margins.
//!
//! Runs that write complete tiles write those that contain pads of rows, in all lines that contain
//! time bins of the fragment. All others are margins: zeros that no run changes, written once by
//! the owner of the buffer.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use generators_tpc::geometry::{PADS_IN_SECTOR, ROWS};
use parallel::for_each_numbered;

use super::{TILE, TILE_TIMES, TILES_IN_ROW, TIME_MARGIN, entries, tiles_of_row};
use tasks::device::Poison;

/// 8 pads and 4 time bins: a cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(64))]
pub(in crate::tpc_decode) struct Tile(pub(in crate::tpc_decode) [u16; TILE]);

impl Poison for Tile {
    const POISON: Self = Tile([u16::POISON; TILE]);
}

/// Size of a map, which depends on its time bins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tpc_decode) struct MapShape {
    pub(in crate::tpc_decode) time_bins: u32,
}

impl MapShape {
    /// Tiles of the map, margins included.
    pub(in crate::tpc_decode) fn tiles(self) -> usize {
        entries(self.time_bins) / TILE
    }

    /// Cells of pads of rows: one for each pad and time bin.
    pub(in crate::tpc_decode) fn cells(self) -> u64 {
        PADS_IN_SECTOR as u64 * u64::from(self.time_bins)
    }

    /// The lines of tiles that hold time bins of the fragment.
    pub(in crate::tpc_decode) fn lines(self) -> Range<usize> {
        const { assert!(TIME_MARGIN as usize == TILE_TIMES) };
        1..1 + (self.time_bins as usize).div_ceil(TILE_TIMES)
    }

    /// Clears the margins of a map, regardless of their content.
    pub(in crate::tpc_decode) fn clear_margins(self, map: &mut [Tile]) {
        let lines = self.lines();
        for_each_numbered(map.chunks_mut(TILES_IN_ROW), |index, line| {
            if lines.contains(&index) {
                clear_between_rows(line);
            } else {
                line.fill(Tile::default());
            }
        });
    }
}

/// Clears the tiles of a line before, between and after those of rows.
fn clear_between_rows(line: &mut [Tile]) {
    let mut free = 0;
    for of_row in (0..ROWS).map(tiles_of_row) {
        line[free..of_row.start].fill(Tile::default());
        free = of_row.end;
    }
    line[free..].fill(Tile::default());
}

#[cfg(test)]
mod tests {
    use generators_tpc::PadId;
    use generators_tpc::geometry::pads_in_row;

    use super::super::entry_of;
    use super::*;

    #[test]
    fn all_but_the_tiles_of_pads_are_margins() {
        for time_bins in [0, 1, 7, 8] {
            let shape = MapShape { time_bins };
            let mut map = vec![Tile::POISON; shape.tiles()];
            shape.clear_margins(&mut map);
            let lines = shape.lines();
            for row in 0..ROWS {
                let tiles = tiles_of_row(row);
                for line in lines.clone() {
                    let first = line * TILES_IN_ROW;
                    map[first + tiles.start..first + tiles.end].fill(Tile::default());
                }
                for pad in 0..pads_in_row(row) {
                    for time_bin in 0..time_bins {
                        let tile = entry_of(PadId::new(row as u8, pad as u8), time_bin) / TILE;
                        assert!(lines.contains(&(tile / TILES_IN_ROW)));
                        assert!(tiles.contains(&(tile % TILES_IN_ROW)));
                    }
                }
            }
            assert!(map.iter().all(|tile| *tile == Tile::default()), "{time_bins}");
        }
    }

    #[test]
    fn cells_are_pads_times_time_bins() {
        assert_eq!(MapShape { time_bins: 100 }.cells(), 1_456_000);
        assert_eq!(MapShape { time_bins: 1000 }.tiles(), 252 * 2889);
    }
}
