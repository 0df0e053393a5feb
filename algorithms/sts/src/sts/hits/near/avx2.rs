//! Eight lines of the back at once.

use std::arch::x86_64::*;

use super::{Front, Isa, Lines, SLACK, lanes};
use crate::sts::hits::lines::MAX_CLASSES;
use crate::sts::rules::Rules;
use tasks::algorithm::Semantics;
use tasks::device::cpu_features::Avx2;
use tasks::device::vectors::{load_256, store_256};

const LANES: usize = 8;
const _: () = assert!(LANES <= SLACK && 2 * LANES == MAX_CLASSES);

impl Isa for Avx2 {
    const BACKS: usize = LANES;
    const FRONTS: usize = 4;

    #[inline(always)]
    fn crossing<P: Rules>(self, front: &Front<'_>, backs: &Lines, index: usize) -> u32 {
        // SAFETY: `self` proves that the CPU has AVX2.
        unsafe { crossing::<P>(front, backs, index) }
    }

    #[inline(always)]
    fn put(self, bits: u32, first: u32, list: &mut [u32; SLACK]) {
        // SAFETY: `self` proves that the CPU has AVX2.
        unsafe { put(bits, first, list) }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn crossing<P: Rules>(front: &Front<'_>, backs: &Lines, index: usize) -> u32 {
    let delays = delays::<P>(front.time, load_256::<_, LANES>(lanes(&backs.times, index)));
    let delays = _mm256_andnot_ps(_mm256_set1_ps(-0.0), delays);
    let cuts = cuts(front.cuts, load_256::<_, LANES>(lanes(&backs.classes, index)));
    let differences = _mm256_sub_ps(_mm256_set1_ps(front.edge), load_floats(&backs.edges, index));
    let min = _mm256_set1_ps(front.range[0]);
    let max = _mm256_set1_ps(front.range[1]);
    let in_time = _mm256_cmp_ps::<_CMP_LE_OQ>(delays, cuts);
    let above = _mm256_cmp_ps::<_CMP_GE_OQ>(differences, min);
    let below = _mm256_cmp_ps::<_CMP_LE_OQ>(differences, max);
    _mm256_movemask_ps(_mm256_and_ps(_mm256_and_ps(above, below), in_time)) as u32
}

#[target_feature(enable = "avx2")]
#[inline]
fn put(bits: u32, first: u32, list: &mut [u32; SLACK]) {
    let packed = load_256(&COMPRESSED[bits as usize]);
    let numbers = _mm256_add_epi32(packed, _mm256_set1_epi32(first as i32));
    let (list, _) = list.as_chunks_mut::<LANES>();
    store_256(&mut list[0], numbers);
}

/// See [`Rules::delay`].
#[target_feature(enable = "avx2")]
#[inline]
fn delays<P: Rules>(front: u32, backs: __m256i) -> __m256 {
    match P::SEMANTICS {
        Semantics::Published => _mm256_sub_ps(_mm256_set1_ps(front as f32), rounded(backs)),
        Semantics::Exact | Semantics::Offline => {
            let front = _mm256_set1_epi32(front as i32);
            _mm256_cvtepi32_ps(_mm256_sub_epi32(front, backs))
        }
    }
}

/// Unsigned integers in single precision: both halves are exact, and so is the upper one times
/// 65536. Only the sum is rounded.
#[target_feature(enable = "avx2")]
#[inline]
fn rounded(numbers: __m256i) -> __m256 {
    let high = _mm256_cvtepi32_ps(_mm256_srli_epi32::<16>(numbers));
    let low = _mm256_and_si256(numbers, _mm256_set1_epi32(0xffff));
    let high = _mm256_mul_ps(high, _mm256_set1_ps(65536.0));
    _mm256_add_ps(high, _mm256_cvtepi32_ps(low))
}

/// The cuts of some classes, from a table of two vectors.
#[target_feature(enable = "avx2")]
#[inline]
fn cuts(table: &[f32], classes: __m256i) -> __m256 {
    let lower = _mm256_permutevar8x32_ps(load_floats(table, 0), classes);
    let upper = _mm256_permutevar8x32_ps(load_floats(table, LANES), classes);
    // Bit 3 is shifted to the sign bit.
    let is_upper = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(classes));
    _mm256_blendv_ps(lower, upper, is_upper)
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_floats(column: &[f32], index: usize) -> __m256 {
    _mm256_castsi256_ps(load_256::<_, LANES>(lanes(column, index)))
}

/// Indices of the set bits of each mask.
static COMPRESSED: [[u32; LANES]; 1 << LANES] = {
    let mut all = [[0; LANES]; 1 << LANES];
    let mut bits = 0;
    while bits < all.len() {
        let mut bit = 0;
        let mut lane = 0;
        while bit < LANES {
            if bits >> bit & 1 == 1 {
                all[bits][lane] = bit as u32;
                lane += 1;
            }
            bit += 1;
        }
        bits += 1;
    }
    all
};
