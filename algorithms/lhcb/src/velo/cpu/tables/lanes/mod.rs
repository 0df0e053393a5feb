//! Eight numbers at once: vectors where the CPU has them, arrays elsewhere. Every operation of every lane is
//! that of a single number, bit for bit.

use crate::velo::model::formulas::{QUARTER_PI, THREE_QUARTERS_PI, UNITS_PER_RADIAN};

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
mod arrays;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod vectors;

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub use arrays::{Integers, Lanes, Numbers};
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub use vectors::{Integers, Lanes, Numbers};

/// Number of lanes.
pub const LANES: usize = 8;

/// Angles around the beam, as [`phi16`](crate::velo::model::formulas::phi16), in the high 16 bits: so
/// that their differences wrap.
#[inline]
pub fn phi32(x: Numbers, y: Numbers) -> Integers {
    let a = y.abs();
    let is_right = x.is_above(Numbers::splat(0.0));
    let sum = x.plus(a);
    let numerator = is_right.select(x.minus(a), sum);
    let denominator = is_right.select(sum, a.minus(x));
    let base = is_right.select(Numbers::splat(QUARTER_PI), Numbers::splat(THREE_QUARTERS_PI));
    let angle = base.minus(Numbers::splat(QUARTER_PI).times(numerator.over(denominator)));
    angle.with_sign_of(y).times(Numbers::splat(UNITS_PER_RADIAN)).angles()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::velo::model::formulas;

    const NUMBERS: [f32; LANES] = [0.0, -0.0, 1.5, -2.25, 1e-30, 33.0, -7.0, 12.625];
    const INTEGERS: [i32; LANES] = [0, 469, -469, 470, i32::MIN, i32::MAX, -32299, 5];

    #[test]
    fn angles_are_those_of_single_numbers() {
        for shift in 0..LANES {
            let y = std::array::from_fn(|lane| NUMBERS[(lane + shift) % LANES]);
            let angles = phi32(Numbers::load(&NUMBERS), Numbers::load(&y)).array();
            for lane in 0..LANES {
                let right = i32::from(formulas::phi16(NUMBERS[lane], y[lane])) << 16;
                assert_eq!(angles[lane], right, "of {} and {}", NUMBERS[lane], y[lane]);
            }
        }
    }

    /// Bits of the results of all operations.
    macro_rules! results {
        ($numbers:ty, $integers:ty) => {{
            let points = NUMBERS.map(|x| [x, x + 1.0, x * 2.0, 3.0 - x]);
            let list = points;
            let points = <$numbers>::transposed(std::array::from_fn(|lane| &list[lane]));
            assert_eq!(<$numbers>::points(points), list);
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
            let integers = <$integers>::load(&INTEGERS);
            let lists = INTEGERS.map(|x| [x, x ^ 3, x ^ 5, x ^ 7]);
            let lists = <$integers>::transposed(std::array::from_fn(|lane| &lists[lane]));
            let [_, other, _, _] = lists;
            let below = integers.is_below(other);
            let computed = [
                integers.plus(other),
                integers.minus(other),
                integers.half(),
                integers.abs(),
                integers.min(other),
                integers.max(other),
                integers.or(other),
                integers.and(other),
                integers.shifted_left(3),
                integers.shifted_right(5),
                below.and(large).select_integers(integers, other),
                integers.is_odd().select_integers(integers, other),
                numbers.times(<$numbers>::splat(2500.0)).angles(),
            ];
            bits.extend([below.bits(), integers.signs(), integers.first() as u32]);
            bits.extend((0..LANES).map(|lane| integers.at(lane) as u32));
            bits.extend(integers.numbers().array().map(f32::to_bits));
            bits.extend(integers.high_halves().map(|half| half as u32));
            let lanes = (0..LANES).map(|lane| integers.broadcast(lane));
            let all = lists.into_iter().chain(computed).chain(lanes);
            bits.extend(all.flat_map(|integers| integers.array().map(|number| number as u32)));
            bits
        }};
    }

    #[test]
    fn vectors_do_what_arrays_do() {
        let right = results!(arrays::Numbers, arrays::Integers);
        assert_eq!(results!(Numbers, Integers), right);
        assert_eq!(right[..2], [0b1010_0100, 0b0000_0011]);
        assert_eq!(f32::from_bits(right[2]), -7.0);
    }
}
