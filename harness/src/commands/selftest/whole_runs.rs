//! Self-test of separate runs: rate of differences that are reported as changes.
//!
//! Verdicts use the variance between runs of the same code, which these runs give. Each pair is
//! judged with the variance of all other runs, so that no run is judged by itself.

use reports::compare::{CompareOptions, Measured, RunScatter, compare, scatter_of};
use reports::record::Trial;

use super::count;
use super::repeated_runs::{Abort, RepeatedRuns};
use crate::failure::Failure;

/// Slowdowns of the runs after the first: changes to detect, each followed by a run without
/// slowdown.
pub(super) const SLOWDOWNS: [f64; 8] = [0.01, 0.0, 0.02, 0.0, 0.05, 0.0, 0.10, 0.0];

/// A run of all points.
pub(super) struct WholeRun {
    measured: Measured,
    /// Slowdown of each sample, as a fraction.
    slowdown: f64,
}

impl WholeRun {
    /// Measures the run with index `index` of `last` runs.
    pub(super) fn measure(
        repeated: &RepeatedRuns<'_>,
        index: usize,
        last: usize,
        slowdown: f64,
    ) -> Result<Self, Abort> {
        let name = format!("run-{index}");
        repeated.log(&format!("{name} of {last}, {} % slower", 100.0 * slowdown));
        Ok(WholeRun { measured: repeated.whole(&name, slowdown)?, slowdown })
    }

    /// Returns the slowed-down run and its slowdown.
    pub(super) fn slowed(&self) -> (&Measured, f64) {
        (&self.measured, self.slowdown)
    }
}

/// Compares every run with every run without slowdown; pairs of the latter once. Returns no trials
/// without runs.
pub(super) fn judge(runs: &[WholeRun]) -> Result<Vec<Trial>, Failure> {
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    let mut trials = trials();
    for (base, new) in pairs(runs) {
        let options = CompareOptions {
            scatter: RunScatter::from_points(&scatter_of(&others(runs, [base, new]))),
            ..CompareOptions::default()
        };
        let comparison = compare(&runs[base].measured, &runs[new].measured, &options)?;
        let slowdown = runs[new].slowdown;
        for trial in trials.iter_mut().filter(|it| it.slowdown == slowdown) {
            count(trial, comparison.points.iter());
        }
    }
    Ok(trials)
}

/// One for each slowdown, none first.
fn trials() -> Vec<Trial> {
    let mut slowdowns = SLOWDOWNS.to_vec();
    slowdowns.sort_by(f64::total_cmp);
    slowdowns.dedup();
    slowdowns.into_iter().map(Trial::new).collect()
}

/// Returns the indices of base and new run of each pair.
fn pairs(runs: &[WholeRun]) -> impl Iterator<Item = (usize, usize)> {
    let plain = |run: usize| runs[run].slowdown == 0.0;
    let all = (0..runs.len()).flat_map(move |base| (0..runs.len()).map(move |new| (base, new)));
    all.filter(move |&(base, new)| plain(base) && (base < new || !plain(new)))
}

fn others(runs: &[WholeRun], pair: [usize; 2]) -> Vec<(&Measured, f64)> {
    let numbered = runs.iter().enumerate();
    let others = numbered.filter(|(index, _)| !pair.contains(index));
    others.map(|(_, run)| run.slowed()).collect()
}
