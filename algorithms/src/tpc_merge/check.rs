//! What counts as merged.

use generators::tpc::slice_tracks::{NONE, Relations, SliceTracks, TrackProblem};

use super::components;
use crate::all_cores::first_difference;

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
    match first_difference(reference, output) {
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
    let labels = |tracks| move || components::labels(tracks);
    let (expected, found) = rayon::join(labels(input), labels(&merged));
    match first_difference(&expected, &found) {
        None => Ok(()),
        Some(track) => Err(Mismatch::Component { track }),
    }
}

fn check_length(expected: usize, output: &[Relations]) -> Result<(), Mismatch> {
    let found = output.len();
    if found == expected {
        return Ok(());
    }
    Err(Mismatch::Length { expected, found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::all_cores::tests::{places, with_all_pools};
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
    fn a_wrong_piece_is_found_wherever_it_is_and_the_first_is_told() {
        let reference: Vec<_> = (0..150_000)
            .map(|track| Relations {
                segment_next: track + 1,
                ..Relations::ALONE
            })
            .collect();
        let told = |output: &[Relations]| match with_all_pools(|| same(&reference, output)) {
            Err(Mismatch::Relations { track, .. }) => Some(track),
            _ => None,
        };
        let mut all_wrong = reference.clone();
        for track in places(reference.len()) {
            let mut changed = reference.clone();
            changed[track].neighbours[0] = 7;
            assert_eq!(told(&changed), Some(track));
            let mut swapped = reference.clone();
            let other = if track > 0 { track - 1 } else { 1 };
            swapped.swap(track, other);
            assert_eq!(told(&swapped), Some(track.min(other)));
            let mut lost = reference.clone();
            lost.remove(track);
            let length = with_all_pools(|| same(&reference, &lost));
            assert!(matches!(length, Err(Mismatch::Length { .. })));
            all_wrong[track].segment_prev = 3;
        }
        assert_eq!(told(&all_wrong), Some(0));
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
