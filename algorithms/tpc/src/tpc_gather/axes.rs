//! Parameters of clusters in pieces.

use std::path::Path;

use generators_common::DataError;
use generators_common::random::mix;
use generators_tpc::clusters::{ClusterShape, Clusters};

use tasks::axis::{Flag, Params, axes};

axes! {
    /// All axes; generated files have the same.
    pub AXES {
        SCALE: f64 = Flag::share("scale").or("0.1").small(1e-4) =>
            "Size over that of the published timeframe: 130 million clusters, 1.9 GB";
        TRACKS: usize = Flag::count("tracks").small(200.0) =>
            "Tracks [default: 1170000 times the scale]";
        MIN_TRACK_CLUSTERS: usize =
            Flag::integer("fewest").label("min clusters per track").or("20") =>
            "Clusters of the shortest tracks";
        MAX_TRACK_CLUSTERS: usize =
            Flag::integer("most").label("max clusters per track").or("160") =>
            "Clusters of the longest tracks";
        ROW_CLUSTERS: usize = Flag::count("row-clusters").label("row clusters").small(2.0) =>
            "Clusters of a row of a sector that are on no track [default: 4570 times the scale]";
    }
}

/// Fills in defaults; a size that was specified overrides the scale.
pub(super) fn complete(params: &mut Params) -> Result<(), DataError> {
    params.complete(AXES);
    let scale = SCALE.value(params)?;
    if !(scale > 0.0 && scale <= MAX_SCALE) {
        return Err(DataError::Shape(format!(
            "--scale {scale} is out of range; use a value above 0, {MAX_SCALE} at most"
        )));
    }
    let scaled = |published: usize| (published as f64 * scale).round().max(1.0).to_string();
    params.set_default(TRACKS.name, &scaled(ClusterShape::PUBLISHED_TRACKS));
    let rows = scaled(ClusterShape::PUBLISHED_ROW_CLUSTERS);
    params.set_default(ROW_CLUSTERS.name, &rows);
    Ok(())
}

/// Maximum scale: beyond it, numbers of clusters need more than 32 bits.
const MAX_SCALE: f64 = 8.0;

/// The shape that parameters describe, with defaults for missing ones.
///
/// # Errors
/// Fails if a value is invalid.
pub fn shape(params: &Params) -> Result<ClusterShape, DataError> {
    let mut params = params.clone();
    complete(&mut params)?;
    Ok(ClusterShape {
        tracks: TRACKS.value(&params)?,
        min_clusters: MIN_TRACK_CLUSTERS.value(&params)?,
        max_clusters: MAX_TRACK_CLUSTERS.value(&params)?,
        row_clusters: ROW_CLUSTERS.value(&params)?,
    })
}

/// Parameters of clusters from a file.
pub(super) fn of_file(path: &Path, input: &Clusters) -> Params {
    let mut params = Params::for_file(path, content(input));
    params.set(TRACKS.name, input.tracks().len().to_string());
    params
}

/// Hash of the content.
fn content(input: &Clusters) -> u64 {
    let starts = input.tracks().starts.iter().map(|&start| start.into());
    let (words, _) = input.bytes().as_chunks();
    let words = words.iter().map(|&word| u64::from_le_bytes(word));
    starts.chain(words).fold(0, |hash, word: u64| mix(hash ^ word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_from_the_scale_unless_specified() {
        let mut params = Params::default();
        params.set("scale", "0.01");
        params.set("tracks", "7");
        let shape = shape(&params).expect("sensible");
        assert_eq!((shape.tracks, shape.row_clusters), (7, 46));
    }

    #[test]
    fn invalid_scales_are_rejected() {
        for scale in ["0", "-1", "NaN", "9"] {
            let mut params = Params::default();
            params.set("scale", scale);
            let error = shape(&params).expect_err(scale).to_string();
            assert!(error.contains("--scale"), "{error}");
        }
    }
}
