//! What counts as merged.

use generators::tpc::slice_tracks::{NONE, Relations, SliceTracks, TrackProblem};

use super::components;

/// How an output can be wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Mismatch {
    /// Not as many slice tracks as in the input.
    #[error("there are relations of {found} slice tracks instead of {expected}")]
    Length {
        /// In the input.
        expected: usize,
        /// In the output.
        found: usize,
    },
    /// Not the relations of the reference.
    #[error("slice track {track}: {found:?} instead of {expected:?}")]
    Relations {
        /// Which.
        track: usize,
        /// The reference's.
        expected: Relations,
        /// The output's.
        found: Relations,
    },
    /// Relations that make no sense.
    #[error("the output makes no sense: {0}")]
    Unsound(#[from] TrackProblem),
    /// What belongs together was not joined, or what doesn't was.
    #[error("slice track {track}: its track is not the component that links and relations make")]
    Component {
        /// Which.
        track: usize,
    },
}

/// Compares with the reference, bit for bit.
pub(super) fn same(reference: &[Relations], output: &[Relations]) -> Result<(), Mismatch> {
    check_length(reference.len(), output)?;
    let different = (0..output.len()).find(|&track| output[track] != reference[track]);
    match different {
        None => Ok(()),
        Some(track) => Err(Mismatch::Relations {
            track,
            expected: reference[track],
            found: output[track],
        }),
    }
}

/// Checks what can be told without a reference: every component became one track.
pub(super) fn sound(input: &SliceTracks, output: &[Relations]) -> Result<(), Mismatch> {
    check_length(input.len(), output)?;
    let without_links = vec![NONE; input.len()];
    let merged = SliceTracks::new(input.tracks().to_vec(), output.to_vec(), without_links)?;
    let expected = components::labels(input);
    let found = components::labels(&merged);
    match (0..input.len()).find(|&track| expected[track] != found[track]) {
        None => Ok(()),
        Some(track) => Err(Mismatch::Component { track }),
    }
}

fn check_length(expected: usize, output: &[Relations]) -> Result<(), Mismatch> {
    let found = output.len();
    match found == expected {
        true => Ok(()),
        false => Err(Mismatch::Length { expected, found }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpc_merge::reference;
    use generators::tpc::slice_tracks::{Ids, TrackShape, generate};

    fn input() -> SliceTracks {
        let shape = TrackShape {
            tracks: 500,
            ids: Ids::Local,
        };
        generate(&shape, 3).expect("made")
    }

    #[test]
    fn the_reference_passes() {
        let reference = reference::merge(&input());
        assert_eq!(same(&reference, &reference), Ok(()));
        assert_eq!(sound(&input(), &reference), Ok(()));
    }

    #[test]
    fn nothing_done_is_refused() {
        let untouched = input().relations().to_vec();
        let reference = reference::merge(&input());
        assert!(same(&reference, &untouched).is_err());
        let unjoined = sound(&input(), &untouched);
        assert!(matches!(unjoined, Err(Mismatch::Component { .. })));
        assert!(sound(&input(), &[]).is_err());
    }

    #[test]
    fn one_wrong_piece_is_found() {
        let reference = reference::merge(&input());
        let mut output = reference.clone();
        let piece = output
            .iter()
            .position(|track| track.segment_prev != NONE)
            .expect("a chain");
        output[piece].segment_prev = NONE;
        assert!(same(&reference, &output).is_err());
        assert!(matches!(
            sound(&input(), &output),
            Err(Mismatch::Unsound(_))
        ));
    }
}
