//! 16 cells at once.

use std::arch::x86_64::{
    __m256i, _mm256_and_si256, _mm256_cmpeq_epi16, _mm256_cmpgt_epi16, _mm256_loadu_si256,
    _mm256_max_epi16, _mm256_movemask_epi8, _mm256_packs_epi16, _mm256_permute4x64_epi64,
    _mm256_set1_epi16,
};

use super::{Cells, FindPeaks, find};
use crate::device::cpu_features::with_instructions;
use crate::tpc_cluster_finder::cpu::rows::strip::Strip;

/// Cells of a vector.
const LANES: usize = 16;

with_instructions! {
    /// For machines with AVX2.
    ["avx2"]
    FindPeaks: fn of_strip(strip: &mut Strip<'_>) {
        find(strip, |before, middle, behind, cutoff| {
            let half = |first| u64::from(peaks(before, middle, behind, cutoff, first));
            half(0) | half(2 * LANES) << (2 * LANES)
        });
    }
}

/// Loads the 32 cells from `first` on.
#[target_feature(enable = "avx2")]
#[inline]
fn peaks(before: &Cells, middle: &Cells, behind: &Cells, cutoff: u16, first: usize) -> u32 {
    let [low, high] =
        [first, first + LANES].map(|first| are_peaks(before, middle, behind, cutoff, first));
    // A byte for each cell; packing is by halves of vectors.
    let bytes = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(low, high));
    _mm256_movemask_epi8(bytes) as u32
}

/// All bits of each of the 16 cells from `first` on that is a peak. Entries have 15 bits, so that
/// signed comparisons are correct.
#[target_feature(enable = "avx2")]
#[inline]
fn are_peaks(before: &Cells, middle: &Cells, behind: &Cells, cutoff: u16, first: usize) -> __m256i {
    let load = |cells: &Cells, shift: usize| -> __m256i {
        let cells: &[u16; LANES] = match cells[first + shift..].first_chunk() {
            Some(cells) => cells,
            None => unreachable!("a word has four vectors, and a cell more on either side"),
        };
        // SAFETY: `cells` has the length of a vector.
        unsafe { _mm256_loadu_si256(cells.as_ptr().cast()) }
    };
    let all = |cells: &Cells| {
        _mm256_max_epi16(_mm256_max_epi16(load(cells, 0), load(cells, 1)), load(cells, 2))
    };
    let charge = load(middle, 1);
    let not_larger = _mm256_max_epi16(all(before), load(middle, 0));
    let smaller = _mm256_max_epi16(all(behind), load(middle, 2));
    let smaller = _mm256_max_epi16(smaller, _mm256_set1_epi16(cutoff as i16));
    let is_not_smaller = _mm256_cmpeq_epi16(_mm256_max_epi16(charge, not_larger), charge);
    _mm256_and_si256(is_not_smaller, _mm256_cmpgt_epi16(charge, smaller))
}
