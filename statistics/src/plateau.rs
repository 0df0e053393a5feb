//! Saturation of a rate with the number of concurrent streams.
//!
//! A change point of one kind: `rate = a * min(streams, knee)`, in proportion to the streams up to
//! the knee and constant after it. It is fitted by least squares of logarithms, so that residuals
//! are relative, for each split of the points into a rising and a level part. It has two
//! parameters, like the alternative, `rate = a * streams ^ b`, which never saturates: the one with
//! the smaller residuals is chosen. A growth by more than [`LEVEL`] is not level: a part that grows
//! more is not accepted as the level part, even with small residuals, because for a rise that only
//! slows down they are smaller than those of the alternative. Points that all grow by less are
//! level from the first on.
//!
//! The confidence comes from resamples: each rate is drawn anew within its standard error, and a
//! plateau is reported if nearly all resamples have one. Nothing is known between the points.
//!
//! Two points are not fitted. Either the second rate is not higher than the first by more than
//! [`LEVEL`], and the first is the plateau; or it is, and then the second is a lower bound of the
//! plateau, because a rise that continues and one that ends at the second point look alike.

use super::description::{quantile, sorted};
use super::interval::{Interval, TAIL};
use super::synthetic::Noise;

/// Minimum number of points: a single rate shows no growth.
pub const MIN_POINTS: usize = 2;
/// Minimum number of points of a level part.
const MIN_LEVEL: usize = 2;
/// Maximum exponent of the streams at a level rate: 7 % for twice the number.
const LEVEL: f64 = 0.1;
const RESAMPLES: usize = 400;
/// The share of resamples with a plateau from which on there is one.
const SURE: f64 = 0.95;
const SEED: u64 = 1;

/// A measured rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Number of streams or other concurrent workers; above 0.
    pub streams: f64,
    /// Rate, per second; above 0.
    pub value: f64,
    /// The 95 % interval of that, where it is known.
    pub interval: Option<Interval>,
}

/// A rate that has stopped growing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plateau {
    /// Number of streams from which on the rate is level, measured or not: at most the smallest one
    /// if it is level from the first on.
    pub knee: f64,
    /// Interval of the knee in 95 % of the resamples.
    pub knee_interval: Interval,
    /// The level: the geometric mean of the rates that are level; of two points the first rate.
    pub level: f64,
    /// Index of the first level rate.
    pub first: usize,
}

/// Growth of a rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Growth {
    /// There are too few points to decide.
    TooFew,
    /// The rate has saturated.
    Level(Plateau),
    /// No saturation: with twice the streams the rate is larger by this factor on average.
    Rising {
        /// 2 if it grows in proportion.
        doubling: f64,
    },
    /// Either is possible within the errors of the rates.
    Unclear,
}

/// Decides whether rates, by ascending streams, have saturated.
pub fn growth(rates: &[Rate]) -> Growth {
    let usable = |rate: &Rate| rate.streams > 0.0 && rate.value > 0.0 && rate.value.is_finite();
    if rates.len() < MIN_POINTS || !rates.iter().all(usable) {
        return Growth::TooFew;
    }
    let x: Vec<f64> = rates.iter().map(|rate| rate.streams.ln()).collect();
    let y: Vec<f64> = rates.iter().map(|rate| rate.value.ln()).collect();
    let mut noise = Noise::new(SEED);
    let mut drawn = || -> Vec<f64> {
        let draw = |(rate, y): (&Rate, &f64)| y + standard_error(rate) * noise.normal();
        rates.iter().zip(&y).map(draw).collect()
    };
    let found: Vec<PiecewiseFit> =
        (0..RESAMPLES).filter_map(|_| piecewise_fit(&x, &drawn())).collect();
    let share = found.len() as f64 / RESAMPLES as f64;
    match piecewise_fit(&x, &y) {
        Some(fit) if share >= SURE => Growth::Level(plateau(fit, &found)),
        None if share <= 1.0 - SURE => Growth::Rising { doubling: 2_f64.powf(exponent(&x, &y).0) },
        _ => Growth::Unclear,
    }
}

fn plateau(fit: PiecewiseFit, resampled: &[PiecewiseFit]) -> Plateau {
    let knees: Vec<f64> = resampled.iter().map(|fit| fit.knee.exp()).collect();
    let knees = sorted(&knees);
    Plateau {
        knee: fit.knee.exp(),
        knee_interval: Interval { low: quantile(&knees, TAIL), high: quantile(&knees, 1.0 - TAIL) },
        level: fit.level.exp(),
        first: fit.first,
    }
}

/// Standard error of the logarithm of a rate.
fn standard_error(rate: &Rate) -> f64 {
    let known = rate.interval.filter(|interval| interval.low > 0.0);
    known.map_or(0.0, |interval| interval.standard_error())
}

/// A proportional rise and a level part after it, in logarithms.
#[derive(Clone, Copy, Debug)]
struct PiecewiseFit {
    knee: f64,
    level: f64,
    first: usize,
}

/// The best fit, if it is better than a rise without an end.
fn piecewise_fit(x: &[f64], y: &[f64]) -> Option<PiecewiseFit> {
    let (exponent, left) = exponent(x, y);
    if exponent < LEVEL {
        let level = if y.len() == MIN_POINTS { y[0] } else { mean(y.iter().copied()) };
        return Some(PiecewiseFit { knee: x[0], level, first: 0 });
    }
    let is_level = |first: &usize| self::exponent(&x[*first..], &y[*first..]).0 < LEVEL;
    let splits = (1..=x.len() - MIN_LEVEL).filter(is_level).map(|first| split(x, y, first));
    let best = splits.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
    (best.0 < left).then_some(best.1)
}

/// The fit that is level from a point on, with the sum of its squares.
fn split(x: &[f64], y: &[f64], first: usize) -> (f64, PiecewiseFit) {
    let scale = mean(x.iter().zip(y).take(first).map(|(x, y)| y - x));
    let level = mean(y[first..].iter().copied());
    let knee = level - scale;
    let squares = x.iter().zip(y).map(|(x, y)| (y - scale - x.min(knee)).powi(2));
    (squares.sum(), PiecewiseFit { knee, level, first })
}

/// The exponent of the power law through the points, with the sum of its squares.
fn exponent(x: &[f64], y: &[f64]) -> (f64, f64) {
    let mean_x = mean(x.iter().copied());
    let mean_y = mean(y.iter().copied());
    let both = || x.iter().zip(y).map(|(x, y)| (x - mean_x, y - mean_y));
    let exponent =
        both().map(|(x, y)| x * y).sum::<f64>() / both().map(|(x, _)| x * x).sum::<f64>();
    (exponent, both().map(|(x, y)| (y - exponent * x).powi(2)).sum())
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rates with errors of about 1 %.
    fn rates(points: &[(f64, f64)]) -> Vec<Rate> {
        let rate = |&(streams, value): &(f64, f64)| Rate {
            streams,
            value,
            interval: Some(Interval { low: 0.99 * value, high: 1.01 * value }),
        };
        points.iter().map(rate).collect()
    }

    fn level(points: &[(f64, f64)]) -> Plateau {
        match growth(&rates(points)) {
            Growth::Level(plateau) => plateau,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn two_cores_are_busy_with_two_streams() {
        let found = level(&[(1.0, 10.0), (2.0, 19.2), (4.0, 19.4), (8.0, 19.0)]);
        assert_eq!(found.first, 1);
        assert!((1.8..2.0).contains(&found.knee), "{found:?}");
        assert!((19.0..19.4).contains(&found.level), "{found:?}");
        let Interval { low, high } = found.knee_interval;
        assert!(low < found.knee && found.knee < high && high - low < 0.2, "{found:?}");
    }

    #[test]
    fn a_knee_may_lie_between_the_points() {
        let points = [(1.0, 1.0), (2.0, 1.98), (4.0, 3.9), (8.0, 7.5), (16.0, 13.0), (32.0, 13.2)];
        let found = level(&points);
        assert_eq!(found.first, 4);
        assert!((12.0..15.0).contains(&found.knee), "{found:?}");
    }

    #[test]
    fn a_rate_that_one_stream_saturates_is_level_from_the_first() {
        for rates in [[5.0, 5.1, 5.0], [5.0, 4.6, 4.0]] {
            let points = [(1.0, rates[0]), (2.0, rates[1]), (4.0, rates[2])];
            assert_eq!(level(&points).first, 0, "{rates:?}");
        }
    }

    #[test]
    fn a_slow_rise_is_not_a_plateau() {
        for exponent in [1.0, 0.8, 0.5] {
            let point = |streams: f64| (streams, streams.powf(exponent));
            let points = [1.0, 2.0, 4.0, 8.0].map(point);
            let Growth::Rising { doubling } = growth(&rates(&points)) else { panic!("{exponent}") };
            assert!((doubling - 2_f64.powf(exponent)).abs() < 1e-9);
        }
    }

    /// As measured with two GPUs: proportional up to two streams, and slower from there on.
    #[test]
    fn a_rise_that_slows_down_is_not_a_plateau() {
        for values in [
            &[10.0, 19.0, 24.0][..],
            &[10.0, 19.0, 22.0],
            &[99.7, 206.0, 233.0, 275.0],
            &[806.0, 1567.0, 2245.0, 3253.0, 3581.0],
        ] {
            let points = values.iter().zip(0..).map(|(&value, power)| (2_f64.powi(power), value));
            let points: Vec<(f64, f64)> = points.collect();
            let found = growth(&rates(&points));
            let Growth::Rising { doubling } = found else { panic!("{values:?}: {found:?}") };
            assert!(doubling > 1.3, "{values:?}: {doubling}");
        }
    }

    #[test]
    fn a_level_part_after_a_rise_that_slows_down_is_a_plateau() {
        let found = level(&[(1.0, 10.0), (2.0, 18.0), (4.0, 22.0), (8.0, 22.5), (16.0, 22.2)]);
        assert_eq!(found.first, 2);
    }

    #[test]
    fn rates_with_large_errors_are_unclear() {
        let unsure = |(streams, value): (f64, f64)| Rate {
            streams,
            value,
            interval: Some(Interval { low: 0.4 * value, high: 2.5 * value }),
        };
        let found = growth(&[(1.0, 1.0), (2.0, 1.7), (4.0, 2.2)].map(unsure));
        assert_eq!(found, Growth::Unclear);
    }

    #[test]
    fn two_points_that_grow_by_little_or_fall_are_level_at_the_first() {
        for second in [5.1, 5.0, 2.5] {
            let Plateau { first, level, knee, .. } = level(&[(2.0, 5.0), (4.0, second)]);
            assert_eq!(first, 0, "{second}");
            assert!((level - 5.0).abs() < 1e-9 && knee <= 2.0 + 1e-9, "{second}: {level}, {knee}");
        }
    }

    #[test]
    fn two_points_that_grow_are_a_rise() {
        let Growth::Rising { doubling } = growth(&rates(&[(1.0, 10.0), (4.0, 25.6)])) else {
            panic!("a rise")
        };
        assert!((doubling - 1.6).abs() < 1e-9, "{doubling}");
    }

    #[test]
    fn two_points_whose_errors_reach_beyond_the_limit_are_unclear() {
        let unsure = |(streams, value): (f64, f64)| Rate {
            streams,
            value,
            interval: Some(Interval { low: 0.8 * value, high: 1.25 * value }),
        };
        assert_eq!(growth(&[(1.0, 10.0), (2.0, 11.0)].map(unsure)), Growth::Unclear);
    }

    #[test]
    fn one_point_is_too_few_and_no_rate_is_none() {
        assert_eq!(growth(&rates(&[(1.0, 1.0)])), Growth::TooFew);
        assert_eq!(growth(&[]), Growth::TooFew);
        assert_eq!(growth(&rates(&[(1.0, 1.0), (2.0, 0.0), (4.0, 1.0)])), Growth::TooFew);
    }
}
