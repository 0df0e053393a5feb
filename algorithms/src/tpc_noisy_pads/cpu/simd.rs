//! All pads of a tile, or of two, at once.
//!
//! A lane is a pad. A lane without charge compares equal to zero, which is a mask of
//! ones: added to a count that was just increased, it takes that back; and it clears the
//! run.

use super::Advance;
use super::strips::{PadState, Tile};
use crate::tpc_decode::charge_map::TILE_PADS;

/// The widest that this machine has.
pub(super) fn best() -> Advance {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        return avx2::advance;
    }
    portable
}

/// In plain code, which compilers turn into instructions for eight lanes.
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

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{PadState, TILE_PADS, Tile, portable};

    /// To be called where there is AVX2 only.
    pub(super) fn advance(states: &mut [PadState], tiles: &[Tile]) {
        debug_assert!(is_x86_feature_detected!("avx2"));
        // SAFETY: callers get this function from `best`, which asks.
        unsafe { advance_here(states, tiles) }
    }

    #[target_feature(enable = "avx2")]
    fn advance_here(states: &mut [PadState], tiles: &[Tile]) {
        let (pairs, rest) = states.as_chunks_mut::<2>();
        let (tiles, last) = tiles.as_chunks::<2>();
        for (states, tiles) in pairs.iter_mut().zip(tiles) {
            advance_pair(states, tiles);
        }
        portable(rest, last);
    }

    #[target_feature(enable = "avx2")]
    fn advance_pair([first, second]: &mut [PadState; 2], [left, right]: &[Tile; 2]) {
        let (zero, one) = (_mm256_setzero_si256(), _mm256_set1_epi16(1));
        let mut charges = load(&first.charges, &second.charges);
        let mut run = load(&first.run, &second.run);
        let mut longest = load(&first.longest_run, &second.longest_run);
        let mut largest = load(&first.largest, &second.largest);
        let (left, right) = (left.as_chunks().0, right.as_chunks().0);
        for (left, right) in left.iter().zip(right) {
            let charge = load(left, right);
            let absent = _mm256_cmpeq_epi16(charge, zero);
            charges = _mm256_add_epi16(charges, _mm256_add_epi16(one, absent));
            run = _mm256_andnot_si256(absent, _mm256_add_epi16(run, one));
            longest = _mm256_max_epu16(longest, run);
            largest = _mm256_max_epu16(largest, charge);
        }
        store(charges, &mut first.charges, &mut second.charges);
        store(run, &mut first.run, &mut second.run);
        store(longest, &mut first.longest_run, &mut second.longest_run);
        store(largest, &mut first.largest, &mut second.largest);
    }

    #[target_feature(enable = "avx2")]
    fn load(low: &[u16; TILE_PADS], high: &[u16; TILE_PADS]) -> __m256i {
        // SAFETY: loads as large as the arrays.
        unsafe { _mm256_loadu2_m128i(high.as_ptr().cast(), low.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx2")]
    fn store(both: __m256i, low: &mut [u16; TILE_PADS], high: &mut [u16; TILE_PADS]) {
        // SAFETY: stores as large as the arrays.
        unsafe { _mm256_storeu2_m128i(high.as_mut_ptr().cast(), low.as_mut_ptr().cast(), both) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpc_noisy_pads::cpu::scalar;

    #[test]
    fn all_ways_agree() {
        let random = |place: usize| {
            let random = generators::random::mix(place as u64);
            if random % 3 == 0 {
                0
            } else {
                (random >> 40) as u16
            }
        };
        let tiles: Vec<Tile> = (0..7)
            .map(|t| std::array::from_fn(|i| random(32 * t + i)))
            .collect();
        let advanced = |advance: Advance| {
            let mut states = vec![PadState::default(); tiles.len()];
            for _ in 0..3 {
                advance(&mut states, &tiles);
            }
            states
        };
        let expected = advanced(scalar::advance);
        assert!(advanced(best()) == expected && advanced(portable) == expected);
        assert!(expected.iter().all(|state| state.charges != [0; TILE_PADS]));
    }
}
