//! What counts as found right.

use super::activity::PadActivity;

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
    let mut pairs = reference.iter().zip(output).enumerate();
    match pairs.find(|(_, (expected, found))| expected != found) {
        None => Ok(()),
        Some((pad, (expected, found))) => Err(Mismatch::Pad {
            pad,
            expected: *expected,
            found: *found,
        }),
    }
}
