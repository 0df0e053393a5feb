//! What all that variants make has in common, and the check of most tasks: element by element
//! as the reference.

use std::fmt::Debug;

use super::mutants::{self, Choose, Mutants};
use super::{Damage, Difference, same};

/// What a variant makes.
pub trait Output: Clone + PartialEq + Send + Sync + 'static {
    /// What a variant that does nothing would leave behind.
    fn nothing() -> Self;

    /// Whether it is as the right one.
    ///
    /// # Errors
    /// How it differs.
    fn compare(&self, right: &Self) -> Result<(), Damage> {
        if self == right { Ok(()) } else { Err("not the output of the reference".into()) }
    }

    /// Copies with one element harmed.
    fn mutants(&self, _: Choose<'_>) -> Mutants<Self> {
        Mutants::new()
    }
}

/// An element of a list that variants make.
pub trait Element: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// What it is, in the singular.
    const NAME: &'static str;

    /// Another one, which differs as little as it may.
    fn changed(&self, choose: Choose<'_>) -> Self;
}

/// The elements in their order.
impl<T: Element> Output for Vec<T> {
    fn nothing() -> Self {
        Vec::new()
    }

    fn compare(&self, right: &Self) -> Result<(), Damage> {
        same(T::NAME, right, self).map_err(|difference: Difference<T>| difference.into())
    }

    fn mutants(&self, choose: Choose<'_>) -> Mutants<Self> {
        mutants::of_list(self, choose, T::changed)
    }
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
