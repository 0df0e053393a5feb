//! Scatter between runs of the same code, from the runs of a store.
//!
//! The runs of a series are on levels (see [`crate::trend`]): a permanent change is no scatter. A
//! run deviates from the median of its level by its own error and by the scatter between runs,
//! which is estimated here. An outlier is clipped to the range of the others, so that it widens
//! verdicts somewhat instead of making them all inconclusive.

use statistics::{Interval, MIN_RUNS, median};

use super::comparison::Key;
use super::scatter::{Origin, RunScatter};
use crate::grouped::by_key;
use crate::record::{FULL_LEVEL, PointScatter, SummaryRow};
use crate::trend::{self, ShiftLimits};

/// Number of recent runs that are used: machines age.
const LAST: usize = 60;
/// Deviations are clipped to this multiple of the median one.
const FARTHEST: f64 = 5.0;
/// Ratio of the standard deviation of normal noise to its median absolute deviation.
const NORMAL: f64 = 1.482_602_218_505_602;

/// Estimate of a point in one run.
#[derive(Clone, Copy)]
struct RunEstimate {
    seconds: f64,
    /// The squared standard error of its logarithm, as estimated by the run itself.
    variance: f64,
}

impl RunScatter {
    /// Scatter between the earlier runs of one series, in their order; `None` if no point has
    /// enough. Runs of other machines must not be among them.
    pub fn from_history<'a>(runs: impl IntoIterator<Item = &'a [SummaryRow]>) -> Option<Self> {
        let rows = runs.into_iter().flatten();
        let estimates =
            rows.filter_map(|row| Some((Key::new(row.point(), &row.stage), estimate(row)?)));
        let mut points = by_key(estimates);
        for (_, estimates) in &mut points {
            estimates.drain(..estimates.len().saturating_sub(LAST));
        }
        let times =
            |estimates: &[RunEstimate]| estimates.iter().map(|estimate| estimate.seconds).collect();
        let series: Vec<Vec<f64>> = points.iter().map(|(_, estimates)| times(estimates)).collect();
        let levels = trend::levels(&series, &ShiftLimits::default());
        let scatter = points.into_iter().zip(levels).filter_map(|((key, estimates), found)| {
            let levels = found.levels.iter().map(|level| &estimates[level.runs.clone()]);
            point(key, &levels.collect::<Vec<_>>())
        });
        Self::with_origin(&scatter.collect::<Vec<_>>(), Origin::History)
    }
}

fn estimate(row: &SummaryRow) -> Option<RunEstimate> {
    let seconds = row.valid_median()?;
    let is_whole = row.interval_level() >= FULL_LEVEL;
    let ends = row.ci95_low_s.zip(row.ci95_high_s).filter(|_| is_whole);
    let error = ends.map(|(low, high)| Interval { low, high }.standard_error());
    let error = error.filter(|error| error.is_finite());
    // An unknown error of a run counts as scatter between runs.
    Some(RunEstimate { seconds, variance: error.map_or(0.0, |error| error.powi(2)) })
}

/// Scatter by the deviations of the runs from the medians of their levels.
fn point(key: Key, levels: &[&[RunEstimate]]) -> Option<PointScatter> {
    let deviations: Vec<f64> = levels.iter().copied().flat_map(deviations).collect();
    let runs = (deviations.len() + 1).checked_sub(levels.len())?;
    if runs < MIN_RUNS {
        return None;
    }
    let sizes: Vec<f64> = deviations.iter().map(|deviation| deviation.abs()).collect();
    let farthest = FARTHEST * NORMAL * median(&sizes);
    let squares =
        sizes.iter().map(|size| if farthest > 0.0 { size.min(farthest) } else { *size }.powi(2));
    let df = (runs - 1) as f64;
    let estimates = levels.iter().copied().flatten();
    let within = estimates.map(|estimate| estimate.variance).sum::<f64>() / deviations.len() as f64;
    Some(PointScatter {
        point: key.point,
        stage: key.stage,
        between: (squares.sum::<f64>() / df - within).max(0.0).sqrt(),
        runs,
    })
}

fn deviations(level: &[RunEstimate]) -> Vec<f64> {
    let times: Vec<f64> = level.iter().map(|estimate| estimate.seconds).collect();
    let middle = median(&times);
    times.iter().map(|time| (time / middle).ln()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixture::row;
    use statistics::synthetic::Noise;

    /// Standard errors on either side of a 95 % interval.
    const WITHIN: f64 = 1.96;

    /// Runs whose means scatter by `between`; each knows its own error `within`.
    fn history(means: &[f64], between: f64, within: f64) -> Vec<Vec<SummaryRow>> {
        let mut noise = Noise::new(11);
        let mut row = |mean: &f64| {
            let median = mean * (between * noise.normal() + within * noise.normal()).exp();
            SummaryRow {
                ci95_low_s: Some(median * (-WITHIN * within).exp()),
                ci95_high_s: Some(median * (WITHIN * within).exp()),
                ..row("a", "n=1", median)
            }
        };
        means.iter().map(|mean| vec![row(mean)]).collect()
    }

    fn deviation(history: &[Vec<SummaryRow>]) -> Option<(f64, f64)> {
        let scatter = RunScatter::from_history(history.iter().map(Vec::as_slice))?;
        let key = Key::new(history[0][0].point(), "total");
        Some((scatter.for_key(&key).deviation, scatter.for_key(&key).df))
    }

    #[test]
    fn scatter_excludes_the_error_of_single_runs() {
        let (found, df) = deviation(&history(&[1.0; 50], 0.02, 0.01)).expect("known");
        assert!((found / 0.02 - 1.0).abs() < 0.25, "{found}");
        assert_eq!(df, 49.0);
        let (nothing, _) = deviation(&history(&[1.0; 50], 0.0, 0.01)).expect("known");
        assert!(nothing < 0.006, "{nothing}");
    }

    #[test]
    fn permanent_changes_are_no_scatter() {
        let means = [vec![1.0; 25], vec![1.3; 25]].concat();
        let (found, df) = deviation(&history(&means, 0.02, 0.002)).expect("known");
        assert!((found / 0.02 - 1.0).abs() < 0.3, "{found}");
        assert_eq!(df, 48.0);
    }

    #[test]
    fn an_outlier_widens_intervals_only_somewhat() {
        let mut means = vec![1.0; 20];
        means[7] = 2.0;
        let (found, _) = deviation(&history(&means, 0.01, 0.001)).expect("known");
        assert!((0.01..0.03).contains(&found), "{found}");
    }

    #[test]
    fn few_runs_and_old_runs_give_no_scatter() {
        assert_eq!(deviation(&history(&[1.0, 1.0], 0.02, 0.01)), None);
        assert_eq!(deviation(&history(&[1.0; 3], 0.02, 0.01)).map(|(_, df)| df), Some(2.0));
        assert_eq!(deviation(&history(&[1.0; 90], 0.02, 0.01)).map(|(_, df)| df), Some(59.0));
    }

    #[test]
    fn the_range_of_a_few_samples_is_no_interval() {
        let mut few = history(&[1.0; 40], 0.0, 0.02);
        for rows in &mut few {
            rows[0].metrics = "interval_level=0.88".parse().expect("well formed");
        }
        let (found, _) = deviation(&few).expect("known");
        assert!((found / 0.02 - 1.0).abs() < 0.3, "{found}");
    }
}
