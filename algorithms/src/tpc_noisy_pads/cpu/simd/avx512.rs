//! The 32 pads of four tiles at once, with AVX-512. Masks say which have charge.

use std::arch::x86_64::*;

use super::{Advance, PadState, TILE_PADS, Tile, avx2};
use crate::tpc_decode::charge_map::TILE_TIMES;

/// A number for each pad of a tile.
type Eight = [u16; TILE_PADS];

/// The way that takes these instructions, if this machine has them.
pub(super) fn if_available() -> Option<Advance> {
    let is_available = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
    is_available.then_some(advance)
}

/// Only [`if_available`] gives it to others.
fn advance(states: &mut [PadState], tiles: &[Tile]) {
    // SAFETY: the machine has them: see above.
    unsafe { advance_here(states, tiles) }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn advance_here(states: &mut [PadState], tiles: &[Tile]) {
    let (fours, rest) = states.as_chunks_mut::<4>();
    let (tiles, last) = tiles.as_chunks::<4>();
    for (states, tiles) in fours.iter_mut().zip(tiles) {
        advance_four(states, tiles);
    }
    avx2::advance_here(rest, last);
}

#[target_feature(enable = "avx512f,avx512bw")]
fn advance_four([a, b, c, d]: &mut [PadState; 4], [p, q, r, s]: &[Tile; 4]) {
    let one = _mm512_set1_epi16(1);
    let mut charges = load(&a.charges, &b.charges, &c.charges, &d.charges);
    let mut run = load(&a.run, &b.run, &c.run, &d.run);
    let mut longest = load(
        &a.longest_run,
        &b.longest_run,
        &c.longest_run,
        &d.longest_run,
    );
    let mut largest = load(&a.largest, &b.largest, &c.largest, &d.largest);
    for time in 0..TILE_TIMES {
        let charge = load(line(p, time), line(q, time), line(r, time), line(s, time));
        let present = _mm512_test_epi16_mask(charge, charge);
        charges = _mm512_mask_add_epi16(charges, present, charges, one);
        run = _mm512_maskz_add_epi16(present, run, one);
        longest = _mm512_max_epu16(longest, run);
        largest = _mm512_max_epu16(largest, charge);
    }
    store(
        charges,
        &mut a.charges,
        &mut b.charges,
        &mut c.charges,
        &mut d.charges,
    );
    store(run, &mut a.run, &mut b.run, &mut c.run, &mut d.run);
    store(
        longest,
        &mut a.longest_run,
        &mut b.longest_run,
        &mut c.longest_run,
        &mut d.longest_run,
    );
    store(
        largest,
        &mut a.largest,
        &mut b.largest,
        &mut c.largest,
        &mut d.largest,
    );
}

/// The charges of a tile in a time bin.
#[inline(always)]
fn line(tile: &Tile, time: usize) -> &Eight {
    &tile.as_chunks().0[time]
}

#[target_feature(enable = "avx512f,avx512bw")]
fn load(a: &Eight, b: &Eight, c: &Eight, d: &Eight) -> __m512i {
    let low = _mm512_castsi128_si512(load_eight(a));
    let low = _mm512_inserti32x4::<1>(low, load_eight(b));
    let three = _mm512_inserti32x4::<2>(low, load_eight(c));
    _mm512_inserti32x4::<3>(three, load_eight(d))
}

#[target_feature(enable = "avx512f,avx512bw")]
fn load_eight(charges: &Eight) -> __m128i {
    // SAFETY: a load as large as the array.
    unsafe { _mm_loadu_si128(charges.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn store(all: __m512i, a: &mut Eight, b: &mut Eight, c: &mut Eight, d: &mut Eight) {
    store_eight(_mm512_castsi512_si128(all), a);
    store_eight(_mm512_extracti32x4_epi32::<1>(all), b);
    store_eight(_mm512_extracti32x4_epi32::<2>(all), c);
    store_eight(_mm512_extracti32x4_epi32::<3>(all), d);
}

#[target_feature(enable = "avx512f,avx512bw")]
fn store_eight(values: __m128i, to: &mut Eight) {
    // SAFETY: a store as large as the array.
    unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), values) }
}
