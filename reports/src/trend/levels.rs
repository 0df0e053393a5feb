//! The levels of a series: segments between its change points.

use std::iter::once;
use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

use statistics::{ChangePoint, Examined, Search, median, without_false_steps};

/// Limits for a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShiftLimits {
    /// Minimum relative size of a change, however significant: 0.01 for 1 %.
    pub min_effect: f64,
    /// Search for change points.
    pub search: Search,
    /// The expected share of false changes among those that are found in all series together.
    pub false_discovery: f64,
}

/// A segment of runs without a change.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Level {
    /// Its runs, by their indices in the series.
    pub runs: Range<usize>,
    /// The median of their medians, in seconds.
    pub median_s: f64,
    /// Probability that a series without a change would have one as significant as at the start of
    /// this level; `None` for the first level.
    pub p_value: Option<f64>,
}

impl Default for ShiftLimits {
    fn default() -> Self {
        ShiftLimits { min_effect: 0.01, search: Search::default(), false_discovery: 0.02 }
    }
}

/// The scatter between consecutive runs, relative to the times, independent of levels.
///
/// It is computed from the differences of neighbours, of which a change affects only one, by their
/// median absolute deviation, which is robust against outliers.
pub fn scatter(seconds: &[f64]) -> f64 {
    /// Ratio of the standard deviation of normal noise to its median absolute deviation.
    const NORMAL: f64 = 1.482_602_218_505_602;
    let differences = seconds.windows(2).map(|pair| (pair[1] / pair[0]).ln().abs());
    let differences: Vec<f64> = differences.collect();
    if differences.is_empty() {
        0.0
    } else {
        NORMAL * median(&differences) / std::f64::consts::SQRT_2
    }
}

/// Levels of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesLevels {
    /// At least one level, the earliest first.
    pub levels: Vec<Level>,
    /// Minimum relative change between consecutive levels.
    pub threshold: f64,
}

/// The levels of each series of times in seconds, all above 0.
///
/// With more series, a change has to be more significant: see [`ShiftLimits::false_discovery`].
pub fn levels(series: &[Vec<f64>], limits: &ShiftLimits) -> Vec<SeriesLevels> {
    let examined = |seconds: &Vec<f64>| {
        let logarithms: Vec<f64> = seconds.iter().map(|time| time.ln()).collect();
        let found = limits.search.examine(&logarithms);
        (logarithms, found)
    };
    let mut found: Vec<(Vec<f64>, Examined)> = series.par_iter().map(examined).collect();
    without_false_steps(&limits.search, &mut found, limits.false_discovery);
    let found = series.iter().zip(&found);
    found.map(|(seconds, (_, found))| between(&found.changes, seconds, limits)).collect()
}

/// The levels between changes, and the minimum change of the series.
fn between(changes: &[ChangePoint], seconds: &[f64], limits: &ShiftLimits) -> SeriesLevels {
    let starts = changes.iter().map(|change| change.at);
    let bounds: Vec<usize> = once(0).chain(starts).chain([seconds.len()]).collect();
    let p_values = once(None).chain(changes.iter().map(|change| Some(change.p_value)));
    let level = |(bounds, p_value): (&[usize], Option<f64>)| {
        let runs = bounds[0]..bounds[1];
        Level { median_s: median(&seconds[runs.clone()]), runs, p_value }
    };
    let levels = bounds.windows(2).zip(p_values).map(level).collect();
    let threshold = limits.min_effect.max(scatter(seconds));
    SeriesLevels { levels: without_small_steps(levels, seconds, threshold), threshold }
}

/// Merges consecutive levels that differ by less than the threshold, the smallest differences
/// first.
fn without_small_steps(mut levels: Vec<Level>, seconds: &[f64], threshold: f64) -> Vec<Level> {
    loop {
        let steps = levels.windows(2).map(|pair| step(&pair[0], &pair[1]));
        let smallest = steps.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((first, _)) = smallest.filter(|(_, step)| *step < threshold) else {
            return levels;
        };
        let second = levels.remove(first + 1);
        let joined = &mut levels[first];
        joined.runs.end = second.runs.end;
        joined.median_s = median(&seconds[joined.runs.clone()]);
    }
}

/// Difference of two levels, relative to the lower one.
fn step(a: &Level, b: &Level) -> f64 {
    (b.median_s / a.median_s).ln().abs().exp_m1()
}

#[cfg(test)]
mod tests {
    use super::super::fixture::series;
    use super::*;
    use statistics::synthetic::Noise;

    fn of_one(seconds: &[f64]) -> SeriesLevels {
        levels(&[seconds.to_vec()], &ShiftLimits::default()).remove(0)
    }

    #[test]
    fn scatter_is_robust_against_levels_and_outliers() {
        let mut seconds = series(1, 0.02, &[(100, 1.0), (100, 3.0)]);
        for at in [10, 50, 150] {
            seconds[at] *= 2.0;
        }
        let found = scatter(&seconds);
        assert!((found / 0.02 - 1.0).abs() < 0.2, "{found}");
        assert_eq!(scatter(&[1.0]), 0.0);
    }

    #[test]
    fn levels_have_their_medians() {
        let seconds = series(2, 0.01, &[(40, 1.0), (30, 1.1)]);
        let SeriesLevels { levels, threshold } = of_one(&seconds);
        assert_eq!(levels.len(), 2);
        assert_eq!(levels[1].runs, 40..70);
        assert!((levels[1].median_s - 1.1).abs() < 0.01, "{levels:?}");
        assert!((0.01..0.02).contains(&threshold), "{threshold}");
        assert_eq!(levels[0].p_value, None);
    }

    /// Significant, but irrelevant: in quiet series by the minimum effect, in others by their own
    /// scatter.
    #[test]
    fn small_steps_don_t_count() {
        for (scatter, means) in [(0.001, [1.0, 1.005]), (0.05, [1.0, 1.03])] {
            let seconds = series(3, scatter, &means.map(|mean| (200, mean)));
            let logarithms: Vec<f64> = seconds.iter().map(|time| time.ln()).collect();
            assert_eq!(Search::default().examine(&logarithms).changes.len(), 1);
            assert_eq!(of_one(&seconds).levels.len(), 1);
        }
    }

    #[test]
    fn few_runs_are_one_level() {
        let levels = of_one(&[1.0, 2.0]).levels;
        assert_eq!(levels.len(), 1);
        assert_eq!(levels[0].runs, 0..2);
    }

    /// The rates of `docs/history.md` for histories of many series, and how long they take.
    #[test]
    #[ignore = "minutes; prints rates for the documents"]
    fn rates() {
        const SERIES: usize = 1000;
        let history = |noise: &mut Noise, heavy: bool, steps: usize, step: f64, after: usize| {
            let series = |index: usize| {
                let runs = 200;
                let value = |run: usize| {
                    let noise = if heavy { noise.heavy() } else { noise.normal() };
                    let step = if index < steps && run >= runs - after { step } else { 0.0 };
                    (0.01 * noise + step).exp()
                };
                (0..runs).map(value).collect::<Vec<f64>>()
            };
            (0..SERIES).map(series).collect::<Vec<_>>()
        };
        let steps = |found: &[SeriesLevels]| found.iter().filter(|it| it.levels.len() > 1).count();
        for heavy in [false, true] {
            let mut noise = Noise::new(99);
            let start = std::time::Instant::now();
            let mut any = 0;
            let mut uncontrolled = 0;
            for _ in 0..20 {
                let series = history(&mut noise, heavy, 0, 0.0, 0);
                any += usize::from(steps(&levels(&series, &ShiftLimits::default())) > 0);
                let all = ShiftLimits { false_discovery: 0.999, ..ShiftLimits::default() };
                uncontrolled += usize::from(steps(&levels(&series, &all)) > 0);
            }
            println!("heavy {heavy}: {any} of 20 histories, {uncontrolled} uncontrolled");
            println!("  {:.2} s each, twice", start.elapsed().as_secs_f64() / 20.0);
            for (step, after, with) in
                [(0.03, 5, 1), (0.03, 5, 50), (0.05, 5, 1), (0.05, 5, 50), (0.02, 10, 50)]
            {
                let mut found = 0;
                let mut wrong = 0;
                let mut all = 0;
                for _ in 0..if with == 1 { 10 } else { 3 } {
                    let series = history(&mut noise, heavy, with, step, after);
                    let levels = levels(&series, &ShiftLimits::default());
                    all += with;
                    let is_right = |found: &&SeriesLevels| {
                        found
                            .levels
                            .iter()
                            .skip(1)
                            .any(|level| level.runs.start.abs_diff(200 - after) <= 2)
                    };
                    found += levels[..with].iter().filter(is_right).count();
                    wrong += steps(&levels[with..]);
                }
                println!("  {step} {after} runs, in {with}: {found} of {all}, false {wrong}");
            }
        }
    }
}
