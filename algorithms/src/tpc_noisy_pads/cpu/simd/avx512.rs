//! The 32 pads of four tiles at once, with AVX-512. Masks mark pads with charge.

use std::arch::x86_64::*;

use super::avx2;
use crate::device::cpu_features::with_instructions;
use crate::tpc_decode::charge_map::TILE_TIMES;
use crate::tpc_noisy_pads::cpu::{Advance, Eight, PadState, Tile};

with_instructions! {
    /// The implementation with these instructions, if this machine has them.
    ["avx512f", "avx512bw"]
    Advance: fn advance(states: &mut [PadState], tiles: &[Tile]) {
        let (fours, rest) = states.as_chunks_mut::<4>();
        let (tiles, last) = tiles.as_chunks::<4>();
        for (states, tiles) in fours.iter_mut().zip(tiles) {
            advance_four(states, tiles);
        }
        avx2::advance(rest, last);
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn advance_four(states: &mut [PadState; 4], tiles: &[Tile; 4]) {
    let one = _mm512_set1_epi16(1);
    let mut charges = load(states.each_ref().map(|state| &state.charges));
    let mut run = load(states.each_ref().map(|state| &state.run));
    let mut longest = load(states.each_ref().map(|state| &state.longest_run));
    let mut largest = load(states.each_ref().map(|state| &state.largest));
    for time in 0..TILE_TIMES {
        let charge = load(tiles.each_ref().map(|tile| line(tile, time)));
        let present = _mm512_test_epi16_mask(charge, charge);
        charges = _mm512_mask_add_epi16(charges, present, charges, one);
        run = _mm512_maskz_add_epi16(present, run, one);
        longest = _mm512_max_epu16(longest, run);
        largest = _mm512_max_epu16(largest, charge);
    }
    store(charges, states.each_mut().map(|state| &mut state.charges));
    store(run, states.each_mut().map(|state| &mut state.run));
    store(longest, states.each_mut().map(|state| &mut state.longest_run));
    store(largest, states.each_mut().map(|state| &mut state.largest));
}

/// The charges of a tile in a time bin.
#[inline(always)]
fn line(tile: &Tile, time: usize) -> &Eight {
    &tile.as_chunks().0[time]
}

#[target_feature(enable = "avx512f,avx512bw")]
fn load([a, b, c, d]: [&Eight; 4]) -> __m512i {
    let low = _mm512_castsi128_si512(load_eight(a));
    let low = _mm512_inserti32x4::<1>(low, load_eight(b));
    let three = _mm512_inserti32x4::<2>(low, load_eight(c));
    _mm512_inserti32x4::<3>(three, load_eight(d))
}

#[target_feature(enable = "avx512f,avx512bw")]
fn load_eight(charges: &Eight) -> __m128i {
    // SAFETY: the load has the size of the array.
    unsafe { _mm_loadu_si128(charges.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn store(all: __m512i, [a, b, c, d]: [&mut Eight; 4]) {
    store_eight(_mm512_castsi512_si128(all), a);
    store_eight(_mm512_extracti32x4_epi32::<1>(all), b);
    store_eight(_mm512_extracti32x4_epi32::<2>(all), c);
    store_eight(_mm512_extracti32x4_epi32::<3>(all), d);
}

#[target_feature(enable = "avx512f,avx512bw")]
fn store_eight(values: __m128i, to: &mut Eight) {
    // SAFETY: the store has the size of the array.
    unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), values) }
}
