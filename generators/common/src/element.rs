//! Elements of arrays, as checks of algorithms change them.

use std::fmt::Debug;

/// Chooses a number below its argument, which is not 0.
pub type Choose<'c> = &'c mut dyn FnMut(usize) -> usize;

/// An element of a list that algorithms make.
pub trait Element: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// Name of an element, in the singular.
    const NAME: &'static str;

    /// Returns a different element, with a minimal difference.
    fn changed(&self, choose: Choose<'_>) -> Self;
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl Element for $number {
            const NAME: &'static str = "number";

            fn changed(&self, choose: Choose<'_>) -> Self {
                self ^ 1 << choose(<$number>::BITS as usize)
            }
        })*
    };
}
numbers!(u8, u16, u32, u64);

/// Elements that can be overwritten with a value that no algorithm makes of an input.
pub trait Poison: Copy + Default + Send + Sync + 'static {
    /// A value that is unlikely to be right.
    const POISON: Self;
}

macro_rules! poison_by_bytes {
    ($($number:ty),*) => {
        $(impl Poison for $number {
            const POISON: Self = <$number>::from_ne_bytes([0xa5; size_of::<$number>()]);
        })*
    };
}
poison_by_bytes!(u8, u16, i16, u32, u64, usize);

impl<T: Poison, const N: usize> Poison for [T; N]
where
    [T; N]: Default,
{
    const POISON: Self = [T::POISON; N];
}
