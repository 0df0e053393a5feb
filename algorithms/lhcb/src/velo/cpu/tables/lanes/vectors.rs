//! The operations on vectors of AVX2.

use std::arch::x86_64::*;

use super::LANES;

/// Eight numbers.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Numbers(__m256);

/// Eight whole numbers.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Integers(__m256i);

/// Some of eight lanes.
#[derive(Clone, Copy, Debug)]
pub struct Lanes(__m256);

// SAFETY, of all blocks here: this is compiled for CPUs with these instructions, and arrays have the
// size of the vectors.
impl Numbers {
    /// One number in all lanes.
    #[inline]
    pub fn splat(number: f32) -> Self {
        // SAFETY: as above.
        Numbers(unsafe { _mm256_set1_ps(number) })
    }

    /// Numbers in memory.
    #[inline]
    pub fn load(from: &[f32; LANES]) -> Self {
        // SAFETY: as above.
        Numbers(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }

    /// Coordinates x, y, z and a fourth number of eight points.
    #[inline]
    pub fn transposed(points: [&[f32; 4]; LANES]) -> [Self; 4] {
        // SAFETY: as above.
        unsafe {
            let point = |lane: usize| _mm_loadu_ps(points[lane].as_ptr());
            let pair = |lane: usize| _mm256_set_m128(point(lane + 4), point(lane));
            let low = _mm256_unpacklo_ps(pair(0), pair(1));
            let high = _mm256_unpackhi_ps(pair(0), pair(1));
            let next_low = _mm256_unpacklo_ps(pair(2), pair(3));
            let next_high = _mm256_unpackhi_ps(pair(2), pair(3));
            [
                Numbers(_mm256_shuffle_ps::<0x44>(low, next_low)),
                Numbers(_mm256_shuffle_ps::<0xEE>(low, next_low)),
                Numbers(_mm256_shuffle_ps::<0x44>(high, next_high)),
                Numbers(_mm256_shuffle_ps::<0xEE>(high, next_high)),
            ]
        }
    }

    /// Eight points of coordinates x, y, z and a fourth number.
    #[inline]
    pub fn points([x, y, z, fourth]: [Self; 4]) -> [[f32; 4]; LANES] {
        let mut points = [[0.0; 4]; LANES];
        // SAFETY: as above.
        unsafe {
            let xy = [_mm256_unpacklo_ps(x.0, y.0), _mm256_unpackhi_ps(x.0, y.0)];
            let zw = [_mm256_unpacklo_ps(z.0, fourth.0), _mm256_unpackhi_ps(z.0, fourth.0)];
            let pairs = [
                _mm256_shuffle_ps::<0x44>(xy[0], zw[0]),
                _mm256_shuffle_ps::<0xEE>(xy[0], zw[0]),
                _mm256_shuffle_ps::<0x44>(xy[1], zw[1]),
                _mm256_shuffle_ps::<0xEE>(xy[1], zw[1]),
            ];
            for (lane, pair) in pairs.into_iter().enumerate() {
                _mm_storeu_ps(points[lane].as_mut_ptr(), _mm256_castps256_ps128(pair));
                _mm_storeu_ps(points[lane + 4].as_mut_ptr(), _mm256_extractf128_ps::<1>(pair));
            }
        }
        points
    }

    /// The number of one lane in all lanes: from memory, where these are.
    #[inline]
    pub fn broadcast(&self, lane: usize) -> Self {
        assert!(lane < LANES);
        // SAFETY: as above, and the lane is one of the vector.
        Numbers(unsafe { _mm256_broadcast_ss(&*std::ptr::from_ref(self).cast::<f32>().add(lane)) })
    }

    /// The numbers as an array.
    #[inline]
    pub fn array(self) -> [f32; LANES] {
        let mut array = [0.0; LANES];
        // SAFETY: as above.
        unsafe { _mm256_storeu_ps(array.as_mut_ptr(), self.0) };
        array
    }

    /// Sums.
    #[inline]
    pub fn plus(self, other: Self) -> Self {
        // SAFETY: as above.
        Numbers(unsafe { _mm256_add_ps(self.0, other.0) })
    }

    /// Differences.
    #[inline]
    pub fn minus(self, other: Self) -> Self {
        // SAFETY: as above.
        Numbers(unsafe { _mm256_sub_ps(self.0, other.0) })
    }

    /// Products.
    #[inline]
    pub fn times(self, other: Self) -> Self {
        // SAFETY: as above.
        Numbers(unsafe { _mm256_mul_ps(self.0, other.0) })
    }

    /// Quotients.
    #[inline]
    pub fn over(self, other: Self) -> Self {
        // SAFETY: as above.
        Numbers(unsafe { _mm256_div_ps(self.0, other.0) })
    }

    /// Magnitudes.
    #[inline]
    pub fn abs(self) -> Self {
        // SAFETY: as above.
        Numbers(unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0) })
    }

    /// The numbers, which are not negative, with the signs of others.
    #[inline]
    pub fn with_sign_of(self, other: Self) -> Self {
        // SAFETY: as above.
        Numbers(unsafe { _mm256_or_ps(self.0, _mm256_and_ps(_mm256_set1_ps(-0.0), other.0)) })
    }

    /// Lanes that are larger than another's.
    #[inline]
    pub fn is_above(self, other: Self) -> Lanes {
        // SAFETY: as above.
        Lanes(unsafe { _mm256_cmp_ps::<_CMP_GT_OQ>(self.0, other.0) })
    }

    /// Lanes that are equal to another's.
    #[inline]
    pub fn equals(self, other: Self) -> Lanes {
        // SAFETY: as above.
        Lanes(unsafe { _mm256_cmp_ps::<_CMP_EQ_OQ>(self.0, other.0) })
    }

    /// The smallest number; none of them is not a number.
    #[inline]
    pub fn min(self) -> f32 {
        // SAFETY: as above.
        unsafe {
            let halves =
                _mm_min_ps(_mm256_castps256_ps128(self.0), _mm256_extractf128_ps::<1>(self.0));
            let pairs = _mm_min_ps(halves, _mm_movehl_ps(halves, halves));
            _mm_cvtss_f32(_mm_min_ss(pairs, _mm_movehdup_ps(pairs)))
        }
    }

    /// Truncated to whole numbers, of which the low 16 bits become the high ones; 0 for what is not a
    /// number.
    #[inline]
    pub fn angles(self) -> Integers {
        // SAFETY: as above. What is not a number becomes the smallest one, whose low bits are 0.
        Integers(unsafe { _mm256_slli_epi32::<16>(_mm256_cvttps_epi32(self.0)) })
    }

    fn integers(self) -> Integers {
        // SAFETY: as above.
        Integers(unsafe { _mm256_castps_si256(self.0) })
    }
}

impl Integers {
    /// One number in all lanes.
    #[inline]
    pub fn splat(number: i32) -> Self {
        // SAFETY: as above.
        Integers(unsafe { _mm256_set1_epi32(number) })
    }

    /// Numbers in memory.
    #[inline]
    pub fn load(from: &[i32; LANES]) -> Self {
        // SAFETY: as above.
        Integers(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
    }

    /// The four components of eight lists.
    #[inline]
    pub fn transposed(lists: [&[i32; 4]; LANES]) -> [Self; 4] {
        Numbers::transposed(lists.map(bytemuck::cast_ref)).map(Numbers::integers)
    }

    /// The number of a lane: from memory, where these are.
    #[inline]
    pub fn at(&self, lane: usize) -> i32 {
        assert!(lane < LANES);
        // SAFETY: as above, and the lane is one of the vector.
        unsafe { *std::ptr::from_ref(self).cast::<i32>().add(lane) }
    }

    /// The number of one lane in all lanes: from memory, where these are.
    #[inline]
    pub fn broadcast(&self, lane: usize) -> Self {
        Integers::splat(self.at(lane))
    }

    /// The numbers as an array.
    #[inline]
    pub fn array(self) -> [i32; LANES] {
        let mut array = [0; LANES];
        // SAFETY: as above.
        unsafe { _mm256_storeu_si256(array.as_mut_ptr().cast(), self.0) };
        array
    }

    /// The number of the first lane.
    #[inline]
    pub fn first(self) -> i32 {
        // SAFETY: as above.
        unsafe { _mm256_cvtsi256_si32(self.0) }
    }

    /// Sums, which wrap.
    #[inline]
    pub fn plus(self, other: Self) -> Self {
        // SAFETY: as above.
        Integers(unsafe { _mm256_add_epi32(self.0, other.0) })
    }

    /// Differences, which wrap.
    #[inline]
    pub fn minus(self, other: Self) -> Self {
        // SAFETY: as above.
        Integers(unsafe { _mm256_sub_epi32(self.0, other.0) })
    }

    /// Halves, rounded down.
    #[inline]
    pub fn half(self) -> Self {
        // SAFETY: as above.
        Integers(unsafe { _mm256_srai_epi32::<1>(self.0) })
    }

    /// Magnitudes; the smallest number of all stays as it is.
    #[inline]
    pub fn abs(self) -> Self {
        // SAFETY: as above.
        Integers(unsafe { _mm256_abs_epi32(self.0) })
    }

    /// The smaller ones of two.
    #[inline]
    pub fn min(self, other: Self) -> Self {
        // SAFETY: as above.
        Integers(unsafe { _mm256_min_epi32(self.0, other.0) })
    }

    /// The larger ones of two.
    #[inline]
    pub fn max(self, other: Self) -> Self {
        // SAFETY: as above.
        Integers(unsafe { _mm256_max_epi32(self.0, other.0) })
    }

    /// The bits moved up.
    #[inline]
    pub fn shifted_left(self, bits: u32) -> Self {
        // SAFETY: as above.
        Integers(unsafe { _mm256_sll_epi32(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }

    /// The bits moved down, behind zeros.
    #[inline]
    pub fn shifted_right(self, bits: u32) -> Self {
        // SAFETY: as above.
        Integers(unsafe { _mm256_srl_epi32(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }

    /// As numbers.
    #[inline]
    pub fn numbers(self) -> Numbers {
        // SAFETY: as above.
        Numbers(unsafe { _mm256_cvtepi32_ps(self.0) })
    }

    /// The high 16 bits of each.
    #[inline]
    pub fn high_halves(self) -> [i16; LANES] {
        let mut array = [0; LANES];
        // SAFETY: as above, and the array has half the size of the vector.
        unsafe {
            let halves = _mm256_srai_epi32::<16>(self.0);
            let [low, high] =
                [_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves)];
            _mm_storeu_si128(array.as_mut_ptr().cast(), _mm_packs_epi32(low, high));
        }
        array
    }

    /// The bits that are set in both.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        Integers(unsafe { _mm256_and_si256(self.0, other.0) })
    }

    /// The bits that are set in either.
    #[inline]
    pub fn or(self, other: Self) -> Self {
        // SAFETY: as above.
        Integers(unsafe { _mm256_or_si256(self.0, other.0) })
    }

    /// Lanes that are below another's.
    #[inline]
    pub fn is_below(self, other: Self) -> Lanes {
        // SAFETY: as above.
        Lanes(unsafe { _mm256_castsi256_ps(_mm256_cmpgt_epi32(other.0, self.0)) })
    }

    /// Lanes with odd numbers.
    #[inline]
    pub fn is_odd(self) -> Lanes {
        // SAFETY: as above. The sign of a lane is what selects it.
        Lanes(unsafe { _mm256_castsi256_ps(_mm256_slli_epi32::<31>(self.0)) })
    }

    /// A bit for each lane: set if its number is negative.
    #[inline]
    pub fn signs(self) -> u32 {
        // SAFETY: as above.
        unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(self.0)) as u32 }
    }
}

impl Lanes {
    /// Lanes that are in both.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        // SAFETY: as above.
        Lanes(unsafe { _mm256_and_ps(self.0, other.0) })
    }

    /// Numbers of these lanes, and others in all others.
    #[inline]
    pub fn select(self, these: Numbers, others: Numbers) -> Numbers {
        // SAFETY: as above.
        Numbers(unsafe { _mm256_blendv_ps(others.0, these.0, self.0) })
    }

    /// Whole numbers of these lanes, and others in all others.
    #[inline]
    pub fn select_integers(self, these: Integers, others: Integers) -> Integers {
        // SAFETY: as above.
        unsafe {
            let [these, others] = [these, others].map(|integers| _mm256_castsi256_ps(integers.0));
            Integers(_mm256_castps_si256(_mm256_blendv_ps(others, these, self.0)))
        }
    }

    /// A bit for each lane.
    #[inline]
    pub fn bits(self) -> u32 {
        // SAFETY: as above.
        unsafe { _mm256_movemask_ps(self.0) as u32 }
    }
}
