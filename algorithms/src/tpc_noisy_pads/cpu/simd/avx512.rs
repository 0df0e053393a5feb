//! The 32 pads of four tiles at once, with AVX-512. Masks say which have charge.

use std::arch::x86_64::*;

use super::{PadState, TILE_PADS, Tile, avx2};
use crate::tpc_decode::charge_map::TILE_TIMES;

/// Whether this machine has the instructions that [`advance`] is compiled for.
pub(super) fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && avx2::is_available()
}

/// To be called where [`is_available`] only.
pub(super) fn advance(states: &mut [PadState], tiles: &[Tile]) {
    debug_assert!(is_available());
    // SAFETY: callers get this function where `is_available` was asked.
    unsafe { advance_here(states, tiles) }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn advance_here(states: &mut [PadState], tiles: &[Tile]) {
    let (fours, rest) = states.as_chunks_mut::<4>();
    let (tiles, last) = tiles.as_chunks::<4>();
    for (states, tiles) in fours.iter_mut().zip(tiles) {
        advance_four(states, tiles);
    }
    avx2::advance(rest, last);
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
fn line(tile: &Tile, time: usize) -> &[u16; TILE_PADS] {
    &tile.as_chunks().0[time]
}

#[target_feature(enable = "avx512f,avx512bw")]
fn load(parts: [&[u16; TILE_PADS]; 4]) -> __m512i {
    // SAFETY: loads as large as the arrays.
    let [a, b, c, d] = parts.map(|part| unsafe { _mm_loadu_si128(part.as_ptr().cast()) });
    let low = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(a), b);
    _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(low, c), d)
}

#[target_feature(enable = "avx512f,avx512bw")]
fn store(all: __m512i, [a, b, c, d]: [&mut [u16; TILE_PADS]; 4]) {
    // SAFETY: stores as large as the arrays.
    unsafe {
        _mm_storeu_si128(a.as_mut_ptr().cast(), _mm512_castsi512_si128(all));
        _mm_storeu_si128(b.as_mut_ptr().cast(), _mm512_extracti32x4_epi32::<1>(all));
        _mm_storeu_si128(c.as_mut_ptr().cast(), _mm512_extracti32x4_epi32::<2>(all));
        _mm_storeu_si128(d.as_mut_ptr().cast(), _mm512_extracti32x4_epi32::<3>(all));
    }
}
