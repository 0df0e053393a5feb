//! 32 cells at once.

use std::arch::x86_64::{
    __m512i, _mm512_cmpge_epu16_mask, _mm512_cmpgt_epu16_mask, _mm512_loadu_epi16,
    _mm512_max_epu16, _mm512_set1_epi16,
};

use super::{Cells, FindPeaks, find};
use crate::device::cpu_features::with_instructions;
use crate::tpc_cluster_finder::cpu::rows::strip::Strip;

/// Cells of a vector.
const LANES: usize = 32;

with_instructions! {
    /// For machines with AVX-512.
    ["avx512f", "avx512bw"]
    FindPeaks: fn of_strip(strip: &mut Strip<'_>) {
        find(strip, |before, middle, behind, cutoff| {
            let half = |first| u64::from(peaks(before, middle, behind, cutoff, first));
            half(0) | half(LANES) << LANES
        });
    }
}

/// Loads the 32 cells from `first` on.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn peaks(before: &Cells, middle: &Cells, behind: &Cells, cutoff: u16, first: usize) -> u32 {
    let load = |cells: &Cells, shift: usize| -> __m512i {
        let cells: &[u16; LANES] = match cells[first + shift..].first_chunk() {
            Some(cells) => cells,
            None => unreachable!("a word has two vectors, and a cell more on either side"),
        };
        // SAFETY: `cells` has the length of a vector.
        unsafe { _mm512_loadu_epi16(cells.as_ptr().cast()) }
    };
    let all = |cells: &Cells| {
        _mm512_max_epu16(_mm512_max_epu16(load(cells, 0), load(cells, 1)), load(cells, 2))
    };
    let charge = load(middle, 1);
    let not_larger = _mm512_max_epu16(all(before), load(middle, 0));
    let smaller = _mm512_max_epu16(all(behind), load(middle, 2));
    let smaller = _mm512_max_epu16(smaller, _mm512_set1_epi16(cutoff as i16));
    _mm512_cmpge_epu16_mask(charge, not_larger) & _mm512_cmpgt_epu16_mask(charge, smaller)
}
