//! The 16 pads of two tiles at once, with AVX2.
//!
//! A lane without charge compares equal to zero, which is a mask of ones: added to a count that was
//! just incremented, it reverts that; and it clears the run.

use std::arch::x86_64::*;

use super::portable;
use crate::device::cpu_features::with_instructions;
use crate::tpc_noisy_pads::cpu::{Advance, Eight, PadState, Tile};

with_instructions! {
    /// The implementation with these instructions, if this machine has them.
    ["avx2"]
    Advance: fn advance(states: &mut [PadState], tiles: &[Tile]) {
        let (pairs, rest) = states.as_chunks_mut::<2>();
        let (tiles, last) = tiles.as_chunks::<2>();
        for (states, tiles) in pairs.iter_mut().zip(tiles) {
            advance_pair(states, tiles);
        }
        portable(rest, last);
    }
}

#[target_feature(enable = "avx2")]
fn advance_pair([first, second]: &mut [PadState; 2], [left, right]: &[Tile; 2]) {
    let zero = _mm256_setzero_si256();
    let one = _mm256_set1_epi16(1);
    let mut charges = load(&first.charges, &second.charges);
    let mut run = load(&first.run, &second.run);
    let mut longest = load(&first.longest_run, &second.longest_run);
    let mut largest = load(&first.largest, &second.largest);
    let left = left.as_chunks().0;
    let right = right.as_chunks().0;
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
fn load(low: &Eight, high: &Eight) -> __m256i {
    // SAFETY: the loads have the size of the arrays.
    unsafe { _mm256_loadu2_m128i(high.as_ptr().cast(), low.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
fn store(both: __m256i, low: &mut Eight, high: &mut Eight) {
    // SAFETY: the stores have the size of the arrays.
    unsafe { _mm256_storeu2_m128i(high.as_mut_ptr().cast(), low.as_mut_ptr().cast(), both) }
}
