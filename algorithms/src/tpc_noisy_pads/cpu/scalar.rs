//! Charge by charge.

use super::strips::{PadState, Tile};
use crate::tpc_decode::charge_map::TILE_PADS;

pub(super) fn advance(states: &mut [PadState], tiles: &[Tile]) {
    for (state, tile) in states.iter_mut().zip(tiles) {
        for (place, &charge) in tile.iter().enumerate() {
            advance_pad(state, place % TILE_PADS, charge);
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
