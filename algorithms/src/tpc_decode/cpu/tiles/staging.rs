//! A line of tiles of a region, filled while it stays in the nearest cache.

use std::ops::Range;

use bytemuck::cast_slice_mut;
use generators::tpc::ZsFormat;
use generators::tpc::geometry::Region;

use super::leave::{FlushTiles, PadGains};
use crate::device::Stores;
use crate::shared::SharedSlice;
use crate::tpc_decode::charge_map::{
    Gains, ROW_PITCH, TILE, TILE_PADS, Tile, scale_of, tiles_of_row,
};

/// Maximum number of rows of a region.
const MAX_ROWS: usize = 18;
/// Maximum number of tiles of a line of a region: a power of two, so that a mask keeps an index
/// within.
const TILES: usize = (MAX_ROWS * ROW_PITCH / TILE_PADS).next_power_of_two();
/// Their entries.
pub(super) const ENTRIES: usize = TILES * TILE;

/// A line of tiles: zeros, except for the stored ADC values.
pub(super) struct Staging {
    tiles: Box<[Tile; TILES]>,
    gains: Box<[PadGains; TILES]>,
    rows: Range<usize>,
}

impl Staging {
    /// Empty tiles without a region.
    pub(super) fn new() -> Self {
        Staging {
            tiles: Box::new([Tile::default(); TILES]),
            gains: Box::new([PadGains::default(); TILES]),
            rows: 0..0,
        }
    }

    /// Switches to this region of a sector. All staged charges must have been flushed.
    pub(super) fn turn_to(&mut self, region: Region, sector: u8, gains: &Gains, format: ZsFormat) {
        self.rows = region.rows();
        let first = self.first_column();
        let (of_tiles, _) = gains.of_sector(sector)[first..].as_chunks::<TILE_PADS>();
        for (own, of_tile) in self.gains.iter_mut().zip(of_tiles) {
            // Multiplying by a power of two first changes no bit of the product.
            *own = of_tile.map(|gain| gain * scale_of(format));
        }
    }

    /// The column in the map of the region's first column.
    pub(super) fn first_column(&self) -> usize {
        tiles_of_row(self.rows.start).start * TILE_PADS
    }

    /// All entries, in the order of the map.
    #[inline(always)]
    pub(super) fn entries(&mut self) -> &mut [u16; ENTRIES] {
        match cast_slice_mut(&mut self.tiles[..]).first_chunk_mut() {
            Some(entries) => entries,
            None => unreachable!("tiles have ENTRIES entries"),
        }
    }

    /// Flushes the charges to a line of the map, by the index of its first tile.
    ///
    /// # Safety
    /// No other thread may access tiles of this region in this line.
    pub(super) unsafe fn leave(
        &mut self,
        map: &SharedSlice<'_, Tile>,
        first_of_line: usize,
        leave: FlushTiles,
        stores: &Stores,
    ) {
        let first = tiles_of_row(self.rows.start).start;
        for tiles in self.rows.clone().map(tiles_of_row) {
            let own = tiles.start - first..tiles.end - first;
            let range = first_of_line + tiles.start..first_of_line + tiles.end;
            // SAFETY: the caller ensures exclusive access to the tiles of this region in this line.
            let to = unsafe { map.part(range) };
            leave(&mut self.tiles[own.clone()], &self.gains[own], to, stores);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_of_every_region_fit() {
        assert!(Region::all().all(|region| region.rows().len() <= MAX_ROWS));
    }

    #[test]
    fn scales_are_powers_of_two() {
        for format in ZsFormat::ALL {
            assert_eq!(scale_of(format).log2().fract(), 0.0);
        }
    }
}
