//! Exponential, sine and cosine in single precision. Each particle needs them, so they are short; results
//! are the same to the bit on any machine.

use std::f32::consts::{FRAC_2_PI, LN_2, LOG2_E};

/// Coefficients of e^x within half a factor of two.
const EXP: [f32; 7] = [1.0, 1.0, 0.5, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0];
/// Coefficients of sin x / x and of cos x as functions of x², within an eighth of a turn.
const SIN: [f32; 5] = [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0];
const COS: [f32; 5] = [1.0, -0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0];
/// A quarter of a turn as a number of few bits, and the rest.
const QUARTER_HIGH: f32 = 1.570_312_5;
const QUARTER_LOW: f32 = 4.838_268e-4;
/// Bits of the fraction of a number.
const FRACTION_BITS: i32 = 23;

#[inline]
fn polynomial(coefficients: &[f32], x: f32) -> f32 {
    coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// e^x for x within 80 of 0.
#[inline]
pub(super) fn exp(x: f32) -> f32 {
    let power = (x * LOG2_E).round_ties_even();
    let fraction = polynomial(&EXP, x - power * LN_2);
    f32::from_bits(fraction.to_bits().wrapping_add_signed((power as i32) << FRACTION_BITS))
}

/// Sine and cosine of an angle of some turns at most.
#[inline]
pub(super) fn sin_cos(angle: f32) -> [f32; 2] {
    let quarters = (angle * FRAC_2_PI).round_ties_even();
    let x = (angle - quarters * QUARTER_HIGH) - quarters * QUARTER_LOW;
    let quarters = quarters as i32;
    let sin = x * polynomial(&SIN, x * x);
    let cos = polynomial(&COS, x * x);
    let [sin, cos] = if quarters & 1 == 0 { [sin, cos] } else { [cos, -sin] };
    if quarters & 2 == 0 { [sin, cos] } else { [-sin, -cos] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_those_of_double_precision() {
        for step in -8000..=8000 {
            let x = step as f32 * 0.01;
            let expected = libm::exp(x.into());
            let error = (f64::from(exp(x)) - expected) / expected;
            assert!(error.abs() < 1e-5, "{x}: {error}");
        }
        assert_eq!(exp(0.0), 1.0);
    }

    #[test]
    fn sines_and_cosines_are_those_of_double_precision() {
        for step in -2000..=2000 {
            let angle = step as f32 * 0.01;
            let (sin, cos) = libm::sincos(angle.into());
            let found = sin_cos(angle).map(f64::from);
            assert!((found[0] - sin).abs() < 1e-6, "{angle}: {found:?}");
            assert!((found[1] - cos).abs() < 1e-6, "{angle}: {found:?}");
        }
    }
}
