//! The check of most tasks: element by element as the reference.

use std::fmt::Debug;

use crate::all_cores::first_difference;

/// How a list differs from the right one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Difference<T: Debug> {
    /// More or fewer elements than there are.
    #[error("{found} {element}s instead of {expected}")]
    Count {
        /// What the elements are, in the singular.
        element: &'static str,
        /// Elements of the reference.
        expected: usize,
        /// Elements of the output.
        found: usize,
    },
    /// Another element; the first that is.
    #[error("{element} {at}: {found:?} instead of {expected:?}")]
    Element {
        /// What it is, in the singular.
        element: &'static str,
        /// Its place in the list.
        at: usize,
        /// The reference's.
        expected: T,
        /// The output's.
        found: T,
    },
}

/// The same as the reference, by all cores.
///
/// # Errors
/// The first difference.
pub(crate) fn same<T: Clone + Debug + PartialEq + Sync>(
    element: &'static str,
    reference: &[T],
    output: &[T],
) -> Result<(), Difference<T>> {
    if reference.len() != output.len() {
        return Err(Difference::Count { element, expected: reference.len(), found: output.len() });
    }
    match first_difference(reference, output) {
        None => Ok(()),
        Some(at) => Err(Difference::Element {
            element,
            at,
            expected: reference[at].clone(),
            found: output[at].clone(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::all_cores::tests::{places, with_all_pools};

    #[test]
    fn a_wrong_element_is_found_wherever_it_is_and_the_first_is_told() {
        let reference: Vec<u32> = (0..150_000).collect();
        let checked = |output: &[u32]| with_all_pools(|| same("pad", &reference, output));
        let place = |output: &[u32]| match checked(output) {
            Err(Difference::Element { at, .. }) => Some(at),
            _ => None,
        };
        assert_eq!(checked(&reference), Ok(()));
        for at in places(reference.len()) {
            let mut changed = reference.clone();
            changed[at] += 7;
            assert_eq!(place(&changed), Some(at));
            let mut swapped = reference.clone();
            let other = if at > 0 { at - 1 } else { 1 };
            swapped.swap(at, other);
            assert_eq!(place(&swapped), Some(at.min(other)));
            let mut lost = reference.clone();
            lost.remove(at);
            let words = checked(&lost).expect_err("lost").to_string();
            assert_eq!(words, "149999 pads instead of 150000");
        }
        let mut output = reference.clone();
        for at in places(reference.len()).into_iter().rev() {
            output[at] = 7;
            assert!(place(&output) <= Some(at));
        }
    }
}
