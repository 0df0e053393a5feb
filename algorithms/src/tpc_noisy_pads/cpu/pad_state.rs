//! State of the pads of a tile, and its update by the next charges.

use crate::tpc_decode::charge_map::{TILE, TILE_PADS};

/// The charges of eight pads in four time bins, time bin by time bin.
pub(super) type Tile = [u16; TILE];

/// A number for each pad of a tile.
pub(super) type Eight = [u16; TILE_PADS];

/// Processes the tiles of a strip in one row of tiles: a state for each tile's pads.
pub(super) type Advance = fn(&mut [PadState], &[Tile]);

/// State of the pads of a tile so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(super) struct PadState {
    pub(super) charges: Eight,
    pub(super) run: Eight,
    pub(super) longest_run: Eight,
    pub(super) largest: Eight,
}

/// Portable code, charge by charge.
pub(super) fn advance(states: &mut [PadState], tiles: &[Tile]) {
    for (state, tile) in states.iter_mut().zip(tiles) {
        for (index, &charge) in tile.iter().enumerate() {
            advance_pad(state, index % TILE_PADS, charge);
        }
    }
}

#[inline]
fn advance_pad(state: &mut PadState, pad: usize, charge: u16) {
    if charge == 0 {
        state.run[pad] = 0;
        return;
    }
    state.charges[pad] += 1;
    state.run[pad] += 1;
    state.longest_run[pad] = state.longest_run[pad].max(state.run[pad]);
    state.largest[pad] = state.largest[pad].max(charge);
}
