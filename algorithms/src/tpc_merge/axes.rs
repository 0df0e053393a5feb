//! What can be varied about slice tracks.

use std::path::Path;

use generators::DataError;
use generators::random::mix;
use generators::tpc::slice_tracks::{Ids, SliceTracks, TrackShape};

use crate::axis::{Axis, Kind, Params};

const TRACKS: Axis = Axis {
    name: "tracks",
    help: "Slice tracks",
    value_name: "N",
    default: Some("10000000"),
    kind: Kind::Count,
};
const IDS: Axis = Axis {
    name: "ids",
    help: "Numbers of the pieces of a particle: local (within 4096 of each other) or shuffled",
    value_name: "IDS",
    default: Some("local"),
    kind: Kind::Choice(&["local", "shuffled"]),
};

/// All of them; generated files have the same.
pub static AXES: &[Axis] = &[TRACKS, IDS];

pub(super) fn complete(params: &mut Params) {
    for axis in AXES {
        if let Some(default) = axis.default {
            params.set_default(axis.name, default);
        }
    }
}

/// The shape that parameters describe; what is not given has its default.
///
/// # Errors
/// If a value can't be used.
pub fn shape(params: &Params) -> Result<TrackShape, DataError> {
    let mut params = params.clone();
    complete(&mut params);
    let unusable = |name| DataError::Shape(format!("--{name} has no usable value"));
    Ok(TrackShape {
        tracks: params
            .value(TRACKS.name)
            .ok_or_else(|| unusable(TRACKS.name))?,
        ids: params
            .value::<Ids>(IDS.name)
            .ok_or_else(|| unusable(IDS.name))?,
    })
}

/// What is known of slice tracks from a file.
pub(super) fn of_file(path: &Path, input: &SliceTracks) -> Params {
    let mut params = Params::default();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // These two separate the parameters in the records.
    params.set("input", name.replace([';', '='], "_"));
    // Files of the same name may differ: the content tells them apart.
    params.set("content", format!("{:016x}", content(input)));
    params.set(TRACKS.name, input.len().to_string());
    params
}

/// A hash of all of it.
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
