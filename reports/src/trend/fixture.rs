//! Histories for tests.

use statistics::synthetic::Noise;

use super::point_history::{PointHistory, point_histories};
use crate::charts::fixture::{row, run};
use crate::record::SummaryRow;

/// Times at levels of these numbers of runs and means, with this scatter.
pub fn series(seed: u64, scatter: f64, means: &[(usize, f64)]) -> Vec<f64> {
    let mut noise = Noise::new(seed);
    let of_level = means.iter().flat_map(|(count, mean)| vec![*mean; *count]);
    of_level.map(|mean| mean * (scatter * noise.normal()).exp()).collect()
}

/// Runs `night-00`, `night-01`, … of a variant, at levels of these numbers of runs and means, with
/// a scatter of 1 %; the code changes at the start of each level.
pub fn history(variant: &str, means: &[(usize, f64)]) -> PointHistory {
    let levels = means.iter().enumerate().flat_map(|(level, (count, _))| vec![level; *count]);
    let row = |(median, level)| SummaryRow {
        fingerprint: format!("code:{level}"),
        ..row(variant, "n=1", median)
    };
    let rows: Vec<_> = series(7, 0.01, means).into_iter().zip(levels).map(row).collect();
    let record = run();
    let ids: Vec<String> = (0..rows.len()).map(|i| format!("night-{i:02}")).collect();
    let runs = ids.iter().zip(rows.chunks(1));
    point_histories(runs.map(|(id, rows)| (id.as_str(), &record, rows))).remove(0)
}
