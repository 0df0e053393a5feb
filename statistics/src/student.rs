//! Student's t distribution: how far a mean of few values may be off.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use statrs::distribution::{ContinuousCDF, StudentsT};

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
    use super::*;

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
