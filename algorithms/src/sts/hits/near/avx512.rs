//! Sixteen lines of the back at once.

use std::arch::x86_64::*;

use super::{Front, Isa, Lines, MOST_CLASSES, SLACK};
use crate::algorithm::Semantics;
use crate::sts::rules::Rules;

pub(in crate::sts::hits) struct Avx512;

const LANES: usize = 16;
const _: () = assert!(LANES == SLACK && LANES == MOST_CLASSES);

impl Isa for Avx512 {
    const BACKS: usize = LANES;
    const FRONTS: usize = 8;

    #[inline(always)]
    fn crossing<P: Rules>(front: &Front<'_>, backs: &Lines, place: usize) -> u32 {
        let times = lanes(&backs.times, place);
        let classes = lanes(&backs.classes, place);
        let edges = lanes(&backs.edges, place);
        let cuts = lanes(front.cuts, 0);
        // SAFETY: the instructions are there, as this is inlined into functions only that are
        // compiled for them; each load is of as many numbers as a vector has.
        unsafe {
            let delays = delays::<P>(front.time, _mm512_loadu_si512(times.as_ptr().cast()));
            let classes = _mm512_loadu_si512(classes.as_ptr().cast());
            let cuts = _mm512_permutexvar_ps(classes, _mm512_loadu_ps(cuts.as_ptr()));
            let differences =
                _mm512_sub_ps(_mm512_set1_ps(front.edge), _mm512_loadu_ps(edges.as_ptr()));
            let (least, most) = (_mm512_set1_ps(front.range[0]), _mm512_set1_ps(front.range[1]));
            let near = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(_mm512_abs_ps(delays), cuts);
            let near = _mm512_mask_cmp_ps_mask::<_CMP_GE_OQ>(near, differences, least);
            _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(near, differences, most).into()
        }
    }

    #[inline(always)]
    fn put(bits: u32, first: u32, list: &mut [u32; SLACK]) {
        // SAFETY: the instructions are there, as above; there are as many places as a vector has.
        unsafe {
            let numbers = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(first as i32));
            let packed = _mm512_maskz_compress_epi32(bits as u16, numbers);
            _mm512_storeu_si512(list.as_mut_ptr().cast(), packed);
        }
    }
}

/// See [`Rules::delay`].
#[inline(always)]
fn delays<P: Rules>(front: u32, backs: __m512i) -> __m512 {
    // SAFETY: the instructions are there, as above.
    unsafe {
        let front = _mm512_set1_epi32(front as i32);
        match P::SEMANTICS {
            Semantics::Published => {
                _mm512_sub_ps(_mm512_cvtepu32_ps(front), _mm512_cvtepu32_ps(backs))
            }
            Semantics::Exact | Semantics::Offline => {
                _mm512_cvtepi32_ps(_mm512_sub_epi32(front, backs))
            }
        }
    }
}

#[inline(always)]
fn lanes<T>(column: &[T], place: usize) -> &[T; LANES] {
    match column[place..].first_chunk() {
        Some(lanes) => lanes,
        None => unreachable!("there are more numbers behind the last one"),
    }
}
