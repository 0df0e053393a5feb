//! Bandwidth of variants over the measured one: on a GPU that of the link for complete runs, that
//! of the memory for kernels.

use super::{TOTAL, grouped};
use crate::rank::KERNEL;
use crate::record::{Ceiling, SummaryRow};
use crate::shape::{self, Axes, name};

/// Bandwidth of a variant relative to the ceiling for its threads.
#[derive(Clone, Debug, PartialEq)]
pub struct Position {
    /// The variant, with its device if that is not the CPU; or its kernels.
    pub variant: String,
    /// The ceiling.
    pub under: Ceiling,
    /// Threads on the host.
    pub threads: usize,
    /// Number of settings at which it was measured.
    pub settings: usize,
    /// The largest share of the ceiling.
    pub best: f64,
    /// The smallest share of the ceiling.
    pub worst: f64,
    /// Axes at which it was the largest.
    pub at: Axes,
    /// The bandwidth there, in bytes per second.
    pub bytes_per_s: f64,
}

impl Position {
    /// The ceiling in bytes per second.
    pub fn ceiling(&self) -> f64 {
        self.bytes_per_s / self.best
    }
}

/// The positions of all variants and numbers of threads, the best first.
pub fn positions(rows: &[&SummaryRow]) -> Vec<Position> {
    let known = rows.iter().copied().filter(|row| share(row).is_some());
    let groups = grouped(known, |row| (subject(row), row.threads));
    let mut positions: Vec<Position> = groups
        .into_iter()
        .filter_map(|((variant, threads), rows)| position(variant, threads, &rows))
        .collect();
    positions.sort_by(|a, b| b.best.total_cmp(&a.best));
    positions
}

/// `block-merge on cuda:0, kernels`.
fn subject(row: &SummaryRow) -> String {
    match row.stage.as_str() {
        KERNEL => format!("{}, kernels", name(row)),
        _ => name(row),
    }
}

fn share(row: &SummaryRow) -> Option<f64> {
    row.valid_median()?;
    let is_whole = [TOTAL, KERNEL].contains(&row.stage.as_str());
    let share = row.peak_fraction.filter(|_| is_whole && !row.is_in_cache())?;
    (share.is_finite() && share > 0.0).then_some(share)
}

fn position(variant: String, threads: usize, rows: &[&SummaryRow]) -> Option<Position> {
    let shares = || rows.iter().filter_map(|row| Some((share(row)?, *row)));
    let (best, row) = shares().max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Position {
        variant,
        under: row.ceiling(),
        threads,
        settings: rows.len(),
        best,
        worst: shares().map(|(share, _)| share).fold(best, f64::min),
        at: shape::axes(row),
        bytes_per_s: row.bytes_per_s.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::row;
    use super::*;

    #[test]
    fn the_best_setting_stands_for_a_variant() {
        let share = |variant: &str, n: u32, share: f64| SummaryRow {
            peak_fraction: Some(share),
            bytes_per_s: Some(share * 1e10),
            ..row(variant, &format!("n={n}"), 1.0)
        };
        let rows = [share("a", 1, 0.1), share("a", 2, 0.4), share("b", 1, 0.5)];
        let positions = positions(&rows.iter().collect::<Vec<_>>());
        assert_eq!(positions[0].variant, "b");
        assert_eq!((positions[1].best, positions[1].worst), (0.4, 0.1));
        assert_eq!(positions[1].ceiling(), 1e10);
        assert!(positions[1].at.contains(&("n".into(), "2".into())));
    }

    #[test]
    fn kernels_are_compared_with_memory_and_complete_runs_with_the_link() {
        let stage = |stage: &str, share: f64| SummaryRow {
            stage: stage.into(),
            device: "cuda:0".into(),
            peak_fraction: Some(share),
            bytes_per_s: Some(share * 1e12),
            ..row("a", "n=1", 1.0)
        };
        let rows =
            [stage("total", 0.3), stage("kernel", 0.4), stage("h2d", 0.9), stage("sort", 0.8)];
        let positions = positions(&rows.iter().collect::<Vec<_>>());
        let found: Vec<_> =
            positions.iter().map(|position| (position.variant.as_str(), position.under)).collect();
        let kernels = ("a on cuda:0, kernels", Ceiling::Copy);
        assert_eq!(found, [kernels, ("a on cuda:0", Ceiling::Link)]);
    }
}
