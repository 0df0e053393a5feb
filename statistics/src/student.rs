//! Student's t distribution: how far a mean of few values may be off.

use std::f64::consts::PI;

/// Beyond so many standard errors nothing is sought, and to so many binary digits.
const FARTHEST: f64 = 1e12;
const HALVINGS: usize = 60;

/// The two-sided tail of a 95 % interval.
const TAIL: f64 = 0.05;

/// So many standard errors hold 95 % of the means, for `df` degrees of freedom
/// of 1 or more, whole or not.
///
/// Hill 1970, "Algorithm 396: Student's t-quantiles": exact for 1 and 2 degrees
/// of freedom, and right to four digits beyond.
pub(super) fn t95(df: f64) -> f64 {
    let half_turn = TAIL * PI / 2.0;
    if df < 1.5 {
        return half_turn.cos() / half_turn.sin();
    }
    if df < 2.5 {
        return (2.0 / (TAIL * (2.0 - TAIL)) - 2.0).sqrt();
    }
    hill(df)
}

fn hill(df: f64) -> f64 {
    let a = 1.0 / (df - 0.5);
    let b = 48.0 / (a * a);
    let mut c = ((20_700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * PI / 2.0).sqrt() * df;
    let mut y = (d * TAIL).powf(2.0 / df);
    if y > 0.05 + a {
        // Near the normal distribution: an expansion about its quantile.
        let x = -NORMAL;
        y = x * x;
        if df < 5.0 {
            c += 0.3 * (df - 4.5) * (x + 0.6);
        }
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
        y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x;
        y = (a * y * y).exp_m1();
    } else {
        let e = ((df + 6.0) / (df * y) - 0.089 * d - 0.822) * (df + 2.0) * 3.0;
        y = ((1.0 / e + 0.5 / (df + 4.0)) * y - 1.0) * (df + 1.0) / (df + 2.0) + 1.0 / y;
    }
    (df * y).sqrt()
}

/// So many standard errors a mean is off with this probability, for `df` degrees of
/// freedom: the inverse of [`p_value`], by halving.
pub(super) fn quantile(two_sided: f64, df: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while p_value(high, df) > two_sided && high < FARTHEST {
        high *= 2.0;
    }
    for _ in 0..HALVINGS {
        let middle = low + (high - low) / 2.0;
        if p_value(middle, df) > two_sided {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The two-sided p-value of a mean that lies so many standard errors from what
/// was to be expected, for `df` degrees of freedom, whole or not.
///
/// It is the incomplete beta function at df / (df + t²) (Abramowitz and Stegun
/// 1964, 26.7.1).
pub(super) fn p_value(t: f64, df: f64) -> f64 {
    let (x, a, b) = (df / (df + t * t), df / 2.0, 0.5);
    match x {
        x if x >= 1.0 => 1.0,
        // The fraction converges fast below the mean of the distribution only.
        x if x < (a + 1.0) / (a + b + 2.0) => beta_tail(x, a, b),
        x => 1.0 - beta_tail(1.0 - x, b, a),
    }
}

/// The incomplete beta function by its continued fraction (26.5.8 there), from
/// the front as Lentz does (Appl. Opt. 15 (1976) 668).
fn beta_tail(x: f64, a: f64, b: f64) -> f64 {
    const TERMS: u32 = 200;
    const PRECISION: f64 = 1e-12;
    let ln_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
    let front = (a * x.ln() + b * (-x).ln_1p() - ln_beta).exp() / a;
    let first = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
    let (mut fraction, mut c, mut d) = (first, 1.0, first);
    for term in 1..TERMS {
        let m = f64::from(term);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for step in [even, odd] {
            d = 1.0 / nonzero(1.0 + step * d);
            c = nonzero(1.0 + step / c);
            fraction *= c * d;
        }
        if (fraction - before).abs() < PRECISION * fraction.abs() {
            break;
        }
    }
    front * fraction
}

/// A denominator that vanishes would end the fraction.
fn nonzero(value: f64) -> f64 {
    match value.abs() < f64::MIN_POSITIVE {
        true => f64::MIN_POSITIVE,
        false => value,
    }
}

/// 95 % of a normal distribution lie within so many standard deviations.
const NORMAL: f64 = 1.959_963_984_540_054;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_tables() {
        for (error, df, expected) in
            [(0.05, 5.0, 2.571), (0.01, 10.0, 3.169), (0.0025, 5.0, 5.604), (0.05, 1e6, 1.960)]
        {
            let found = quantile(error, df);
            assert!((found / expected - 1.0).abs() < 1e-3, "{error} {df}: {found}");
        }
    }

    #[test]
    fn it_agrees_with_the_tables() {
        let table = [
            (1.0, 12.706),
            (2.0, 4.303),
            (3.0, 3.182),
            (4.0, 2.776),
            (5.0, 2.571),
            (6.0, 2.447),
            (8.0, 2.306),
            (10.0, 2.228),
            (15.0, 2.131),
            (20.0, 2.086),
            (30.0, 2.042),
            (60.0, 2.000),
            (120.0, 1.980),
        ];
        for (df, expected) in table {
            let found = t95(df);
            assert!((found - expected).abs() < 2e-3 * expected, "{df}: {found}");
        }
    }

    #[test]
    fn p_values_are_those_of_the_quantiles() {
        for df in [1.0, 2.0, 3.5, 6.0, 8.0, 29.0, 200.0] {
            let found = p_value(t95(df), df);
            assert!((found / TAIL - 1.0).abs() < 5e-3, "{df}: {found}");
        }
        // From tables: 99 % of the distribution for 6 and 8 degrees of freedom.
        for (df, t) in [(6.0, 3.7074), (8.0, 3.3554)] {
            assert!((p_value(t, df) / 0.01 - 1.0).abs() < 1e-3);
            assert_eq!(p_value(t, df), p_value(-t, df));
        }
    }

    #[test]
    fn p_values_have_their_limits() {
        assert_eq!(p_value(0.0, 5.0), 1.0);
        assert_eq!(p_value(f64::INFINITY, 5.0), 0.0);
        assert!(p_value(1e-9, 5.0) > 0.999_999);
        assert!(p_value(1e9, 3.0) < 1e-20);
    }

    #[test]
    fn more_freedom_is_never_worth_less() {
        let values: Vec<_> = (10..500).map(|i| t95(f64::from(i) / 10.0)).collect();
        assert!(values.windows(2).all(|pair| pair[0] >= pair[1]), "{values:?}");
    }
}
