//! Elementary functions in single precision. Each particle needs them, so they are short; results
//! are the same to the bit on any machine.

use std::f32::consts::{FRAC_1_SQRT_2, FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, LN_2, LOG2_E, PI};

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
    let quarters = quarters as i32 as u32;
    let sin = (x * polynomial(&SIN, x * x)).to_bits();
    let cos = polynomial(&COS, x * x).to_bits();
    // Exchanged in odd quarters, with signs by two quarters: without branches that can't be predicted.
    let exchanged = (sin ^ cos) & (quarters & 1).wrapping_neg();
    let sign = |quarters: u32| (quarters & 2) << 30;
    [sin ^ exchanged ^ sign(quarters), cos ^ exchanged ^ sign(quarters.wrapping_add(1))]
        .map(f32::from_bits)
}

/// Coefficients of ln m / s as a function of s², with s = (m - 1) / (m + 1), for m within half a factor of two.
const LN: [f32; 5] = [2.0, 2.0 / 3.0, 2.0 / 5.0, 2.0 / 7.0, 2.0 / 9.0];

/// Natural logarithm of a positive number.
#[inline]
pub(super) fn ln(x: f32) -> f32 {
    // Above √½ the exponent is that of the next power of two.
    let bits = x.to_bits().wrapping_add(1.0_f32.to_bits() - FRAC_1_SQRT_2.to_bits());
    let power = (bits >> FRACTION_BITS) as i32 - 127;
    let fraction = f32::from_bits(x.to_bits().wrapping_add_signed(-(power << FRACTION_BITS)));
    let s = (fraction - 1.0) / (fraction + 1.0);
    power as f32 * LN_2 + s * polynomial(&LN, s * s)
}

/// Coefficients of the arc tangent of x / x as a function of x², within an eighth of π (Moshier's Cephes).
const ATAN: [f32; 5] = [1.0, -3.333_295e-1, 1.997_771_1e-1, -1.387_768_6e-1, 8.053_744_5e-2];
/// Tangent of an eighth of π.
const TAN_PI_8: f32 = 0.414_213_56;

/// Azimuth of the direction x, y, of which one at least is not 0.
#[inline]
pub(super) fn azimuth(x: f32, y: f32) -> f32 {
    let [width, height] = [x.abs(), y.abs()];
    let is_high = height > width;
    let tangent = if is_high { width / height } else { height / width };
    let is_large = tangent > TAN_PI_8;
    let reduced = if is_large { (tangent - 1.0) / (tangent + 1.0) } else { tangent };
    let angle = reduced * polynomial(&ATAN, reduced * reduced);
    let angle = if is_large { angle + FRAC_PI_4 } else { angle };
    let angle = if is_high { FRAC_PI_2 - angle } else { angle };
    let angle = if x < 0.0 { PI - angle } else { angle };
    angle.copysign(y)
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

    #[test]
    fn logarithms_are_those_of_double_precision() {
        for step in -8000..=8000 {
            let x = libm::expf(step as f32 * 0.01);
            let expected = libm::log(x.into());
            let error = f64::from(ln(x)) - expected;
            assert!(error.abs() < 1e-6 + 2e-7 * expected.abs(), "{x}: {error}");
        }
        assert_eq!(ln(1.0), 0.0);
        assert!(ln(f32::INFINITY).is_finite());
    }

    #[test]
    fn azimuths_are_those_of_double_precision() {
        for step in -3141..=3141 {
            let (sin, cos) = libm::sincosf(step as f32 * 0.001);
            let expected = libm::atan2(sin.into(), cos.into());
            let error = f64::from(azimuth(7.0 * cos, 7.0 * sin)) - expected;
            assert!(error.abs() < 1e-6, "{expected}: {error}");
        }
    }
}
