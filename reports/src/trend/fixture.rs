//! Tracks for tests.

use statistics::synthetic::Noise;

use super::track::{Track, tracks};
use crate::charts::fixture::{row, run};

/// Runs `night-00`, `night-01`, … of a variant, at levels of so many runs each, with a
/// scatter of 1 %; the code changes where a level begins.
pub fn track(variant: &str, means: &[(usize, f64)]) -> Track {
    let (record, mut noise) = (run(), Noise::new(7));
    let of_level = |(level, (count, mean)): (usize, &(usize, f64))| {
        let mut row = row(variant, "n=1", *mean);
        row.fingerprint = format!("code:{level}");
        vec![row; *count]
    };
    let mut rows: Vec<_> = means.iter().enumerate().flat_map(of_level).collect();
    for row in &mut rows {
        let scatter = (0.01 * noise.normal()).exp();
        row.median_s = row.median_s.map(|median| median * scatter);
    }
    let ids: Vec<String> = (0..rows.len()).map(|i| format!("night-{i:02}")).collect();
    let runs = ids.iter().zip(rows.chunks(1));
    tracks(runs.map(|(id, rows)| (id.as_str(), &record, rows))).remove(0)
}
