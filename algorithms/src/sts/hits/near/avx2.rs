//! Eight lines of the back at once.

use std::arch::x86_64::*;

use super::{Front, Isa, Lines, MOST_CLASSES, SLACK};
use crate::algorithm::Semantics;
use crate::sts::rules::Rules;

pub(in crate::sts::hits) struct Avx2;

const LANES: usize = 8;
const _: () = assert!(LANES <= SLACK && 2 * LANES == MOST_CLASSES);

impl Isa for Avx2 {
    const BACKS: usize = LANES;
    const FRONTS: usize = 4;

    #[inline(always)]
    fn crossing<P: Rules>(front: &Front<'_>, backs: &Lines, place: usize) -> u32 {
        let times = lanes(&backs.times, place);
        let classes = lanes(&backs.classes, place);
        let edges = lanes(&backs.edges, place);
        // SAFETY: the instructions are there, as this is inlined into functions only that are
        // compiled for them; each load is of as many numbers as a vector has.
        unsafe {
            let delays = delays::<P>(front.time, _mm256_loadu_si256(times.as_ptr().cast()));
            let delays = _mm256_andnot_ps(_mm256_set1_ps(-0.0), delays);
            let cuts = cuts(front.cuts, _mm256_loadu_si256(classes.as_ptr().cast()));
            let differences =
                _mm256_sub_ps(_mm256_set1_ps(front.edge), _mm256_loadu_ps(edges.as_ptr()));
            let (least, most) = (_mm256_set1_ps(front.range[0]), _mm256_set1_ps(front.range[1]));
            let in_time = _mm256_cmp_ps::<_CMP_LE_OQ>(delays, cuts);
            let above = _mm256_cmp_ps::<_CMP_GE_OQ>(differences, least);
            let below = _mm256_cmp_ps::<_CMP_LE_OQ>(differences, most);
            let all = _mm256_and_ps(_mm256_and_ps(above, below), in_time);
            _mm256_movemask_ps(all) as u32
        }
    }

    #[inline(always)]
    fn put(bits: u32, first: u32, list: &mut [u32; SLACK]) {
        // SAFETY: the instructions are there, as above; there are more places than a vector has.
        unsafe {
            let packed = _mm256_loadu_si256(COMPRESSED[bits as usize].as_ptr().cast());
            let numbers = _mm256_add_epi32(packed, _mm256_set1_epi32(first as i32));
            _mm256_storeu_si256(list.as_mut_ptr().cast(), numbers);
        }
    }
}

/// See [`Rules::delay`].
#[inline(always)]
fn delays<P: Rules>(front: u32, backs: __m256i) -> __m256 {
    // SAFETY: the instructions are there, as above.
    unsafe {
        match P::SEMANTICS {
            Semantics::Published => _mm256_sub_ps(_mm256_set1_ps(front as f32), rounded(backs)),
            Semantics::Exact | Semantics::Offline => {
                let front = _mm256_set1_epi32(front as i32);
                _mm256_cvtepi32_ps(_mm256_sub_epi32(front, backs))
            }
        }
    }
}

/// Numbers without a sign in single precision: both halves are exact, and so is one of them times
/// 65536. Only the sum is rounded.
#[inline(always)]
fn rounded(numbers: __m256i) -> __m256 {
    // SAFETY: the instructions are there, as above.
    unsafe {
        let high = _mm256_cvtepi32_ps(_mm256_srli_epi32::<16>(numbers));
        let low = _mm256_and_si256(numbers, _mm256_set1_epi32(0xffff));
        let high = _mm256_mul_ps(high, _mm256_set1_ps(65536.0));
        _mm256_add_ps(high, _mm256_cvtepi32_ps(low))
    }
}

/// The cuts of some classes, from a table of two vectors.
#[inline(always)]
fn cuts(table: &[f32], classes: __m256i) -> __m256 {
    let (lower, upper) = (lanes(table, 0), lanes(table, LANES));
    // SAFETY: the instructions are there, as above.
    unsafe {
        let lower = _mm256_permutevar8x32_ps(_mm256_loadu_ps(lower.as_ptr()), classes);
        let upper = _mm256_permutevar8x32_ps(_mm256_loadu_ps(upper.as_ptr()), classes);
        // The bit of 8 goes where a number has its sign.
        let is_upper = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(classes));
        _mm256_blendv_ps(lower, upper, is_upper)
    }
}

#[inline(always)]
fn lanes<T>(column: &[T], place: usize) -> &[T; LANES] {
    match column[place..].first_chunk() {
        Some(lanes) => lanes,
        None => unreachable!("there are more numbers behind the last one"),
    }
}

/// The numbers of the bits that are set.
static COMPRESSED: [[u32; LANES]; 1 << LANES] = {
    let mut all = [[0; LANES]; 1 << LANES];
    let mut bits = 0;
    while bits < all.len() {
        let (mut bit, mut place) = (0, 0);
        while bit < LANES {
            if bits >> bit & 1 == 1 {
                all[bits][place] = bit as u32;
                place += 1;
            }
            bit += 1;
        }
        bits += 1;
    }
    all
};
