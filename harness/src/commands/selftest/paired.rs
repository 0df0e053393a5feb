//! Self-test of paired runs: the same executable on both sides, by the engine of
//! `bench run --against`.
//!
//! Each repetition is two comparisons of all points: one without any difference, in which
//! every alarm is false, and one in which each point is slowed down by one of several
//! known amounts.

use std::time::Instant;

use reports::clock::now;
use reports::compare::{CompareOptions, Comparison, Thresholds};
use reports::record::{Point, Trial};

use super::super::compare::judged;
use super::count;
use super::repeated_runs::{Abort, RepeatedRuns};
use crate::measure::Start;
use crate::paired::{self, Against, Executable, SidePlugins, points};

/// Slowdowns, assigned to points in rotation.
const SLOWDOWNS: [f64; 5] = [0.01, 0.02, 0.03, 0.05, 0.10];

/// One for each slowdown, none first.
pub(super) fn trials() -> Vec<Trial> {
    let slowed = SLOWDOWNS.into_iter().map(Trial::new);
    std::iter::once(Trial::new(0.0)).chain(slowed).collect()
}

/// Measures and judges a repetition.
pub(super) fn repeat(
    repeated: &RepeatedRuns<'_>,
    repetition: usize,
    trials: &mut [Trial],
) -> Result<(), Abort> {
    repeated.log("paired runs: both sides equal");
    let still = compared(repeated, &format!("same-{repetition}"), &|_| 0.0)?;
    count_all(trials, &still, &|_| 0.0);
    repeated.log("paired runs: points slowed down by 1 to 10 %");
    let order = order(repeated);
    let slowdown = |point: &Point| slowdown_of(&order, repetition, point);
    let slowed = compared(repeated, &format!("slowed-{repetition}"), &slowdown)?;
    count_all(trials, &slowed, &slowdown);
    Ok(())
}

/// All points, in a fixed order.
fn order(repeated: &RepeatedRuns<'_>) -> Vec<String> {
    let mut ids: Vec<_> = repeated.points().map(|point| point.id()).collect();
    ids.sort();
    ids
}

/// Each point gets another slowdown in each repetition.
fn slowdown_of(order: &[String], repetition: usize, point: &Point) -> f64 {
    let index = order.binary_search(&point.id()).expect("the order has all points");
    SLOWDOWNS[(index + repetition) % SLOWDOWNS.len()]
}

fn compared(
    repeated: &RepeatedRuns<'_>,
    name: &str,
    slowdown: &dyn Fn(&Point) -> f64,
) -> Result<Comparison, Abort> {
    let mut record = repeated.record();
    record.pair = Some(format!("{}-{name}", now()));
    let plugins = SidePlugins::from_files(repeated.plugins.clone(), record.plugins.clone());
    let order = Against {
        base: Executable::this_process("the same build")?,
        base_plugins: plugins.clone(),
        new: Executable::this_process("this build")?,
        new_plugins: plugins,
        // Variants whose trial failed have ended the self-test before.
        refused: Vec::new(),
        inputs: points::of_jobs(&repeated.jobs()),
        slowdown,
        record,
        out: repeated.folder.join("in-turn").join(name),
        start: Start::New,
        thresholds: Thresholds::default(),
        started: Instant::now(),
        budget: None,
        quiet: true,
    };
    let outcome = paired::measure(&order, repeated.interrupt)?;
    if let Some(failure) = outcome.failure {
        return Err(failure.into());
    }
    if outcome.interrupted {
        return Err(Abort::Interrupted);
    }
    Ok(judged(&outcome.base, &outcome.folder, &CompareOptions::default())?)
}

/// Adds the verdicts of the points with each slowdown.
fn count_all(trials: &mut [Trial], comparison: &Comparison, slowdown: &dyn Fn(&Point) -> f64) {
    for trial in trials {
        let known = trial.slowdown;
        let points = comparison
            .points
            .iter()
            .filter(|point| point.key.stage == "total" && slowdown(&point.key.point) == known);
        count(trial, points);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_has_every_slowdown_once() {
        let point = |variant: &str| Point {
            algorithm: "sort".into(),
            variant: variant.into(),
            device: "cpu".into(),
            threads: 1,
            cpu_sets: "none".into(),
            bind: "false".into(),
            cache: "hot".into(),
            params: Default::default(),
        };
        let points = ["a", "b", "c"].map(point);
        let mut order: Vec<_> = points.iter().map(Point::id).collect();
        order.sort();
        for point in &points {
            let all = (0..SLOWDOWNS.len()).map(|repetition| slowdown_of(&order, repetition, point));
            let mut all: Vec<_> = all.collect();
            all.sort_by(f64::total_cmp);
            assert_eq!(all, SLOWDOWNS);
        }
        let first = points.each_ref().map(|point| slowdown_of(&order, 0, point));
        assert!(first.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
