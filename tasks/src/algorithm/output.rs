//! Interface of all outputs, and the check of most tasks: element-by-element comparison with the
//! reference.

use generators_common::element::{Choose, Element};

use super::mutants::{self, Mutants};
use super::{CheckError, Difference, same};

/// Output of the variants of the task `A`. With this parameter, a task can have an output whose type
/// is that of another crate.
pub trait Output<A: ?Sized>: Clone + PartialEq + Send + Sync + 'static {
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

/// Compared in order.
impl<A: ?Sized, T: Element> Output<A> for Vec<T> {
    fn nothing() -> Self {
        Vec::new()
    }

    fn compare(&self, right: &Self) -> Result<(), CheckError> {
        compare_lists(self, right)
    }

    fn mutants(&self, choose: Choose<'_>) -> Mutants<Self> {
        mutants::of_elements(self, choose)
    }
}

/// Compares lists in order.
///
/// # Errors
/// The first difference.
pub fn compare_lists<T: Element>(list: &[T], right: &[T]) -> Result<(), CheckError> {
    same(T::NAME, right, list).map_err(|difference: Difference<T>| difference.into())
}
