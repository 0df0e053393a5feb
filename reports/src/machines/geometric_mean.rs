//! Geometric mean of ratios with its interval.

use statistics::{Interval, RatioEstimate};

/// Standard errors on either side of a 95 % interval.
const NORMAL: f64 = 1.96;

/// Logarithm of a ratio with its variance, which is unknown without an interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogRatio {
    value: f64,
    variance: Option<f64>,
}

impl From<RatioEstimate> for LogRatio {
    fn from(estimate: RatioEstimate) -> Self {
        let variance = estimate.interval.map(|interval| interval.standard_error().powi(2));
        LogRatio { value: estimate.ratio.ln(), variance }
    }
}

impl LogRatio {
    /// Mean of independent ratios; `None` without any.
    pub(super) fn mean(ratios: &[LogRatio]) -> Option<Self> {
        let count = ratios.len() as f64;
        let value = ratios.iter().map(|ratio| ratio.value).sum::<f64>() / count;
        let variances: Option<Vec<f64>> = ratios.iter().map(|ratio| ratio.variance).collect();
        let variance = variances.map(|all| all.iter().sum::<f64>() / (count * count));
        (!ratios.is_empty()).then_some(LogRatio { value, variance })
    }

    /// The ratio, with an interval of 95 % if the intervals of all its parts are known.
    pub(super) fn estimate(self) -> RatioEstimate {
        let interval = self.variance.map(|variance| {
            let half = NORMAL * variance.sqrt();
            Interval { low: (self.value - half).exp(), high: (self.value + half).exp() }
        });
        RatioEstimate { ratio: self.value.exp(), interval }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(ratios: &[RatioEstimate]) -> RatioEstimate {
        let ratios: Vec<LogRatio> = ratios.iter().copied().map(LogRatio::from).collect();
        LogRatio::mean(&ratios).expect("ratios").estimate()
    }

    fn between(low: f64, high: f64) -> RatioEstimate {
        RatioEstimate { ratio: (low * high).sqrt(), interval: Some(Interval { low, high }) }
    }

    #[test]
    fn one_ratio_keeps_its_interval() {
        let found = mean(&[between(1.0, 4.0)]);
        let interval = found.interval.expect("an interval");
        for (found, expected) in [(found.ratio, 2.0), (interval.low, 1.0), (interval.high, 4.0)] {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn several_ratios_have_a_narrower_interval() {
        let found = mean(&[between(1.0, 4.0); 4]);
        let interval = found.interval.expect("an interval");
        // Half of the width of one, in the logarithm.
        assert!((interval.high - 2.0 * 2f64.sqrt()).abs() < 1e-12, "{interval:?}");
        let unknown = mean(&[between(1.0, 4.0), RatioEstimate::without_interval(8.0)]);
        assert_eq!((unknown.interval, unknown.ratio.round()), (None, 4.0));
    }
}
