//! Positions and angles, each operation rounded on its own and in this order, so that all variants
//! have equal bits.

use generators_lhcb::geometry::{Geometry, PITCH};

/// A quarter of π.
pub const QUARTER_PI: f32 = f32::from_bits(0x3f49_0fdb);
/// Three quarters of π.
pub const THREE_QUARTERS_PI: f32 = f32::from_bits(0x4016_cbe4);
/// Units of an angle per radian: 32768 / π.
pub const UNITS_PER_RADIAN: f32 = f32::from_bits(0x4622_f983);
/// Larger than any angle in these units.
const MAX_UNITS: f32 = 65536.0;

/// Angle around the beam in units of π / 32768: monotonic in the true angle, with errors up to
/// 0.071 rad.
#[inline]
pub fn phi16(x: f32, y: f32) -> i16 {
    let a = y.abs();
    let is_right = x > 0.0;
    let numerator = if is_right { x - a } else { x + a };
    let denominator = if is_right { x + a } else { a - x };
    let base = if is_right { QUARTER_PI } else { THREE_QUARTERS_PI };
    let angle = base - QUARTER_PI * (numerator / denominator);
    let angle = f32::from_bits(angle.to_bits() | (y.to_bits() & 0x8000_0000));
    let units = angle * UNITS_PER_RADIAN;
    // Not a number at the beam itself.
    let units = if units.abs() <= MAX_UNITS { units } else { 0.0 };
    // SAFETY: the number is within those of 32 bits.
    let units: i32 = unsafe { units.to_int_unchecked() };
    // π itself becomes the smallest number.
    units as i16
}

/// Position on a sensor: a column with a fraction of its width, and y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalPosition {
    /// The column.
    pub column: u16,
    /// Fraction of the column's width.
    pub fraction: f32,
    /// Local y in mm.
    pub y: f32,
}

/// Local y of a row with a fraction, in mm: of super-pixels.
#[inline]
pub fn local_y(row: u16, fraction: f32) -> f32 {
    ((f32::from(row) + 0.5) + fraction) * PITCH
}

/// Local x in mm of a column with a fraction of its width.
#[inline]
pub fn local_x(geometry: &Geometry, column: u16, fraction: f32) -> f32 {
    let column = usize::from(column);
    geometry.column_x[column] + fraction * geometry.column_pitch[column]
}

/// Position x, y, z in mm of a point on a sensor.
#[inline]
pub fn position(geometry: &Geometry, sensor: u16, local: LocalPosition) -> [f32; 3] {
    transformed(geometry, sensor, [local_x(geometry, local.column, local.fraction), local.y])
}

/// Position x, y, z of local x, y on a sensor, in mm.
#[inline]
pub fn transformed(geometry: &Geometry, sensor: u16, [x, y]: [f32; 2]) -> [f32; 3] {
    let t = &geometry.sensors[usize::from(sensor)];
    [(t[0] * x + t[1] * y) + t[9], (t[3] * x + t[4] * y) + t[10], (t[6] * x + t[7] * y) + t[11]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_wrap_at_pi() {
        assert_eq!(phi16(1.0, 1.0), 8192);
        assert_eq!(phi16(1.0, -1.0), -8192);
        assert_eq!((phi16(1.0, 0.0), phi16(1.0, -0.0)), (0, 0));
        assert_eq!((phi16(-1.0, 0.0), phi16(0.0, 0.0)), (i16::MIN, 0));
    }
}
