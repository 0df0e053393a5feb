//! How much a median varies from one visit to the next.
//!
//! A point is measured in several visits, each with data and buffers of its
//! own and some time apart. Where buffers happen to lie in memory, and what
//! else the machine does in that minute, is the same for all samples of a
//! visit: the samples alone would promise more than the next run can keep. So
//! the medians of the visits are looked at, as if each were one sample.
//!
//! A single odd visit must not hide a change, nor make one: the mean of the
//! visits is trimmed, and its standard error is from the winsorized variance
//! (Tukey and McLaughlin 1963; Yuen 1974 for two series).
//!
//! The first visits are a pilot: they say how many there have to be. Whoever
//! stops early does so because these happened to lie close together, so they may
//! say no more about the scatter once there are enough others (Stein 1945, and
//! Kalibera and Jones 2013 for benchmarks).

use super::description::quantile;
use super::interval::Interval;
use super::student::{self, t95};

/// Visits in fewer numbers don't show how they vary.
pub const MIN_VISITS: usize = 3;
/// So many visits at the beginning tell how many there have to be.
pub const PILOT: usize = 5;
/// From so many visits on those after the pilot tell the scatter.
const BEYOND_PILOT: usize = 2 * PILOT;
/// Nobody waits for more visits than this.
const MOST_VISITS: usize = 10_000;
/// The share of visits that are trimmed at either end.
const TRIMMED: f64 = 0.2;

/// The trimmed mean of logarithms, its squared standard error, and the degrees
/// of freedom that this was found with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scatter {
    centre: f64,
    variance: f64,
    df: f64,
}

impl Scatter {
    /// Of visits with their samples in seconds; `None` for fewer than
    /// [`MIN_VISITS`] that have any.
    pub fn of_visits<'a>(visits: impl IntoIterator<Item = &'a [f64]>) -> Option<Self> {
        let visits = visits.into_iter().filter(|visit| !visit.is_empty());
        let medians: Vec<_> = visits.map(|visit| median(visit).ln()).collect();
        if medians.len() < MIN_VISITS {
            return None;
        }
        let fresh = medians[PILOT.min(medians.len())..].to_vec();
        let all = Self::of_logarithms(medians, TRIMMED)?;
        if fresh.len() < BEYOND_PILOT - PILOT {
            return Some(all);
        }
        let share = fresh.len() as f64 / (fresh.len() + PILOT) as f64;
        let fresh = Self::of_logarithms(fresh, TRIMMED)?;
        Some(Scatter { centre: all.centre, variance: share * fresh.variance, df: fresh.df })
    }

    /// Of logarithms, each of which counts alike, with a share trimmed at either
    /// end; `None` for fewer than two, or if one is not finite.
    pub(super) fn of_logarithms(mut logarithms: Vec<f64>, trimmed: f64) -> Option<Self> {
        if logarithms.len() < 2 || logarithms.iter().any(|value| !value.is_finite()) {
            return None;
        }
        logarithms.sort_by(f64::total_cmp);
        Some(Self::of_sorted(&logarithms, trimmed))
    }

    fn of_sorted(values: &[f64], trimmed: f64) -> Self {
        let n = values.len();
        let cut = (trimmed * n as f64) as usize;
        let (low, high) = (values[cut], values[n - 1 - cut]);
        let winsorized = values.iter().map(|value| value.clamp(low, high));
        let mean = winsorized.clone().sum::<f64>() / n as f64;
        let squares: f64 = winsorized.map(|value| (value - mean).powi(2)).sum();
        let kept = (n - 2 * cut) as f64;
        Scatter {
            centre: values[cut..n - cut].iter().sum::<f64>() / kept,
            variance: squares / (kept * (kept - 1.0)),
            df: kept - 1.0,
        }
    }

    /// That of the difference of two logarithms: of `other` over this (Welch 1947).
    pub fn of_ratio(self, other: Scatter) -> Scatter {
        let variance = self.variance + other.variance;
        let parts = self.variance.powi(2) / self.df + other.variance.powi(2) / other.df;
        let df = if parts > 0.0 { variance.powi(2) / parts } else { self.df + other.df };
        Scatter { centre: other.centre - self.centre, variance, df }
    }

    /// What the logarithms are of, in the middle.
    pub(super) fn middle(self) -> f64 {
        self.centre.exp()
    }

    /// The squared standard error of the logarithm.
    pub(super) fn variance(self) -> f64 {
        self.variance
    }

    /// The degrees of freedom of that.
    pub(super) fn df(self) -> f64 {
        self.df
    }

    /// The 95 % interval, of what the logarithms are of.
    pub fn interval(self) -> Interval {
        let half_width = self.half_width();
        Interval { low: (self.centre - half_width).exp(), high: (self.centre + half_width).exp() }
    }

    /// An interval that errs this often, of what the logarithms are of.
    pub(super) fn interval_of(self, error: f64) -> Interval {
        let half_width = student::quantile(error, self.df) * self.variance.sqrt();
        Interval { low: (self.centre - half_width).exp(), high: (self.centre + half_width).exp() }
    }

    /// The two-sided p-value of a centre that lies beyond `limit` on either side; 1 if it
    /// does not.
    pub(super) fn p_beyond(self, limit: f64) -> f64 {
        let beyond = self.centre.abs() - limit;
        let error = self.variance.sqrt();
        if beyond <= 0.0 {
            1.0
        } else if error == 0.0 {
            0.0
        } else {
            student::p_value(beyond / error, self.df)
        }
    }

    /// Half the width of the 95 % interval of the logarithm.
    fn half_width(self) -> f64 {
        t95(self.df) * self.variance.sqrt()
    }
}

/// How many visits it takes until the interval of a median will probably be
/// narrower than `precision`, by how wide it is after the pilot, both relative to
/// the median. As many as tell the scatter without the pilot at least.
pub fn visits_for(precision: f64, width_after_pilot: f64) -> usize {
    let shape = |visits: usize| t95((visits - 1) as f64) / (visits as f64).sqrt();
    let allowed = shape(PILOT) * precision / width_after_pilot;
    // Also without a number: then no number of visits is enough.
    let enough = |visits: &usize| shape(*visits) <= allowed || *visits >= MOST_VISITS;
    (BEYOND_PILOT..).find(enough).unwrap_or(MOST_VISITS)
}

/// The median of samples in any order; NaN without samples.
pub fn median(samples: &[f64]) -> f64 {
    if samples.is_empty() {
        return f64::NAN;
    }
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile(&sorted, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scatter(medians: &[f64]) -> Option<Scatter> {
        let visits: Vec<_> = medians.iter().map(|&median| [median; 2]).collect();
        Scatter::of_visits(visits.iter().map(|visit| &visit[..]))
    }

    #[test]
    fn equal_visits_do_not_scatter() {
        let found = scatter(&[2.0; 5]).expect("enough visits");
        assert_eq!(found.half_width(), 0.0);
    }

    #[test]
    fn few_visits_say_nothing() {
        assert_eq!(scatter(&[1.0, 2.0]), None);
        assert_eq!(scatter(&[]), None);
        assert_eq!(scatter(&[0.0, 1.0, 2.0]), None, "no logarithm");
    }

    #[test]
    fn without_trimming_it_is_the_usual_standard_error() {
        // Three visits: 0.2 of them is none.
        let found = scatter(&[1.00, 1.01, 1.02]).expect("enough visits");
        let expected = 4.303 * 0.01 / 3.0_f64.sqrt();
        assert!((found.half_width() / expected - 1.0).abs() < 0.02);
    }

    #[test]
    fn one_odd_visit_in_ten_counts_little() {
        let mut medians: Vec<_> = (0..10).map(|i| 1.0 + 0.001 * f64::from(i % 3)).collect();
        let quiet = scatter(&medians).expect("enough visits").half_width();
        medians[4] = 1.5;
        let odd = scatter(&medians).expect("enough visits").half_width();
        assert!(odd < 1.5 * quiet, "{quiet} {odd}");
    }

    #[test]
    fn the_interval_lies_about_the_trimmed_mean() {
        // Two states: the median of the visits is that of the more frequent one.
        let found = scatter(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.3, 1.3, 1.3, 1.3]);
        let Interval { low, high } = found.expect("enough visits").interval();
        let middle = 1.3_f64.powf(1.0 / 3.0);
        assert!(((low * high).sqrt() / middle - 1.0).abs() < 1e-12, "{low} {high}");
    }

    #[test]
    fn a_ratio_scatters_more_than_either_side() {
        let one = scatter(&[1.00, 1.01, 1.02, 1.01, 1.00]).expect("enough visits");
        let both = one.of_ratio(one);
        assert!((both.variance - 2.0 * one.variance).abs() < 1e-15);
        assert!((both.df - 2.0 * one.df).abs() < 1e-9);
        let still = scatter(&[1.0; 5]).expect("enough visits");
        assert_eq!(still.of_ratio(still).half_width(), 0.0);
    }
}
