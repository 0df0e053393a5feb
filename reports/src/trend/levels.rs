//! The levels of a series: stretches between its change points.

use std::ops::Range;

use serde::Serialize;

use crate::statistics::{Search, median};

/// What counts as a change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// Smaller changes than this don't count, however clear: 0.01 for 1 %.
    pub min_effect: f64,
    /// How change points are looked for.
    pub search: Search,
}

/// A stretch of runs without a change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Level {
    /// Its runs, by their numbers in the series.
    pub runs: Range<usize>,
    /// The median of their medians, in seconds.
    pub median_s: f64,
    /// How often a series without a change would begin a level as clearly as here; the
    /// first level has none.
    pub p_value: Option<f64>,
}

impl Default for Terms {
    fn default() -> Self {
        Terms {
            min_effect: 0.01,
            search: Search::default(),
        }
    }
}

/// The scatter of one run after another, relative to the times, whatever their level.
///
/// From the differences of neighbours, of which a change spoils one. Their median
/// deviation is what a few wild runs don't reach.
pub fn scatter(seconds: &[f64]) -> f64 {
    /// The standard deviation of normal noise over its median deviation.
    const NORMAL: f64 = 1.482_602_218_505_602;
    let differences = seconds
        .windows(2)
        .map(|pair| (pair[1] / pair[0]).ln().abs());
    let differences: Vec<f64> = differences.collect();
    match differences.is_empty() {
        true => 0.0,
        false => NORMAL * median(&differences) / std::f64::consts::SQRT_2,
    }
}

/// The levels of a series of times in seconds, all above 0, and the relative change that
/// is between any two that follow each other.
pub fn levels(seconds: &[f64], terms: &Terms) -> (Vec<Level>, f64) {
    let logarithms: Vec<f64> = seconds.iter().map(|time| time.ln()).collect();
    let changes = terms.search.change_points(&logarithms);
    let begins = changes
        .iter()
        .map(|change| (change.at, Some(change.p_value)));
    let begins: Vec<_> = std::iter::once((0, None)).chain(begins).collect();
    let ends = begins.iter().skip(1).map(|(at, _)| *at);
    let ends = ends.chain([seconds.len()]);
    let threshold = terms.min_effect.max(scatter(seconds));
    let level = |((begin, p_value), end): (&(usize, Option<f64>), usize)| Level {
        runs: *begin..end,
        median_s: median(&seconds[*begin..end]),
        p_value: *p_value,
    };
    let levels = begins.iter().zip(ends).map(level).collect();
    (without_small_steps(levels, seconds, threshold), threshold)
}

/// The same with neighbours put together that differ by less than the threshold, those
/// first that differ least.
fn without_small_steps(mut levels: Vec<Level>, seconds: &[f64], threshold: f64) -> Vec<Level> {
    loop {
        let steps = levels.windows(2).map(|pair| step(&pair[0], &pair[1]));
        let least = steps.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((first, _)) = least.filter(|(_, step)| *step < threshold) else {
            return levels;
        };
        let second = levels.remove(first + 1);
        let joined = &mut levels[first];
        joined.runs.end = second.runs.end;
        joined.median_s = median(&seconds[joined.runs.clone()]);
    }
}

/// How far two levels are apart, relative to the lower one.
fn step(a: &Level, b: &Level) -> f64 {
    (b.median_s / a.median_s).ln().abs().exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::synthetic::Noise;

    fn series(seed: u64, scatter: f64, means: &[(usize, f64)]) -> Vec<f64> {
        let mut noise = Noise::new(seed);
        let of_level = means.iter().flat_map(|(count, mean)| vec![*mean; *count]);
        of_level
            .map(|mean| mean * (scatter * noise.normal()).exp())
            .collect()
    }

    #[test]
    fn the_scatter_does_not_see_levels_and_wild_runs() {
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
        let (levels, threshold) = levels(&seconds, &Terms::default());
        assert_eq!(levels.len(), 2);
        assert_eq!(levels[1].runs, 40..70);
        assert!((levels[1].median_s - 1.1).abs() < 0.01, "{levels:?}");
        assert!((0.01..0.02).contains(&threshold), "{threshold}");
        assert_eq!(levels[0].p_value, None);
    }

    /// Clear, but too small to mind: in quiet series by the minimum effect, in others by
    /// their own scatter.
    #[test]
    fn small_steps_don_t_count() {
        for (scatter, means) in [(0.001, [1.0, 1.005]), (0.05, [1.0, 1.03])] {
            let seconds = series(3, scatter, &means.map(|mean| (200, mean)));
            let logarithms: Vec<f64> = seconds.iter().map(|time| time.ln()).collect();
            assert_eq!(Search::default().change_points(&logarithms).len(), 1);
            assert_eq!(levels(&seconds, &Terms::default()).0.len(), 1);
        }
    }

    #[test]
    fn few_runs_are_one_level() {
        let (levels, _) = levels(&[1.0, 2.0], &Terms::default());
        assert_eq!(levels.len(), 1);
        assert_eq!(levels[0].runs, 0..2);
    }
}
