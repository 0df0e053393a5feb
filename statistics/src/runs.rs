//! Variance between runs of the same code, beyond their own intervals.
//!
//! Effects that are constant during a run (the layout of tables in memory, other users in that
//! minute) are invisible within the run. They are a random effect of the run, and only several runs
//! show its size: the variance of their medians, minus the errors that the runs estimate themselves
//! (the estimate of moments of DerSimonian and Laird 1986, with equal weights as in Hedges and
//! Olkin 1985; Kalibera and Jones 2013 do so for benchmarks).

use super::evidence::Evidence;

/// Minimum number of runs for an estimate.
pub const MIN_RUNS: usize = 3;
/// Differences between runs have heavier tails than normal noise, and no number of quiet nightly
/// runs shows how heavy: the estimate counts as one from nine runs at most.
const MAX_DF_OF_RUNS: f64 = 8.0;

/// The scatter between runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScatterBetweenRuns {
    /// The standard deviation of the logarithm of a run's time: 0.03 if runs
    /// scatter by 3 %.
    pub deviation: f64,
    /// The degrees of freedom that this was found with.
    pub df: f64,
}

impl ScatterBetweenRuns {
    /// Estimates the variance from runs of the same code; `None` for fewer than [`MIN_RUNS`].
    pub fn from_runs(runs: &[Evidence]) -> Option<Self> {
        if runs.len() < MIN_RUNS {
            return None;
        }
        let n = runs.len() as f64;
        let mean = runs.iter().map(|run| run.centre).sum::<f64>() / n;
        let squares: f64 = runs.iter().map(|run| (run.centre - mean).powi(2)).sum();
        let within = runs.iter().map(|run| run.variance).sum::<f64>() / n;
        let variance = (squares / (n - 1.0) - within).max(0.0);
        Some(ScatterBetweenRuns { deviation: variance.sqrt(), df: n - 1.0 })
    }

    /// Standard deviation of the logarithm of the ratio of two runs.
    pub fn of_two(self) -> f64 {
        std::f64::consts::SQRT_2 * self.deviation
    }
}

impl Evidence {
    /// Adds the variance between two runs beyond their own errors.
    #[must_use]
    pub fn between_runs(self, between: ScatterBetweenRuns) -> Self {
        self.with_further(between.of_two().powi(2), between.df.min(MAX_DF_OF_RUNS))
    }
}

#[cfg(test)]
mod tests {
    use super::super::synthetic::Noise;
    use super::*;

    fn runs(seed: u64, n: usize, between: f64, within: f64) -> Vec<Evidence> {
        let mut noise = Noise::new(seed);
        let mut value = || between * noise.normal() + within * noise.normal();
        let run = |_| Evidence { centre: value(), variance: within * within, df: 10.0 };
        (0..n).map(run).collect()
    }

    #[test]
    fn it_is_what_the_errors_of_the_runs_do_not_explain() {
        let mean_square = |between, within| {
            let found = (0..500)
                .filter_map(|seed| ScatterBetweenRuns::from_runs(&runs(seed, 9, between, within)));
            let squares: Vec<_> = found.map(|found| found.deviation.powi(2)).collect();
            (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
        };
        let found = mean_square(0.03, 0.01);
        assert!((found / 0.03 - 1.0).abs() < 0.05, "{found}");
        // Negative estimates count as 0, so the mean is a little above it.
        let nothing = mean_square(0.0, 0.01);
        assert!(nothing < 0.006, "{nothing}");
    }

    #[test]
    fn few_runs_give_no_estimate() {
        assert_eq!(ScatterBetweenRuns::from_runs(&runs(1, 2, 0.1, 0.1)), None);
        let three = ScatterBetweenRuns::from_runs(&runs(1, 3, 0.1, 0.1)).expect("enough");
        assert_eq!(three.df, 2.0);
    }

    /// Nine runs estimate the scatter, two further ones are compared: the false-positive rate is as
    /// promised. Tails so heavy that they have no fourth moment cost a factor, not the control of
    /// errors.
    #[test]
    fn runs_of_the_same_code_rarely_differ_by_more() {
        let alarms = |heavy: bool| {
            let alarm = |seed: &u64| {
                let mut noise = Noise::new(*seed);
                let mut value = || 0.03 * if heavy { noise.heavy() } else { noise.normal() };
                let mut run = |_| Evidence { centre: value(), variance: 0.0, df: 10.0 };
                let known: Vec<_> = (0..9).map(&mut run).collect();
                let between = ScatterBetweenRuns::from_runs(&known).expect("enough");
                let difference = run(0).centre - run(1).centre;
                let alone = Evidence { centre: difference, variance: 0.0, df: 30.0 };
                alone.between_runs(between).p_value(0.0) < 0.01
            };
            (0..4000).filter(alarm).count() as f64 / 4000.0
        };
        let normal = alarms(false);
        let heavy = alarms(true);
        assert!((0.004..0.016).contains(&normal), "{normal}");
        assert!(heavy < 0.04, "{heavy}");
    }
}
