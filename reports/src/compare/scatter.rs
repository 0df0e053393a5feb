//! Scatter between runs of the same code, point by point.
//!
//! The scatter of a point is poorly known from a few runs: among many points some look stable by
//! chance. The limits of a variant (caches, memory, arithmetic) are much the same for its other
//! inputs, so the scatter of a point is at least that of the points of its variant together.
//!
//! Without a self-test the scatter is estimated from the runs of a store. The runs of a series are
//! on levels (see [`crate::trend`]): a permanent change is no scatter. A run deviates from the
//! median of its level by its own error and by the scatter between runs, which is estimated here.
//! An outlier is clipped to the range of the others, so that it widens verdicts somewhat instead of
//! making them all inconclusive.

use std::collections::HashMap;

use statistics::{Evidence, Interval, MIN_RUNS, ScatterBetweenRuns, median};

use super::Key;
use super::measured::{Measured, MeasuredPoint};
use crate::aliases::{ALIASES, VERSION};
use crate::grouped::by_key;
use crate::record::{FULL_LEVEL, PointScatter, SummaryRow};
use crate::trend::{self, ShiftLimits};

/// The scatter between runs on a machine.
#[derive(Clone, Debug, PartialEq)]
pub struct RunScatter {
    points: HashMap<Key, ScatterBetweenRuns>,
    variants: HashMap<Variant, ScatterBetweenRuns>,
    /// For unknown points: the scatter of the worst variant.
    worst: ScatterBetweenRuns,
    origin: Origin,
}

/// Origin of the scatter between runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From earlier runs of the same series.
    History,
    /// From dedicated runs.
    SelfTest,
}

/// Number of runs from which on a history is preferred to a self-test: they are of the same points,
/// and of different hours and days.
const ENOUGH: usize = 5;

/// Algorithm, variant, stage, device.
type Variant = [String; 4];

impl RunScatter {
    /// Scatter by the points of a self-test; `None` if no point has any.
    pub fn from_points(scatter: &[PointScatter]) -> Option<Self> {
        Self::with_origin(scatter, Origin::SelfTest)
    }

    /// Scatter by a history with enough runs; else by a self-test; else by the history.
    pub fn best(history: Option<Self>, self_test: Option<Self>) -> Option<Self> {
        match history {
            Some(history) if history.runs() >= ENOUGH => Some(history),
            history => self_test.or(history),
        }
    }

    pub(super) fn with_origin(scatter: &[PointScatter], origin: Origin) -> Option<Self> {
        let sound = |point: &&PointScatter| {
            point.between.is_finite() && point.between >= 0.0 && point.runs >= MIN_RUNS
        };
        let known = scatter.iter().filter(sound).map(|point| {
            (
                key(point),
                ScatterBetweenRuns { deviation: point.between, df: (point.runs - 1) as f64 },
            )
        });
        let points: HashMap<Key, ScatterBetweenRuns> = known.collect();
        let variants = variants(&points);
        let worst = variants.values().copied().reduce(larger)?;
        Some(RunScatter { points, variants, worst, origin })
    }

    /// Origin of the scatter.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Number of runs of the point with the most runs.
    pub fn runs(&self) -> usize {
        let df = self.points.values().map(|between| between.df);
        df.fold(0.0, f64::max) as usize + 1
    }

    /// Scatter between runs of a point.
    pub fn for_key(&self, key: &Key) -> ScatterBetweenRuns {
        let variant = self.variants.get(&variant(key)).copied();
        match (self.points.get(key), variant) {
            (Some(point), Some(variant)) => larger(*point, variant),
            (_, variant) => variant.unwrap_or(self.worst),
        }
    }
}

/// Scatter of each point that all these runs have. Each run comes with the slowdown that was added
/// to all its samples, as a fraction.
pub fn scatter_of(runs: &[(&Measured, f64)]) -> Vec<PointScatter> {
    let mut estimates: HashMap<&Key, Vec<Evidence>> = HashMap::new();
    for (run, slowdown) in runs {
        for point in &run.points {
            let found = estimate(point, *slowdown);
            estimates.entry(&point.key).or_default().extend(found);
        }
    }
    let first = runs.first().map_or(&[][..], |(run, _)| &run.points);
    let scatter = |point: &MeasuredPoint| {
        let found = estimates.get(&point.key)?;
        Some(PointScatter {
            between: ScatterBetweenRuns::from_runs(found)?.deviation,
            runs: found.len(),
            point: point.key.point.clone(),
            stage: point.key.stage.clone(),
        })
    };
    first.iter().filter_map(scatter).collect()
}

/// Estimate of a point without the added slowdown.
fn estimate(point: &MeasuredPoint, slowdown: f64) -> Option<Evidence> {
    let samples = point.samples.as_ref().ok()?;
    let found = samples.quiet.as_ref().unwrap_or(&samples.all).estimate()?;
    Some(found.scaled(1.0 / (1.0 + slowdown)))
}

/// The root of the mean square over the points of each variant, weighted by the number of runs.
fn variants(points: &HashMap<Key, ScatterBetweenRuns>) -> HashMap<Variant, ScatterBetweenRuns> {
    let together = |points: Vec<&ScatterBetweenRuns>| {
        let mean = |of: fn(&ScatterBetweenRuns) -> f64| {
            let weighted = points.iter().map(|point| point.df * of(point));
            weighted.sum::<f64>() / points.iter().map(|point| point.df).sum::<f64>()
        };
        ScatterBetweenRuns {
            deviation: mean(|point| point.deviation.powi(2)).sqrt(),
            // Their runs are the same: more points do not add runs.
            df: mean(|point| point.df),
        }
    };
    let variants = by_key(points.iter().map(|(key, between)| (variant(key), between)));
    variants.into_iter().map(|(variant, points)| (variant, together(points))).collect()
}

fn key(point: &PointScatter) -> Key {
    Key::new(ALIASES.point(point.point.clone(), VERSION), &point.stage)
}

fn variant(key: &Key) -> Variant {
    let point = &key.point;
    [&point.algorithm, &point.variant, &key.stage, &point.device].map(String::clone)
}

fn larger(a: ScatterBetweenRuns, b: ScatterBetweenRuns) -> ScatterBetweenRuns {
    if a.deviation >= b.deviation { a } else { b }
}

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
        let estimates = rows.filter_map(|row| {
            Some((Key::new(row.point(), &row.stage), estimate_from_history(row)?))
        });
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

fn estimate_from_history(row: &SummaryRow) -> Option<RunEstimate> {
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
    use statistics::synthetic::Noise;

    use super::*;
    use crate::charts::fixture::row;

    fn scatter(variant: &str, segments: u32, between: f64) -> PointScatter {
        let point = row(variant, &format!("segments={segments}"), 1.0).point();
        PointScatter { point, stage: "total".into(), between, runs: 9 }
    }

    #[test]
    fn a_point_scatters_no_less_than_its_variant() {
        let points =
            [scatter("bucket", 1, 0.04), scatter("bucket", 2, 0.0), scatter("compare", 1, 0.001)];
        let known = RunScatter::from_points(&points).expect("known");
        let of =
            |variant, segments| known.for_key(&key(&scatter(variant, segments, 0.0))).deviation;
        let bucket = 0.04 / 2.0_f64.sqrt();
        assert_eq!(of("bucket", 1), 0.04);
        assert!((of("bucket", 2) - bucket).abs() < 1e-12);
        assert!((of("bucket", 77) - bucket).abs() < 1e-12, "its variant's");
        assert_eq!(of("compare", 1), 0.001);
        assert!((of("unheard-of", 1) - bucket).abs() < 1e-12, "the worst");
    }

    #[test]
    fn infinite_numbers_are_unknown() {
        assert_eq!(RunScatter::from_points(&[]), None);
        let broken = [scatter("a", 1, f64::NAN), scatter("b", 1, -1.0)];
        assert_eq!(RunScatter::from_points(&broken), None);
        let few = PointScatter { runs: 1, ..scatter("a", 1, 0.1) };
        assert_eq!(RunScatter::from_points(&[few]), None);
    }

    #[test]
    fn a_point_with_few_runs_takes_little_from_its_variant() {
        let few = PointScatter { runs: 3, ..scatter("a", 1, 0.2) };
        let many = PointScatter { runs: 41, ..scatter("a", 2, 0.01) };
        let known = RunScatter::from_points(&[few, many.clone()]).expect("known");
        let found = known.for_key(&key(&many));
        assert!((0.03..0.06).contains(&found.deviation), "{found:?}");
        assert!((35.0..40.0).contains(&found.df), "{found:?}");
    }

    #[test]
    fn history_comes_first_unless_it_is_short() {
        let of = |runs: usize, origin| {
            let point = PointScatter { runs, ..scatter("a", 1, 0.01) };
            RunScatter::with_origin(&[point], origin)
        };
        let test = || of(9, Origin::SelfTest);
        let origin = |history, test| RunScatter::best(history, test).map(|known| known.origin());
        assert_eq!(origin(of(5, Origin::History), test()), Some(Origin::History));
        assert_eq!(origin(of(4, Origin::History), test()), Some(Origin::SelfTest));
        assert_eq!(origin(of(4, Origin::History), None), Some(Origin::History));
        assert_eq!(origin(None, test()), Some(Origin::SelfTest));
        assert_eq!(RunScatter::best(None, None), None);
    }

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
