//! What the interval of a ratio says of further questions.
//!
//! An interval of 95 % answers one: can this value be excluded, one time in twenty wrongly?
//! Who asks it of hundreds of points needs the p-value, and who got no answer wants to know
//! which change would have been found. Both follow from the interval's centre, its width and
//! the degrees of freedom behind that, by Student's t.

use super::between::Between;
use super::interval::Interval;
use super::student::{p_value, t95};

/// With so many degrees of freedom, t is normal.
pub const MANY: f64 = 1e4;
/// What runs differ by has heavier tails than normal noise, and no number of quiet nights tells
/// how heavy: it counts as found by nine runs at most.
const MOST_OF_RUNS: f64 = 8.0;
/// A change that is there is found with this probability: the usual 80 %.
const POWER: f64 = 0.8;
/// Halvings of the span that a quantile is sought in: to 1e-7 of it.
const HALVINGS: usize = 24;

/// The logarithm of a ratio with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    centre: f64,
    error: f64,
    df: f64,
}

impl Evidence {
    /// Of a 95 % interval of a ratio that was found with so many degrees of freedom; `None`
    /// if it is none of positive numbers.
    pub fn of(interval: Interval, df: f64) -> Option<Self> {
        let (low, high) = (interval.low.ln(), interval.high.ln());
        let df = df.clamp(1.0, MANY);
        (low.is_finite() && high.is_finite() && low <= high).then(|| Evidence {
            centre: f64::midpoint(low, high),
            error: (high - low) / (2.0 * t95(df)),
            df,
        })
    }

    /// With what the two runs differ by beyond their own errors. The degrees of freedom are
    /// those of the sum of both variances (Satterthwaite 1946).
    #[must_use]
    pub fn between_runs(self, between: Between) -> Self {
        let (own, runs) = (self.error.powi(2), between.of_two().powi(2));
        let parts = own.powi(2) / self.df + runs.powi(2) / between.df.min(MOST_OF_RUNS);
        Evidence {
            centre: self.centre,
            error: (own + runs).sqrt(),
            df: if parts > 0.0 { ((own + runs).powi(2) / parts).min(MANY) } else { self.df },
        }
    }

    /// The 95 % interval of the ratio.
    pub fn interval(self) -> Interval {
        let half = t95(self.df) * self.error;
        Interval { low: (self.centre - half).exp(), high: (self.centre + half).exp() }
    }

    /// The degrees of freedom.
    pub fn df(self) -> f64 {
        self.df
    }

    /// The p-value of "the ratio lies within this factor of 1, either way", given as its
    /// logarithm: twice that of the side on which the ratio is. It is below 5 % exactly if
    /// the interval is beyond the limit.
    pub fn p_value(self, limit: f64) -> f64 {
        let beyond = self.centre.abs() - limit;
        match beyond > 0.0 {
            true if self.error > 0.0 => p_value(beyond / self.error, self.df),
            true => 0.0,
            false => 1.0,
        }
    }

    /// The smallest change, as a fraction, that would have been found four times in five,
    /// where p-values of "within the limit" have to be at most `p`.
    pub fn detectable(self, limit: f64, p: f64) -> f64 {
        // One side of t for the power is two sides of twice its tail.
        let needed = quantile(p, self.df) + quantile(2.0 * (1.0 - POWER), self.df);
        (limit + needed * self.error).exp_m1()
    }
}

/// So many standard errors are exceeded, either way, with this probability.
fn quantile(p: f64, df: f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0);
    while p_value(high, df) > p && high < 1e9 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        match p_value(middle, df) > p {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::super::synthetic::Noise;
    use super::*;

    fn evidence(low: f64, high: f64, df: f64) -> Evidence {
        Evidence::of(Interval { low, high }, df).expect("positive")
    }

    #[test]
    fn the_p_value_is_that_of_the_interval() {
        for df in [2.0, 4.5, 20.0, 1e9] {
            let found = evidence(1.02, 1.06, df);
            let interval = found.interval();
            assert!((interval.low - 1.02).abs() < 1e-9 && (interval.high - 1.06).abs() < 1e-9);
            let at_end = found.p_value(1.02_f64.ln());
            assert!((at_end / 0.05 - 1.0).abs() < 0.01, "{df}: {at_end}");
            assert!(found.p_value(0.0) < at_end && found.p_value(0.05) > at_end);
        }
        // Half as fast and twice as fast are alike.
        let (there, back) = (evidence(1.1, 1.2, 9.0), evidence(1.0 / 1.2, 1.0 / 1.1, 9.0));
        assert!((there.p_value(0.01) / back.p_value(0.01) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_does_not_scatter_is_certain() {
        assert_eq!(evidence(1.1, 1.1, 5.0).p_value(0.01), 0.0);
        assert_eq!(evidence(1.0, 1.0, 5.0).p_value(0.01), 1.0);
        assert!((evidence(1.0, 1.0, 5.0).detectable(0.01, 0.05) - 0.01_f64.exp_m1()).abs() < 1e-12);
    }

    #[test]
    fn what_is_no_interval_of_a_ratio_says_nothing() {
        for (low, high) in
            [(0.0, 1.0), (-1.0, 1.0), (1.0, f64::NAN), (1.2, 1.1), (1.0, f64::INFINITY)]
        {
            assert_eq!(Evidence::of(Interval { low, high }, 5.0), None);
        }
    }

    #[test]
    fn runs_that_differ_add_their_variances() {
        let between = |deviation| Between { deviation, df: 8.0 };
        let alone = evidence(0.9999, 1.0001, 1e9).between_runs(between(0.02));
        let half = alone.interval().high.ln();
        assert!((half / (2.306 * 0.02 * 2.0_f64.sqrt()) - 1.0).abs() < 0.01, "{half}");
        assert!((alone.df() - 8.0).abs() < 0.01);
        let many = Between { deviation: 0.02, df: 59.0 };
        let found = evidence(0.9999, 1.0001, 1e9).between_runs(many);
        assert!((found.df() - 8.0).abs() < 0.01, "{found:?}");
        // Both alike: more degrees of freedom than either, as of two samples.
        let own = evidence(0.95, 1.0 / 0.95, 8.0);
        let runs = between(own.error / 2.0_f64.sqrt());
        let both = own.between_runs(runs);
        assert!((both.df() - 16.0).abs() < 1e-6, "{both:?}");
        assert!((both.error / own.error - 2.0_f64.sqrt()).abs() < 1e-9);
        assert_eq!(own.between_runs(between(0.0)).interval(), own.interval());
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (p, df, t) in
            [(0.05, 8.0, 2.306), (0.01, 8.0, 3.355), (0.4, 1e4, 0.8416), (1e-4, 20.0, 4.838)]
        {
            let found = quantile(p, df);
            assert!((found / t - 1.0).abs() < 2e-3, "{p} {df}: {found}");
        }
    }

    /// What is said to be found four times in five is.
    #[test]
    fn the_smallest_change_that_would_be_found_is_found_as_often_as_it_says() {
        let (error, df, limit, p) = (0.01, 9_usize, 0.01, 1e-3);
        let half = t95(df as f64) * error;
        let typical = Evidence::of(Interval { low: (-half).exp(), high: half.exp() }, df as f64);
        let change = typical.expect("positive").detectable(limit, p).ln_1p();
        let found = |seed: &u64| {
            let mut noise = Noise::new(*seed);
            let values: Vec<f64> = (0..=df).map(|_| change + error * noise.normal()).collect();
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            // One value has the error of the typical one: its scatter is what is estimated.
            let half = t95(df as f64) * (squares / (n - 1.0)).sqrt();
            let centre = values[0];
            let interval = Interval { low: (centre - half).exp(), high: (centre + half).exp() };
            Evidence::of(interval, df as f64).is_some_and(|found| found.p_value(limit) <= p)
        };
        let share = (0..4000).filter(found).count() as f64 / 4000.0;
        assert!((0.72..0.88).contains(&share), "{share}");
    }
}
