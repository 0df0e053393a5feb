//! Student's t distribution: how far a mean of few values may be off.

use std::f64::consts::PI;

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

/// 95 % of a normal distribution lie within so many standard deviations.
const NORMAL: f64 = 1.959_963_984_540_054;

#[cfg(test)]
mod tests {
    use super::*;

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
    fn more_freedom_is_never_worth_less() {
        let values: Vec<_> = (10..500).map(|i| t95(f64::from(i) / 10.0)).collect();
        assert!(
            values.windows(2).all(|pair| pair[0] >= pair[1]),
            "{values:?}"
        );
    }
}
