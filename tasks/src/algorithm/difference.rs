//! Check of most tasks: element-by-element comparison with the reference.

use std::fmt::Debug;

use parallel::first_difference;

/// Difference of a list from the right one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Difference<T: Debug> {
    /// Wrong number of elements.
    #[error("{found} {element}s instead of {expected}")]
    Count {
        /// Name of an element, in the singular.
        element: &'static str,
        /// Elements of the reference.
        expected: usize,
        /// Elements of the output.
        found: usize,
    },
    /// A wrong element, the first one.
    #[error("{element} {at}: {found:?} instead of {expected:?}")]
    Element {
        /// Name of an element, in the singular.
        element: &'static str,
        /// Index in the list.
        at: usize,
        /// Element of the reference.
        expected: T,
        /// Element of the output.
        found: T,
    },
}

/// Checks that a list equals the reference, with all cores.
pub fn same<T: Clone + Debug + PartialEq + Sync>(
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
    use parallel::testing::{test_indices, with_all_pools};

    use super::*;

    #[test]
    fn the_first_wrong_element_is_reported_at_any_index() {
        let reference: Vec<u32> = (0..150_000).collect();
        let checked = |output: &[u32]| with_all_pools(|| same("pad", &reference, output));
        let first_error = |output: &[u32]| match checked(output) {
            Err(Difference::Element { at, .. }) => Some(at),
            _ => None,
        };
        assert_eq!(checked(&reference), Ok(()));
        for at in test_indices(reference.len()) {
            let mut changed = reference.clone();
            changed[at] += 7;
            assert_eq!(first_error(&changed), Some(at));
            let mut swapped = reference.clone();
            let other = if at > 0 { at - 1 } else { 1 };
            swapped.swap(at, other);
            assert_eq!(first_error(&swapped), Some(at.min(other)));
            let mut lost = reference.clone();
            lost.remove(at);
            let words = checked(&lost).expect_err("lost").to_string();
            assert_eq!(words, "149999 pads instead of 150000");
        }
        let mut output = reference.clone();
        for at in test_indices(reference.len()).into_iter().rev() {
            output[at] = 7;
            assert!(first_error(&output) <= Some(at));
        }
    }
}
