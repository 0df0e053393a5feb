//! Positions of modules, and directions of their strips.

use serde::{Deserialize, Serialize};

use super::{Allowed, SetupError, Validate, require};
use crate::CHANNELS_PER_SIDE;

/// Maximum deviation of a product of rows from that of a rotation: files have some nine digits.
const ROTATION_TOLERANCE: f64 = 1e-4;

/// Maximum angle of strips against the vertical, in degrees: steeper ones would continue on the
/// other side of the sensor too often.
const STEEPEST: f64 = 45.0;
/// Maximum ratio of height to width of a sensor, for the same reason.
const TALLEST: f64 = 20.0;

/// A double-sided sensor with its read-out.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Module {
    /// Height of the active area, in cm.
    #[serde(rename = "dY")]
    pub height: f64,
    /// From one strip to the next along the edge, in cm.
    pub pitch: f64,
    /// Angle of the front's strips against the vertical, in degrees.
    #[serde(rename = "stereoF")]
    pub stereo_front: f64,
    /// Stereo angle of the strips of the back, in degrees.
    #[serde(rename = "stereoB")]
    pub stereo_back: f64,
    /// Shift of the charge by the magnetic field on the front, in cm.
    #[serde(rename = "lorentzF")]
    pub lorentz_front: f64,
    /// Lorentz shift of the charge at the back, in cm.
    #[serde(rename = "lorentzB")]
    pub lorentz_back: f64,
    /// From sensor to global coordinates, row by row.
    pub rotation: [f64; 9],
    /// The centre in global coordinates, in cm.
    pub translation: [f64; 3],
}

impl Module {
    /// Modules in a row along x, at positions by their index.
    pub(super) fn regular(number: usize) -> Self {
        const MODULES_IN_PLANE: usize = 16;
        const SENSOR_CM: f64 = 6.2;
        const PLANE_CM: f64 = 10.0;
        let plane = number / MODULES_IN_PLANE;
        let column = number % MODULES_IN_PLANE;
        Module {
            height: 6.0,
            pitch: 0.0058,
            stereo_front: 0.0,
            stereo_back: 7.5,
            lorentz_front: 0.0,
            lorentz_back: 0.0,
            rotation: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            translation: [(column as f64 - 7.5) * SENSOR_CM, 0.0, (plane as f64 + 3.0) * PLANE_CM],
        }
    }

    fn row(&self, row: usize) -> [f64; 3] {
        let [a, b, c] = [0, 1, 2].map(|column| self.rotation[3 * row + column]);
        [a, b, c]
    }

    /// Rows that are of length 1, at right angles and right-handed.
    fn is_rotated(&self) -> bool {
        let [x, y, z] = [0, 1, 2].map(|row| self.row(row));
        let near = |value: f64, wanted: f64| (value - wanted).abs() < ROTATION_TOLERANCE;
        let lengths = [x, y, z].iter().all(|row| near(dot(row, row), 1.0));
        let angles = near(dot(&x, &y), 0.0) && near(dot(&y, &z), 0.0) && near(dot(&x, &z), 0.0);
        lengths && angles && near(dot(&cross(&x, &y), &z), 1.0)
    }
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

impl Validate for Module {
    fn validate(&self) -> Result<(), SetupError> {
        require("dY", self.height, Allowed::Positive)?;
        require("pitch", self.pitch, Allowed::Positive)?;
        let width = self.pitch * f64::from(CHANNELS_PER_SIDE);
        if self.height > TALLEST * width {
            let problem =
                format!("is {}; the maximum is {TALLEST} times the width of {width}", self.height);
            return Err(SetupError::new("dY", problem));
        }
        for (field, angle) in [("stereoF", self.stereo_front), ("stereoB", self.stereo_back)] {
            require(field, angle, Allowed::Finite)?;
            if angle.abs() > STEEPEST {
                let problem = format!("is {angle} degrees; the maximum is ±{STEEPEST}");
                return Err(SetupError::new(field, problem));
            }
        }
        require("lorentzF", self.lorentz_front, Allowed::Finite)?;
        require("lorentzB", self.lorentz_back, Allowed::Finite)?;
        for &value in &self.translation {
            require("translation", value, Allowed::Finite)?;
        }
        if self.is_rotated() {
            return Ok(());
        }
        let problem = format!("{:?} is not a rotation", self.rotation);
        Err(SetupError::new("rotation", problem))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_rotation(rotation: [f64; 9]) -> Result<(), SetupError> {
        let module = Module { rotation, ..Module::regular(0) };
        module.validate()
    }

    #[test]
    fn turns_and_flips_are_rotations() {
        let (sin, cos) = 0.3_f64.sin_cos();
        for rotation in [
            [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            [-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0],
            [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            [cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0],
        ] {
            with_rotation(rotation).expect("a rotation");
        }
    }

    #[test]
    fn mirrors_shears_and_scales_are_not() {
        for rotation in [
            [-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            [1.0, 0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            [2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
            [0.0; 9],
            [f64::NAN; 9],
        ] {
            let error = with_rotation(rotation).expect_err("none").to_string();
            assert!(error.ends_with("is not a rotation"), "{error}");
        }
    }

    #[test]
    fn angles_and_lengths_are_checked() {
        let refused = |change: fn(&mut Module)| {
            let mut module = Module::regular(0);
            change(&mut module);
            module.validate().expect_err("senseless").to_string()
        };
        assert!(refused(|module| module.height = -1.0).starts_with("dY is -1"));
        assert!(refused(|module| module.stereo_back = 90.0).starts_with("stereoB is 90"));
        assert!(refused(|module| module.translation[1] = f64::INFINITY).contains("finite"));
    }
}
