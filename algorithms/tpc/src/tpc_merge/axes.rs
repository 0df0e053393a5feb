//! Parameters of slice tracks.

use std::path::Path;

use generators_common::DataError;
use generators_common::random::mix;
use generators_tpc::slice_tracks::{Ids, SliceTracks, TrackShape};

use tasks::axis::{Flag, Params, axes};

axes! {
    /// All axes; generated files have the same.
    pub AXES {
        TRACKS: usize = Flag::count("tracks").or("10000000").small(2e3) =>
            "Slice tracks";
        IDS: Ids = Flag::choice("ids", &["local", "shuffled"]).called("IDS").or("local") =>
            "Numbers of the pieces of a particle: local (within 4096 of each other) or shuffled";
    }
}

/// The shape that parameters describe, with defaults for missing ones.
///
/// # Errors
/// Fails if a value is invalid.
pub fn shape(params: &Params) -> Result<TrackShape, DataError> {
    let mut params = params.clone();
    params.complete(AXES);
    Ok(TrackShape { tracks: TRACKS.value(&params)?, ids: IDS.value(&params)? })
}

/// Parameters of slice tracks from a file.
pub(super) fn of_file(path: &Path, input: &SliceTracks) -> Params {
    let mut params = Params::for_file(path, content(input));
    params.set(TRACKS.name, input.len().to_string());
    params
}

/// Hash of the content.
fn content(input: &SliceTracks) -> u64 {
    let all = input.tracks().iter().zip(input.relations());
    let all = all.zip(input.links());
    all.fold(0, |hash, ((track, related), &link)| {
        let words = [
            track.q_over_pt.to_bits(),
            track.zt_min.to_bits(),
            track.zt_max.to_bits(),
            track.n_clusters,
            related.segment_prev,
            related.segment_next,
            related.neighbours[0],
            related.neighbours[1],
            link,
        ];
        let note = |hash: u64, word: u32| mix(hash ^ u64::from(word));
        words.into_iter().fold(hash, note)
    })
}
