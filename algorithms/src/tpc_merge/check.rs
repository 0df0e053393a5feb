//! Checks of the output for inputs without a reference.

use generators::tpc::slice_tracks::{NONE, Relations, SliceTracks, TrackProblem};

use super::components;
use crate::all_cores::first_difference;

/// Errors in an output that has no reference.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Mismatch {
    /// Inconsistent relations.
    #[error("the output is inconsistent: {0}")]
    Unsound(#[from] TrackProblem),
    /// A track differs from the connected component of links and relations.
    #[error("slice track {track}: its track is not the component that links and relations make")]
    Component {
        /// Index of the slice track.
        track: usize,
    },
}

/// Checks that every component became one track.
pub(super) fn sound(input: &SliceTracks, output: &[Relations]) -> Result<(), Mismatch> {
    let without_links = vec![NONE; input.len()];
    let merged = SliceTracks::new(input.tracks().to_vec(), output.to_vec(), without_links)?;
    let labels = |tracks| move || components::labels(tracks);
    let (expected, found) = rayon::join(labels(input), labels(&merged));
    match first_difference(&expected, &found) {
        None => Ok(()),
        Some(track) => Err(Mismatch::Component { track }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpc_merge::reference;
    use generators::tpc::slice_tracks::{Ids, TrackShape, generate};

    fn input() -> SliceTracks {
        let shape = TrackShape { tracks: 500, ids: Ids::Local };
        generate(&shape, 3).expect("made")
    }

    #[test]
    fn only_the_reference_passes() {
        let input = input();
        let reference = reference::merge(&input);
        assert_eq!(sound(&input, &reference), Ok(()));
        let unjoined = sound(&input, input.relations());
        assert!(matches!(unjoined, Err(Mismatch::Component { .. })));
        assert!(matches!(sound(&input, &[]), Err(Mismatch::Unsound(_))));
        let mut output = reference.clone();
        let mut pieces = output.iter_mut();
        let piece = pieces.find(|track| track.segment_prev != NONE);
        piece.expect("a chain").segment_prev = NONE;
        assert!(matches!(sound(&input, &output), Err(Mismatch::Unsound(_))));
    }
}
