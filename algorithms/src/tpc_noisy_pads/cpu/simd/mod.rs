//! All pads of a tile, or of two or four, at once. A lane is a pad.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

use super::{Advance, PadState, Tile};
use crate::tpc_decode::charge_map::TILE_PADS;

/// The widest implementation that this machine supports.
pub(super) fn best() -> Advance {
    #[cfg(target_arch = "x86_64")]
    if let Some(widest) = avx512::if_available().or_else(avx2::if_available) {
        return widest;
    }
    portable
}

/// Portable code without branches, which compilers vectorize for 8 lanes.
fn portable(states: &mut [PadState], tiles: &[Tile]) {
    for (state, tile) in states.iter_mut().zip(tiles) {
        for charges in tile.as_chunks::<TILE_PADS>().0 {
            for (lane, &charge) in charges.iter().enumerate() {
                let present = u16::from(charge > 0);
                state.charges[lane] += present;
                state.run[lane] = (state.run[lane] + 1) * present;
                state.longest_run[lane] = state.longest_run[lane].max(state.run[lane]);
                state.largest[lane] = state.largest[lane].max(charge);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpc_decode::charge_map::TILE;
    use crate::tpc_noisy_pads::cpu;

    /// All implementations that this machine supports.
    fn implementations() -> Vec<Advance> {
        let mut implementations: Vec<Advance> = vec![portable];
        #[cfg(target_arch = "x86_64")]
        {
            implementations.extend(avx2::if_available());
            implementations.extend(avx512::if_available());
        }
        implementations
    }

    /// A charge in two of three cells, up to the largest that 16 bits can hold.
    fn charge(index: usize) -> u16 {
        let random = generators::random::mix(index as u64);
        (random >> 40) as u16 * u16::from(!random.is_multiple_of(3))
    }

    #[test]
    fn all_implementations_agree() {
        // The remainder is one, two or three tiles.
        for length in [0, 1, 2, 3, 4, 7, 19] {
            let tiles: Vec<Tile> = (0..3 * length)
                .map(|tile| std::array::from_fn(|index| charge(tile * TILE + index)))
                .collect();
            let advanced = |advance: Advance| {
                let mut states = vec![PadState::default(); length];
                for tiles in tiles.chunks(length.max(1)) {
                    advance(&mut states, tiles);
                }
                states
            };
            let expected = advanced(cpu::advance);
            assert!(expected.iter().all(|state| state.charges != [0; TILE_PADS]));
            for advance in implementations() {
                assert_eq!(advanced(advance), expected);
            }
        }
    }
}
