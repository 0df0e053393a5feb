//! Sixteen lines of the back at once.

use std::arch::x86_64::*;

use super::{Front, Isa, Lines, SLACK, lanes};
use crate::sts::hits::lines::MAX_CLASSES;
use crate::sts::rules::Rules;
use tasks::algorithm::Semantics;
use tasks::device::cpu_features::Avx512;
use tasks::device::vectors::{load_512, store_512};

const LANES: usize = 16;
const _: () = assert!(LANES == SLACK && LANES == MAX_CLASSES);

impl Isa for Avx512 {
    const BACKS: usize = LANES;
    const FRONTS: usize = 8;

    #[inline(always)]
    fn crossing<P: Rules>(self, front: &Front<'_>, backs: &Lines, index: usize) -> u32 {
        // SAFETY: `self` proves that the CPU has AVX-512.
        unsafe { crossing::<P>(front, backs, index) }
    }

    #[inline(always)]
    fn put(self, bits: u32, first: u32, list: &mut [u32; SLACK]) {
        // SAFETY: `self` proves that the CPU has AVX-512.
        unsafe { put(bits, first, list) }
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn crossing<P: Rules>(front: &Front<'_>, backs: &Lines, index: usize) -> u32 {
    let delays = delays::<P>(front.time, load_512::<_, LANES>(lanes(&backs.times, index)));
    let classes = load_512::<_, LANES>(lanes(&backs.classes, index));
    let cuts = _mm512_permutexvar_ps(classes, load_floats(front.cuts, 0));
    let differences = _mm512_sub_ps(_mm512_set1_ps(front.edge), load_floats(&backs.edges, index));
    let min = _mm512_set1_ps(front.range[0]);
    let max = _mm512_set1_ps(front.range[1]);
    let near = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(_mm512_abs_ps(delays), cuts);
    let near = _mm512_mask_cmp_ps_mask::<_CMP_GE_OQ>(near, differences, min);
    _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(near, differences, max).into()
}

#[target_feature(enable = "avx512f")]
#[inline]
fn put(bits: u32, first: u32, list: &mut [u32; SLACK]) {
    let numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(first as i32));
    store_512(list, _mm512_maskz_compress_epi32(bits as u16, numbers));
}

/// See [`Rules::delay`].
#[target_feature(enable = "avx512f")]
#[inline]
fn delays<P: Rules>(front: u32, backs: __m512i) -> __m512 {
    let front = _mm512_set1_epi32(front as i32);
    match P::SEMANTICS {
        Semantics::Published => _mm512_sub_ps(_mm512_cvtepu32_ps(front), _mm512_cvtepu32_ps(backs)),
        Semantics::Exact | Semantics::Offline => _mm512_cvtepi32_ps(_mm512_sub_epi32(front, backs)),
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_floats(column: &[f32], index: usize) -> __m512 {
    _mm512_castsi512_ps(load_512::<_, LANES>(lanes(column, index)))
}
