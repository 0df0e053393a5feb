//! Whole runs, one after the other: how often is a difference called a change?
//!
//! What runs of the same code differ by is a part of the judgement, and it is
//! these runs that tell it. So that nobody is judged by himself, each pair is
//! judged by the scatter of all runs but these two.

use reports::compare::{Measured, RunScatter, Terms, compare, scatter_of};
use reports::record::Trial;

use super::{count, trials};
use crate::failure::Failure;

/// A run of all points.
pub(super) struct WholeRun {
    pub(super) measured: Measured,
    /// What each sample was slowed down by, as a fraction.
    pub(super) slowdown: f64,
}

/// Judges every run by every one that was not slowed down; two of those once.
pub(super) fn judge(runs: &[WholeRun]) -> Result<Vec<Trial>, Failure> {
    let mut trials = trials();
    for (base, new) in pairs(runs) {
        let terms = Terms {
            scatter: RunScatter::of_points(&scatter_of(&others(runs, [base, new]))),
            ..Terms::default()
        };
        let comparison = compare(&runs[base].measured, &runs[new].measured, &terms)?;
        count(&mut trials, runs[new].slowdown, &comparison);
    }
    Ok(trials)
}

/// Base and new run, by their numbers.
fn pairs(runs: &[WholeRun]) -> impl Iterator<Item = (usize, usize)> {
    let plain = |run: usize| runs[run].slowdown == 0.0;
    let all = (0..runs.len()).flat_map(move |base| (0..runs.len()).map(move |new| (base, new)));
    all.filter(move |&(base, new)| plain(base) && (base < new || !plain(new)))
}

fn others(runs: &[WholeRun], pair: [usize; 2]) -> Vec<(&Measured, f64)> {
    let numbered = runs.iter().enumerate();
    let others = numbered.filter(|(number, _)| !pair.contains(number));
    others
        .map(|(_, run)| (&run.measured, run.slowdown))
        .collect()
}
