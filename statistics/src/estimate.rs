//! An estimate of a ratio, and on which side of a limit it lies.

use super::crossing::Timing;
use super::interval::Interval;

/// The ratio of two times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatioEstimate {
    /// The ratio.
    pub ratio: f64,
    /// Its 95 % interval; `None` for too few samples.
    pub interval: Option<Interval>,
}

/// Side of a limit on which a ratio lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The whole interval is below the limit.
    Below,
    /// The whole interval is above the limit.
    Above,
    /// The interval contains the limit.
    Unclear,
    /// There is no interval.
    Unknown,
}

impl RatioEstimate {
    /// A ratio of medians that has no interval.
    pub fn without_interval(ratio: f64) -> Self {
        RatioEstimate { ratio, interval: None }
    }

    /// The ratio of `new` to `base`. Its interval excludes 1 where those of the medians do not
    /// overlap.
    pub fn from_medians(base: Timing, new: Timing) -> Self {
        let interval = base.interval.zip(new.interval);
        let ratio = |(base, new): (Interval, Interval)| Interval {
            low: new.low / base.high,
            high: new.high / base.low,
        };
        RatioEstimate { ratio: new.median / base.median, interval: interval.map(ratio) }
    }

    /// Side of a limit on which the ratio lies, even if its interval is wider by `noise`.
    pub fn side(&self, limit: f64, noise: f64) -> Side {
        match self.interval {
            None => Side::Unknown,
            Some(interval) if interval.high + noise < limit => Side::Below,
            Some(interval) if interval.low - noise > limit => Side::Above,
            Some(_) => Side::Unclear,
        }
    }

    /// Distance of the farther end of the interval from the ratio, as a fraction.
    pub fn resolution(&self) -> Option<f64> {
        let Interval { low, high } = self.interval?;
        let farthest = (high / self.ratio).ln().max((self.ratio / low).ln());
        farthest.is_finite().then(|| farthest.max(0.0).exp_m1())
    }
}
