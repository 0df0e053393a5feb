//! Samples in a few numbers.

/// The numbers that a summary has of a series of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Description {
    /// Number of samples.
    pub samples: usize,
    /// Half of the samples are below it.
    pub median: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Sample standard deviation; 0 for a single sample.
    pub stddev: f64,
    /// The smallest sample.
    pub min: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// The largest sample.
    pub max: f64,
}

/// Describes a series; `None` if there are no samples.
pub fn describe(samples: &[f64]) -> Option<Description> {
    let sorted = sorted(samples);
    let &min = sorted.first()?;
    let &max = sorted.last()?;
    let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
    Some(Description {
        samples: sorted.len(),
        median: quantile(&sorted, 0.5),
        mean,
        stddev: stddev(&sorted, mean),
        min,
        p95: quantile(&sorted, 0.95),
        p99: quantile(&sorted, 0.99),
        max,
    })
}

/// A quantile of sorted samples, interpolated between neighbours (type 7 of
/// Hyndman and Fan 1996, as R and NumPy do).
pub(super) fn quantile(sorted: &[f64], probability: f64) -> f64 {
    let position = probability * (sorted.len() - 1) as f64;
    let low = position.floor() as usize;
    let fraction = position.fract();
    let high = (low + 1).min(sorted.len() - 1);
    sorted[low] + fraction * (sorted[high] - sorted[low])
}

/// The samples in increasing order.
pub(super) fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The median of samples in any order; NaN without samples.
pub fn median(samples: &[f64]) -> f64 {
    match samples {
        [] => f64::NAN,
        samples => quantile(&sorted(samples), 0.5),
    }
}

/// The lower quartile of the samples; `None` without any.
pub fn lower_quartile(samples: &[f64]) -> Option<f64> {
    (!samples.is_empty()).then(|| quantile(&sorted(samples), 0.25))
}

fn stddev(samples: &[f64], mean: f64) -> f64 {
    if samples.len() < 2 {
        return 0.0;
    }
    let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    (squares / (samples.len() - 1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_numbers() {
        let described = describe(&[4.0, 1.0, 3.0, 2.0]).expect("samples");
        assert_eq!((described.median, described.mean), (2.5, 2.5));
        assert_eq!((described.min, described.max), (1.0, 4.0));
        assert!((described.stddev - (5.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((described.p95 - 3.85).abs() < 1e-12);
    }

    #[test]
    fn one_sample_describes_itself_and_none_has_no_description() {
        let described = describe(&[2.0]).expect("a sample");
        assert_eq!((described.median, described.p99, described.stddev), (2.0, 2.0, 0.0));
        assert_eq!((describe(&[]), lower_quartile(&[])), (None, None));
        assert!(median(&[]).is_nan());
    }
}
