//! The logarithm of a time or of a ratio, with its error.
//!
//! An interval of 95 % answers one question: can this value be excluded, with an error in one of
//! twenty cases? A comparison of hundreds of points needs the p-value, and an inconclusive result
//! needs the change that would have been detected. All of that follows from the centre, its
//! standard error and its degrees of freedom, by Student's t.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::description::sorted;
use super::interval::Interval;

/// With this many degrees of freedom, t is normal.
pub const MANY: f64 = 1e4;
/// A change that is there is found with this probability: the usual 80 %.
const POWER: f64 = 0.8;

/// A logarithm with its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// The logarithm.
    pub(super) centre: f64,
    /// Its squared standard error.
    pub(super) variance: f64,
    /// The degrees of freedom.
    pub(super) df: f64,
}

impl Evidence {
    /// Converts a 95 % interval of a ratio with `df` degrees of freedom; `None` unless it has
    /// positive numbers.
    pub fn from_interval(interval: Interval, df: f64) -> Option<Self> {
        let low = interval.low.ln();
        let high = interval.high.ln();
        let df = df.clamp(1.0, MANY);
        (low.is_finite() && high.is_finite() && low <= high).then(|| Evidence {
            centre: f64::midpoint(low, high),
            variance: ((high - low) / (2.0 * t95(df))).powi(2),
            df,
        })
    }

    /// The mean of logarithms, each of which counts alike, with a share trimmed at either
    /// end: a single odd one must not hide a change, nor make one. The standard error is from
    /// the winsorized variance (Tukey and McLaughlin 1963; Yuen 1974 for two series). `None`
    /// for fewer than two, or if one is not finite.
    pub(super) fn from_logarithms(logarithms: &[f64], trimmed: f64) -> Option<Self> {
        let n = logarithms.len();
        if n < 2 || logarithms.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let values = sorted(logarithms);
        let cut = (trimmed * n as f64) as usize;
        let low = values[cut];
        let high = values[n - 1 - cut];
        let winsorized = values.iter().map(|value| value.clamp(low, high));
        let mean = winsorized.clone().sum::<f64>() / n as f64;
        let squares: f64 = winsorized.map(|value| (value - mean).powi(2)).sum();
        let used = (n - 2 * cut) as f64;
        Some(Evidence {
            centre: values[cut..n - cut].iter().sum::<f64>() / used,
            variance: squares / (used * (used - 1.0)),
            df: used - 1.0,
        })
    }

    /// Evidence of a value that is larger by an exactly known factor.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Evidence { centre: self.centre + factor.ln(), ..self }
    }

    /// The ratio of this to another (Welch 1947).
    #[must_use]
    pub(super) fn over(self, base: Evidence) -> Self {
        let centre = self.centre - base.centre;
        Evidence { centre, ..self }.with_further(base.variance, base.df)
    }

    /// Adds an independent error. The degrees of freedom are those of the sum of both variances
    /// (Satterthwaite 1946).
    pub(super) fn with_further(self, variance: f64, df: f64) -> Self {
        let sum = self.variance + variance;
        let parts = self.variance.powi(2) / self.df + variance.powi(2) / df;
        let of_sum = if parts > 0.0 { sum.powi(2) / parts } else { self.df + df };
        Evidence { variance: sum, df: of_sum.min(MANY), ..self }
    }

    /// The degrees of freedom.
    pub fn df(self) -> f64 {
        self.df
    }

    /// The 95 % interval of the value, not of its logarithm.
    pub fn interval(self) -> Interval {
        self.interval_of(0.05)
    }

    /// An interval with this error probability, of the value and not of its logarithm.
    pub(super) fn interval_of(self, error: f64) -> Interval {
        let half = quantile(error, self.df) * self.variance.sqrt();
        Interval { low: (self.centre - half).exp(), high: (self.centre + half).exp() }
    }

    /// The p-value of "the ratio lies within this factor of 1 on either side", given as its
    /// logarithm: twice that of the side on which the ratio is. It is below 5 % exactly if the
    /// interval is beyond the limit.
    pub fn p_value(self, limit: f64) -> f64 {
        let beyond = self.centre.abs() - limit;
        if beyond <= 0.0 {
            1.0
        } else if self.variance == 0.0 {
            0.0
        } else {
            p_value(beyond / self.variance.sqrt(), self.df)
        }
    }

    /// The smallest change, as a fraction, that would be detected with a power of 80 %, where
    /// p-values of "within the limit" have to be at most `p`.
    pub fn detectable(self, limit: f64, p: f64) -> f64 {
        // One side of t for the power is two sides of twice its tail.
        let needed = quantile(p, self.df) + quantile(2.0 * (1.0 - POWER), self.df);
        (limit + needed * self.variance.sqrt()).exp_m1()
    }
}

/// The two-sided tail of a 95 % interval.
const TAIL: f64 = 0.05;

/// Number of integer degrees of freedom with a cached value, because they are needed after each
/// block of samples.
const OFTEN: usize = 1024;

/// Number of standard errors on either side of a 95 % interval of a mean, for `df` degrees of
/// freedom of 1 or more, integer or not.
pub(super) fn t95(df: f64) -> f64 {
    /// Cached values as bits; 0 is not cached yet.
    static KNOWN: [AtomicU64; OFTEN] = [const { AtomicU64::new(0) }; OFTEN];
    let known = KNOWN.get(df as usize).filter(|_| df.fract() == 0.0);
    match known.map(|known| known.load(Relaxed)) {
        None | Some(0) => {
            let found = quantile(TAIL, df);
            known.inspect(|known| known.store(found.to_bits(), Relaxed));
            found
        }
        Some(bits) => f64::from_bits(bits),
    }
}

/// Number of standard errors that a mean deviates on either side, with this probability.
pub(super) fn quantile(two_sided: f64, df: f64) -> f64 {
    if !(0.0..=1.0).contains(&two_sided) {
        return f64::NAN;
    }
    // From the lower end, where no digits are lost.
    StudentsT::new(0.0, 1.0, df).map_or(f64::NAN, |t| -t.inverse_cdf(two_sided / 2.0))
}

/// The two-sided p-value of a mean that is `t` standard errors from the expected one, for `df`
/// degrees of freedom, integer or not.
pub(super) fn p_value(t: f64, df: f64) -> f64 {
    StudentsT::new(0.0, 1.0, df).map_or(f64::NAN, |student| 2.0 * student.sf(t.abs()))
}

#[cfg(test)]
mod tests {
    use super::super::description::describe;
    use super::super::runs::ScatterBetweenRuns;
    use super::super::synthetic::Noise;
    use super::*;

    fn evidence(low: f64, high: f64, df: f64) -> Evidence {
        Evidence::from_interval(Interval { low, high }, df).expect("positive")
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
        let there = evidence(1.1, 1.2, 9.0);
        let back = evidence(1.0 / 1.2, 1.0 / 1.1, 9.0);
        assert!((there.p_value(0.01) / back.p_value(0.01) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_value_without_scatter_is_certain() {
        assert_eq!(evidence(1.1, 1.1, 5.0).p_value(0.01), 0.0);
        assert_eq!(evidence(1.0, 1.0, 5.0).p_value(0.01), 1.0);
        assert!((evidence(1.0, 1.0, 5.0).detectable(0.01, 0.05) - 0.01_f64.exp_m1()).abs() < 1e-12);
    }

    #[test]
    fn invalid_intervals_of_a_ratio_give_no_evidence() {
        for (low, high) in
            [(0.0, 1.0), (-1.0, 1.0), (1.0, f64::NAN), (1.2, 1.1), (1.0, f64::INFINITY)]
        {
            assert_eq!(Evidence::from_interval(Interval { low, high }, 5.0), None);
        }
    }

    #[test]
    fn runs_that_differ_add_their_variances() {
        let between = |deviation| ScatterBetweenRuns { deviation, df: 8.0 };
        let alone = evidence(0.9999, 1.0001, 1e9).between_runs(between(0.02));
        let half = alone.interval().high.ln();
        assert!((half / (2.306 * 0.02 * 2.0_f64.sqrt()) - 1.0).abs() < 0.01, "{half}");
        assert!((alone.df() - 8.0).abs() < 0.01);
        let many = ScatterBetweenRuns { deviation: 0.02, df: 59.0 };
        let found = evidence(0.9999, 1.0001, 1e9).between_runs(many);
        assert!((found.df() - 8.0).abs() < 0.01, "{found:?}");
        // Both alike: more degrees of freedom than either, as of two samples.
        let own = evidence(0.95, 1.0 / 0.95, 8.0);
        let runs = between((own.variance / 2.0).sqrt());
        let both = own.between_runs(runs);
        assert!((both.df() - 16.0).abs() < 1e-6, "{both:?}");
        assert!((both.variance / own.variance - 2.0).abs() < 1e-9);
        assert_eq!(own.between_runs(between(0.0)).interval(), own.interval());
    }

    #[test]
    fn one_odd_value_in_ten_counts_little() {
        let error = |values: &[f64]| {
            Evidence::from_logarithms(values, 0.2).expect("enough").variance.sqrt()
        };
        let mut values: Vec<_> = (0..10).map(|i| 0.001 * f64::from(i % 3)).collect();
        let quiet = error(&values);
        values[4] = 0.4;
        assert!(error(&values) < 1.5 * quiet, "{quiet} {}", error(&values));
        assert_eq!(Evidence::from_logarithms(&[1.0, f64::NAN], 0.2), None);
        assert_eq!(Evidence::from_logarithms(&[1.0], 0.2), None);
    }

    #[test]
    fn a_ratio_scatters_more_than_either_side() {
        let one = Evidence::from_logarithms(&[0.0, 0.01, 0.02, 0.01, 0.0], 0.2).expect("enough");
        let both = one.over(one);
        assert!((both.variance - 2.0 * one.variance).abs() < 1e-15);
        assert!((both.df - 2.0 * one.df).abs() < 1e-9);
        let still = Evidence::from_logarithms(&[0.0; 5], 0.2).expect("enough");
        assert_eq!(still.over(still).interval(), Interval { low: 1.0, high: 1.0 });
    }

    /// The detectable change is detected in 80 % of cases.
    #[test]
    fn the_detectable_change_is_detected_with_its_power() {
        let error = 0.01;
        let df = 9_usize;
        let limit = 0.01;
        let p = 1e-3;
        let half = t95(df as f64) * error;
        let typical =
            Evidence::from_interval(Interval { low: (-half).exp(), high: half.exp() }, df as f64);
        let change = typical.expect("positive").detectable(limit, p).ln_1p();
        let found = |seed: &u64| {
            let mut noise = Noise::new(*seed);
            let values: Vec<f64> = (0..=df).map(|_| change + error * noise.normal()).collect();
            // A single value has the typical error, because its scatter is what is estimated.
            let variance = describe(&values).expect("samples").stddev.powi(2);
            Evidence { centre: values[0], variance, df: df as f64 }.p_value(limit) <= p
        };
        let share = (0..4000).filter(found).count() as f64 / 4000.0;
        assert!((0.72..0.88).contains(&share), "{share}");
    }

    #[test]
    fn it_agrees_with_the_tables() {
        for (error, df, expected) in [
            (0.05, 1.0, 12.706),
            (0.05, 2.0, 4.303),
            (0.05, 5.0, 2.571),
            (0.05, 30.0, 2.042),
            (0.05, 1e4, 1.960),
            (0.01, 6.0, 3.7074),
            (0.01, 10.0, 3.169),
            (0.0025, 5.0, 5.604),
            (0.4, 1e4, 0.8416),
            (1e-4, 20.0, 4.838),
        ] {
            let found = quantile(error, df);
            assert!((found / expected - 1.0).abs() < 3e-4, "{error} {df}: {found}");
            for t in [found, -found] {
                assert!((p_value(t, df) / error - 1.0).abs() < 1e-6, "{error} {df}");
            }
        }
    }

    #[test]
    fn extreme_arguments_do_not_panic() {
        assert_eq!((p_value(0.0, 5.0), p_value(f64::INFINITY, 5.0)), (1.0, 0.0));
        assert!(p_value(1e9, 3.0) < 1e-20);
        assert!(quantile(0.0, 5.0) > 1e12 && quantile(1.0, 5.0).abs() < 1e-12);
        assert!(quantile(f64::NAN, 5.0).is_nan() && quantile(0.05, f64::NAN).is_nan());
    }

    #[test]
    fn cached_values_equal_computed_ones() {
        for df in [1.0, 2.0, 2.5, 7.0, 1023.0, 1024.0, 5000.0] {
            assert_eq!([t95(df), t95(df)], [quantile(TAIL, df); 2], "{df}");
        }
        assert!(t95(f64::NAN).is_nan());
    }

    #[test]
    fn more_freedom_is_never_worth_less() {
        let values: Vec<_> = (10..500).map(|i| t95(f64::from(i) / 10.0)).collect();
        assert!(values.windows(2).all(|pair| pair[0] >= pair[1]), "{values:?}");
    }
}
