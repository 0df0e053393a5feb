//! Scatter between runs of the same code, point by point.
//!
//! The scatter of a point is poorly known from a few runs: among many points some look stable by
//! chance. The limits of a variant (caches, memory, arithmetic) are much the same for its other
//! inputs, so the scatter of a point is at least that of the points of its variant together.

use std::collections::HashMap;

use statistics::{Evidence, MIN_RUNS, ScatterBetweenRuns};

use super::comparison::Key;
use super::measured::{Measured, MeasuredPoint};
use crate::aliases::{ALIASES, VERSION};
use crate::grouped::by_key;
use crate::record::PointScatter;

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

#[cfg(test)]
mod tests {
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
}
