//! A name for all points of a suite: shards of the same suite have the same.

use sha2::{Digest, Sha256};

use super::Part;
use super::settings::Settings;

/// A hash of all points with their seeds and sampling, whatever their order.
pub(super) fn of_points(parts: &[Part]) -> String {
    let mut lines = Vec::new();
    for part in parts {
        let Settings {
            seed,
            samples,
            max_time,
            precision,
            ..
        } = &part.settings;
        let (min, max, time) = (samples.min, samples.max, max_time.as_nanos());
        let sampling = format!("{seed} {min}..{max} {time} {precision}");
        lines.extend(
            part.points()
                .map(|point| format!("{} {sampling}\n", point.id())),
        );
    }
    lines.sort_unstable();
    let hash = Sha256::digest(lines.concat());
    hash[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}
