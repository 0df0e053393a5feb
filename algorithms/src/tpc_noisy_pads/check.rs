//! What counts as found right.

use super::activity::PadActivity;
use crate::all_cores::first_difference;

/// How an output is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// More or fewer pads than there are.
    #[error("{found} pads instead of {expected}")]
    Count {
        /// Pads of the reference.
        expected: usize,
        /// Pads of the output.
        found: usize,
    },
    /// Not what a pad did.
    #[error("pad {pad}: {found:?} instead of {expected:?}")]
    Pad {
        /// The pad's number among those of all sectors.
        pad: usize,
        /// The reference's.
        expected: PadActivity,
        /// The output's.
        found: PadActivity,
    },
}

/// The same as the reference, pad by pad.
pub(super) fn same(reference: &[PadActivity], output: &[PadActivity]) -> Result<(), Mismatch> {
    if reference.len() != output.len() {
        return Err(Mismatch::Count {
            expected: reference.len(),
            found: output.len(),
        });
    }
    match first_difference(reference, output) {
        None => Ok(()),
        Some(pad) => Err(Mismatch::Pad {
            pad,
            expected: reference[pad],
            found: output[pad],
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::all_cores::tests::{places, with_all_pools};

    #[test]
    fn a_wrong_pad_is_found_wherever_it_is_and_the_first_is_told() {
        let reference: Vec<_> = (0..150_000_u32)
            .map(|pad| PadActivity {
                charges: pad as u16,
                ..PadActivity::default()
            })
            .collect();
        let checked = |output: &[PadActivity]| with_all_pools(|| same(&reference, output));
        assert_eq!(checked(&reference), Ok(()));
        let mut output = reference.clone();
        for pad in places(reference.len()).into_iter().rev().chain([0]) {
            output[pad].largest = 7;
            let found = checked(&output).expect_err("changed");
            assert!(matches!(found, Mismatch::Pad { pad: told, .. } if told <= pad));
        }
        for pad in places(reference.len()) {
            let mut changed = reference.clone();
            changed[pad].longest_run += 1;
            let found = checked(&changed).expect_err("changed");
            assert!(matches!(found, Mismatch::Pad { pad: told, .. } if told == pad));
            let mut lost = reference.clone();
            lost.remove(pad);
            assert!(matches!(checked(&lost), Err(Mismatch::Count { .. })));
            let mut swapped = reference.clone();
            let other = if pad > 0 { pad - 1 } else { 1 };
            swapped.swap(pad, other);
            assert!(
                matches!(checked(&swapped), Err(Mismatch::Pad { pad: told, .. })
                if told == pad.min(other))
            );
        }
    }
}
