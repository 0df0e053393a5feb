//! Pads whose charges are in the same tiles: eight, or fewer at the end of a row.

use generators::tpc::PadId;
use generators::tpc::geometry::{ROWS, first_pad_of_row, pads_in_row};

use crate::tpc_decode::charge_map::{TILE_PADS, column};

/// A group as kernels read it: its tile with the number of its pads above it, and the
/// number of its first pad. See `pads/map.h`.
pub(super) type Group = [u32; 2];

/// The groups of a sector, in the order of their pads.
pub(super) fn of_sector() -> Vec<Group> {
    (0..ROWS).flat_map(of_row).collect()
}

fn of_row(row: usize) -> impl Iterator<Item = Group> {
    let pads = pads_in_row(row);
    (0..pads).step_by(TILE_PADS).map(move |pad| {
        let tile = column(PadId::new(row as u8, pad as u8)) / TILE_PADS;
        let in_tile = TILE_PADS.min(pads - pad);
        [
            (in_tile << 16 | tile) as u32,
            (first_pad_of_row(row) + pad) as u32,
        ]
    })
}

#[cfg(test)]
mod tests {
    use generators::tpc::geometry::PADS_IN_SECTOR;

    use super::*;

    #[test]
    fn groups_have_all_pads_each_in_one_tile() {
        let mut next = 0;
        for [tile_and_pads, first_pad] in of_sector() {
            assert_eq!(first_pad, next);
            next += tile_and_pads >> 16;
        }
        assert_eq!(next as usize, PADS_IN_SECTOR);
        for row in 0..ROWS {
            let first = column(PadId::new(row as u8, 0));
            assert_eq!(first % TILE_PADS, 0, "row {row} begins within a tile");
        }
    }
}
