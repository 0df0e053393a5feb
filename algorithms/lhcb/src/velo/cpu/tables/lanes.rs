//! Eight numbers at once: vectors where the CPU has them, arrays elsewhere. Every operation of every lane is
//! that of a single number, bit for bit.

use crate::velo::model::formulas::{QUARTER_PI, THREE_QUARTERS_PI, UNITS_PER_RADIAN};

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub use arrays::{Angles, Numbers};
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub use avx2::{Angles, Numbers};

/// Number of lanes.
pub const LANES: usize = 8;

/// Angles around the beam in units of π / 32768, as [`phi16`](crate::velo::model::formulas::phi16).
#[inline]
pub fn phi16(x: Numbers, y: Numbers) -> Angles {
    let a = y.abs();
    let is_right = x.is_above(Numbers::splat(0.0));
    let sum = x.plus(a);
    let numerator = is_right.select(x.minus(a), sum);
    let denominator = is_right.select(sum, a.minus(x));
    let base = is_right.select(Numbers::splat(QUARTER_PI), Numbers::splat(THREE_QUARTERS_PI));
    let angle = base.minus(Numbers::splat(QUARTER_PI).times(numerator.over(denominator)));
    angle.with_sign_of(y).times(Numbers::splat(UNITS_PER_RADIAN)).angles()
}

/// The operations on arrays.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
mod arrays {
    use std::array::from_fn;

    use super::LANES;

    /// Eight numbers.
    #[derive(Clone, Copy, Debug)]
    pub struct Numbers([f32; LANES]);

    /// Eight angles in units of π / 32768.
    #[derive(Clone, Copy, Debug)]
    pub struct Angles([i32; LANES]);

    /// Some of eight lanes.
    #[derive(Clone, Copy, Debug)]
    pub struct Lanes([bool; LANES]);

    impl Numbers {
        /// One number in all lanes.
        #[inline]
        pub fn splat(number: f32) -> Self {
            Numbers([number; LANES])
        }

        /// Numbers in memory.
        #[inline]
        pub fn load(from: &[f32; LANES]) -> Self {
            Numbers(*from)
        }

        /// Coordinates x, y, z and a fourth number of eight points.
        #[inline]
        pub fn transposed(points: [&[f32; 4]; LANES]) -> [Self; 4] {
            from_fn(|component| Numbers(from_fn(|lane| points[lane][component])))
        }

        /// The number of one lane in all lanes.
        #[inline]
        pub fn broadcast(self, lane: usize) -> Self {
            Numbers::splat(self.0[lane])
        }

        /// The numbers as an array.
        #[inline]
        pub fn array(self) -> [f32; LANES] {
            self.0
        }

        fn with(self, other: Self, combine: impl Fn(f32, f32) -> f32) -> Self {
            Numbers(from_fn(|lane| combine(self.0[lane], other.0[lane])))
        }

        /// Sums.
        #[inline]
        pub fn plus(self, other: Self) -> Self {
            self.with(other, |a, b| a + b)
        }

        /// Differences.
        #[inline]
        pub fn minus(self, other: Self) -> Self {
            self.with(other, |a, b| a - b)
        }

        /// Products.
        #[inline]
        pub fn times(self, other: Self) -> Self {
            self.with(other, |a, b| a * b)
        }

        /// Quotients.
        #[inline]
        pub fn over(self, other: Self) -> Self {
            self.with(other, |a, b| a / b)
        }

        /// Magnitudes.
        #[inline]
        pub fn abs(self) -> Self {
            Numbers(self.0.map(f32::abs))
        }

        /// The numbers, which are not negative, with the signs of others.
        #[inline]
        pub fn with_sign_of(self, other: Self) -> Self {
            self.with(other, |a, b| f32::from_bits(a.to_bits() | (b.to_bits() & 0x8000_0000)))
        }

        /// Lanes that are larger than another's.
        #[inline]
        pub fn is_above(self, other: Self) -> Lanes {
            Lanes(from_fn(|lane| self.0[lane] > other.0[lane]))
        }

        /// Lanes that are equal to another's.
        #[inline]
        pub fn equals(self, other: Self) -> Lanes {
            Lanes(from_fn(|lane| self.0[lane] == other.0[lane]))
        }

        /// The smallest number; none of them is not a number.
        #[inline]
        pub fn min(self) -> f32 {
            self.0.into_iter().fold(f32::INFINITY, f32::min)
        }

        /// Truncated to whole numbers, of which the low 16 bits count; 0 for what is not a number.
        #[inline]
        pub fn angles(self) -> Angles {
            let angle = |number: f32| if number.is_finite() { number as i32 as i16 } else { 0 };
            Angles(self.0.map(|number| i32::from(angle(number))))
        }
    }

    impl Angles {
        /// One angle in all lanes.
        #[inline]
        pub fn splat(angle: i32) -> Self {
            Angles([angle; LANES])
        }

        /// Angles in memory.
        #[inline]
        pub fn load(from: &[i32; LANES]) -> Self {
            Angles(*from)
        }

        /// The angle of one lane in all lanes.
        #[inline]
        pub fn broadcast(self, lane: usize) -> Self {
            Angles::splat(self.0[lane])
        }

        /// The angle of the first lane.
        #[inline]
        pub fn first(self) -> i32 {
            self.0[0]
        }

        /// The angles as an array.
        #[inline]
        pub fn array(self) -> [i32; LANES] {
            self.0
        }

        /// Magnitudes of the distances to other angles, which wrap.
        #[inline]
        pub fn distances(self, other: Self) -> Self {
            let distance = |lane: usize| (self.0[lane] - other.0[lane]) as i16;
            Angles(from_fn(|lane| i32::from(distance(lane)).abs()))
        }

        /// Lanes that are below another's.
        #[inline]
        pub fn is_below(self, other: Self) -> Lanes {
            Lanes(from_fn(|lane| self.0[lane] < other.0[lane]))
        }
    }

    impl Lanes {
        /// Numbers of these lanes, and others in all others.
        #[inline]
        pub fn select(self, these: Numbers, others: Numbers) -> Numbers {
            let number = |lane: usize| if self.0[lane] { these.0[lane] } else { others.0[lane] };
            Numbers(from_fn(number))
        }

        /// A bit for each lane.
        #[inline]
        pub fn bits(self) -> u32 {
            self.0.into_iter().enumerate().map(|(lane, is_set)| u32::from(is_set) << lane).sum()
        }
    }
}

/// The operations on vectors.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod avx2 {
    use std::arch::x86_64::*;

    use super::LANES;

    /// Eight numbers.
    #[derive(Clone, Copy, Debug)]
    pub struct Numbers(__m256);

    /// Eight angles in units of π / 32768.
    #[derive(Clone, Copy, Debug)]
    pub struct Angles(__m256i);

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

        /// The number of one lane in all lanes.
        #[inline]
        pub fn broadcast(self, lane: usize) -> Self {
            // SAFETY: as above.
            Numbers(unsafe { _mm256_permutevar8x32_ps(self.0, _mm256_set1_epi32(lane as i32)) })
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

        /// Truncated to whole numbers, of which the low 16 bits count; 0 for what is not a number.
        #[inline]
        pub fn angles(self) -> Angles {
            // SAFETY: as above. What is not a number becomes the smallest one, whose low bits are 0.
            Angles(unsafe {
                _mm256_srai_epi32::<16>(_mm256_slli_epi32::<16>(_mm256_cvttps_epi32(self.0)))
            })
        }
    }

    impl Angles {
        /// One angle in all lanes.
        #[inline]
        pub fn splat(angle: i32) -> Self {
            // SAFETY: as above.
            Angles(unsafe { _mm256_set1_epi32(angle) })
        }

        /// Angles in memory.
        #[inline]
        pub fn load(from: &[i32; LANES]) -> Self {
            // SAFETY: as above.
            Angles(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
        }

        /// The angle of one lane in all lanes.
        #[inline]
        pub fn broadcast(self, lane: usize) -> Self {
            // SAFETY: as above.
            Angles(unsafe { _mm256_permutevar8x32_epi32(self.0, _mm256_set1_epi32(lane as i32)) })
        }

        /// The angle of the first lane.
        #[inline]
        pub fn first(self) -> i32 {
            // SAFETY: as above.
            unsafe { _mm256_cvtsi256_si32(self.0) }
        }

        /// The angles as an array.
        #[inline]
        pub fn array(self) -> [i32; LANES] {
            let mut array = [0; LANES];
            // SAFETY: as above.
            unsafe { _mm256_storeu_si256(array.as_mut_ptr().cast(), self.0) };
            array
        }

        /// Magnitudes of the distances to other angles, which wrap.
        #[inline]
        pub fn distances(self, other: Self) -> Self {
            // SAFETY: as above.
            Angles(unsafe {
                let difference = _mm256_sub_epi32(self.0, other.0);
                _mm256_abs_epi32(_mm256_srai_epi32::<16>(_mm256_slli_epi32::<16>(difference)))
            })
        }

        /// Lanes that are below another's.
        #[inline]
        pub fn is_below(self, other: Self) -> Lanes {
            // SAFETY: as above.
            Lanes(unsafe { _mm256_castsi256_ps(_mm256_cmpgt_epi32(other.0, self.0)) })
        }
    }

    impl Lanes {
        /// Numbers of these lanes, and others in all others.
        #[inline]
        pub fn select(self, these: Numbers, others: Numbers) -> Numbers {
            // SAFETY: as above.
            Numbers(unsafe { _mm256_blendv_ps(others.0, these.0, self.0) })
        }

        /// A bit for each lane.
        #[inline]
        pub fn bits(self) -> u32 {
            // SAFETY: as above.
            unsafe { _mm256_movemask_ps(self.0) as u32 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::velo::model::formulas;

    const NUMBERS: [f32; LANES] = [0.0, -0.0, 1.5, -2.25, 1e-30, 33.0, -7.0, 12.625];

    #[test]
    fn angles_are_those_of_single_numbers() {
        for shift in 0..LANES {
            let y = std::array::from_fn(|lane| NUMBERS[(lane + shift) % LANES]);
            let angles = phi16(Numbers::load(&NUMBERS), Numbers::load(&y)).array();
            for lane in 0..LANES {
                let right = i32::from(formulas::phi16(NUMBERS[lane], y[lane]));
                assert_eq!(angles[lane], right, "of {} and {}", NUMBERS[lane], y[lane]);
            }
        }
    }

    /// Bits of the results of all operations.
    macro_rules! results {
        ($numbers:ty, $angles:ty) => {{
            let points = NUMBERS.map(|x| [x, x + 1.0, x * 2.0, 3.0 - x]);
            let points = <$numbers>::transposed(std::array::from_fn(|lane| &points[lane]));
            let numbers = <$numbers>::load(&NUMBERS);
            let [_, plus_one, _, _] = points;
            let large = numbers.is_above(<$numbers>::splat(1.0));
            let computed = [
                numbers.plus(plus_one),
                numbers.minus(plus_one),
                numbers.times(plus_one),
                numbers.over(plus_one),
                numbers.abs(),
                numbers.abs().with_sign_of(plus_one),
                large.select(numbers, plus_one),
            ];
            let mut bits: Vec<u32> = vec![
                large.bits(),
                numbers.equals(<$numbers>::splat(0.0)).bits(),
                numbers.min().to_bits(),
            ];
            let lanes = (0..LANES).map(|lane| numbers.broadcast(lane));
            let all = points.into_iter().chain(computed).chain(lanes);
            bits.extend(all.flat_map(|numbers| numbers.array().map(f32::to_bits)));
            let angles = <$angles>::load(&[0, 469, -469, 470, -32768, 32767, -32299, 5]);
            for expected in [0, 32767, -32768, 469] {
                let distances = angles.distances(<$angles>::splat(expected));
                bits.extend(distances.array().map(|distance| distance as u32));
                bits.push(distances.is_below(<$angles>::splat(470)).bits());
            }
            bits.extend((0..LANES).map(|lane| angles.broadcast(lane).first() as u32));
            let units = numbers.times(<$numbers>::splat(2500.0));
            bits.extend(units.angles().array().map(|angle| angle as u32));
            bits
        }};
    }

    #[test]
    fn vectors_do_what_arrays_do() {
        let right = results!(arrays::Numbers, arrays::Angles);
        assert_eq!(results!(Numbers, Angles), right);
        assert_eq!(right[..2], [0b1010_0100, 0b0000_0011]);
        assert_eq!(f32::from_bits(right[2]), -7.0);
    }
}
