//! The operations on arrays.

use std::array::from_fn;

use super::LANES;

/// Eight numbers.
#[derive(Clone, Copy, Debug)]
pub struct Numbers([f32; LANES]);

/// Eight whole numbers.
#[derive(Clone, Copy, Debug)]
pub struct Integers([i32; LANES]);

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

    /// Eight points of coordinates x, y, z and a fourth number.
    #[inline]
    pub fn points(components: [Self; 4]) -> [[f32; 4]; LANES] {
        from_fn(|lane| components.map(|numbers| numbers.0[lane]))
    }

    /// The number of one lane in all lanes.
    #[inline]
    pub fn broadcast(&self, lane: usize) -> Self {
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

    /// Truncated to whole numbers, of which the low 16 bits become the high ones; 0 for what is not a
    /// number.
    #[inline]
    pub fn angles(self) -> Integers {
        let angle = |number: f32| if number.is_finite() { (number as i32) << 16 } else { 0 };
        Integers(self.0.map(angle))
    }
}

impl Integers {
    /// One number in all lanes.
    #[inline]
    pub fn splat(number: i32) -> Self {
        Integers([number; LANES])
    }

    /// Numbers in memory.
    #[inline]
    pub fn load(from: &[i32; LANES]) -> Self {
        Integers(*from)
    }

    /// The four components of eight lists.
    #[inline]
    pub fn transposed(lists: [&[i32; 4]; LANES]) -> [Self; 4] {
        from_fn(|component| Integers(from_fn(|lane| lists[lane][component])))
    }

    /// The number of a lane.
    #[inline]
    pub fn at(&self, lane: usize) -> i32 {
        self.0[lane]
    }

    /// The number of one lane in all lanes.
    #[inline]
    pub fn broadcast(&self, lane: usize) -> Self {
        Integers::splat(self.0[lane])
    }

    /// The numbers as an array.
    #[inline]
    pub fn array(self) -> [i32; LANES] {
        self.0
    }

    /// The number of the first lane.
    #[inline]
    pub fn first(self) -> i32 {
        self.0[0]
    }

    fn with(self, other: Self, combine: impl Fn(i32, i32) -> i32) -> Self {
        Integers(from_fn(|lane| combine(self.0[lane], other.0[lane])))
    }

    /// Sums, which wrap.
    #[inline]
    pub fn plus(self, other: Self) -> Self {
        self.with(other, i32::wrapping_add)
    }

    /// Differences, which wrap.
    #[inline]
    pub fn minus(self, other: Self) -> Self {
        self.with(other, i32::wrapping_sub)
    }

    /// Halves, rounded down.
    #[inline]
    pub fn half(self) -> Self {
        Integers(self.0.map(|number| number >> 1))
    }

    /// Magnitudes; the smallest number of all stays as it is.
    #[inline]
    pub fn abs(self) -> Self {
        Integers(self.0.map(i32::wrapping_abs))
    }

    /// The smaller ones of two.
    #[inline]
    pub fn min(self, other: Self) -> Self {
        self.with(other, i32::min)
    }

    /// The larger ones of two.
    #[inline]
    pub fn max(self, other: Self) -> Self {
        self.with(other, i32::max)
    }

    /// The bits moved up.
    #[inline]
    pub fn shifted_left(self, bits: u32) -> Self {
        Integers(self.0.map(|number| number << bits))
    }

    /// The bits moved down, behind zeros.
    #[inline]
    pub fn shifted_right(self, bits: u32) -> Self {
        Integers(self.0.map(|number| (number as u32 >> bits) as i32))
    }

    /// As numbers.
    #[inline]
    pub fn numbers(self) -> Numbers {
        Numbers(self.0.map(|number| number as f32))
    }

    /// The high 16 bits of each.
    #[inline]
    pub fn high_halves(self) -> [i16; LANES] {
        self.0.map(|number| (number >> 16) as i16)
    }

    /// The bits that are set in both.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        self.with(other, |a, b| a & b)
    }

    /// The bits that are set in either.
    #[inline]
    pub fn or(self, other: Self) -> Self {
        self.with(other, |a, b| a | b)
    }

    /// Lanes that are below another's.
    #[inline]
    pub fn is_below(self, other: Self) -> Lanes {
        Lanes(from_fn(|lane| self.0[lane] < other.0[lane]))
    }

    /// Lanes with odd numbers.
    #[inline]
    pub fn is_odd(self) -> Lanes {
        Lanes(self.0.map(|number| number & 1 != 0))
    }

    /// A bit for each lane: set if its number is negative.
    #[inline]
    pub fn signs(self) -> u32 {
        self.is_below(Integers::splat(0)).bits()
    }
}

impl Lanes {
    /// Lanes that are in both.
    #[inline]
    pub fn and(self, other: Self) -> Self {
        Lanes(from_fn(|lane| self.0[lane] && other.0[lane]))
    }

    /// Numbers of these lanes, and others in all others.
    #[inline]
    pub fn select(self, these: Numbers, others: Numbers) -> Numbers {
        let number = |lane: usize| if self.0[lane] { these.0[lane] } else { others.0[lane] };
        Numbers(from_fn(number))
    }

    /// Whole numbers of these lanes, and others in all others.
    #[inline]
    pub fn select_integers(self, these: Integers, others: Integers) -> Integers {
        let number = |lane: usize| if self.0[lane] { these.0[lane] } else { others.0[lane] };
        Integers(from_fn(number))
    }

    /// A bit for each lane.
    #[inline]
    pub fn bits(self) -> u32 {
        self.0.into_iter().enumerate().map(|(lane, is_set)| u32::from(is_set) << lane).sum()
    }
}
