//! Interface of all outputs, and the check of most tasks: element-by-element comparison with the
//! reference.

use std::fmt::Debug;

use super::mutants::{self, Choose, Mutants};
use super::{CheckError, Difference, same};

/// Output of a variant.
pub trait Output: Clone + PartialEq + Send + Sync + 'static {
    /// Output of a variant that does nothing.
    fn nothing() -> Self;

    /// Checks that the output is the right one.
    ///
    /// # Errors
    /// The difference.
    fn compare(&self, right: &Self) -> Result<(), CheckError> {
        if self == right { Ok(()) } else { Err("not the output of the reference".into()) }
    }

    /// Copies with one element mutated.
    fn mutants(&self, _: Choose<'_>) -> Mutants<Self> {
        Mutants::new()
    }
}

/// An element of a list that variants make.
pub trait Element: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// Name of an element, in the singular.
    const NAME: &'static str;

    /// Returns a different element, with a minimal difference.
    fn changed(&self, choose: Choose<'_>) -> Self;
}

/// Compared in order.
impl<T: Element> Output for Vec<T> {
    fn nothing() -> Self {
        Vec::new()
    }

    fn compare(&self, right: &Self) -> Result<(), CheckError> {
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
