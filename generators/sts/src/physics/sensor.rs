//! Positions of sensors and of their strips.

use crate::CHANNELS_PER_SIDE;
use crate::setup::Module;

/// Stereo angles below this, in degrees, are none: strips don't cross the side edges.
const MIN_STEREO: f64 = 0.001;

/// A sensor: its plane is perpendicular to z.
pub(super) struct Sensor {
    centre: [f64; 3],
    /// Axes of the sensor in the coordinates of the setup, row by row.
    rotation: [f64; 9],
    half_width: f64,
    half_height: f64,
    strips_per_cm: f64,
    sides: [Side; 2],
}

/// The strips of a side.
#[derive(Clone, Copy)]
struct Side {
    tangent: f64,
    lorentz: f64,
    edges: Edges,
}

/// Behaviour of strips that leave the sensor at its left or right edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edges {
    /// No strip leaves it.
    Closed,
    /// They continue at the other edge, by wires.
    Connected,
}

/// A particle goes through a sensor.
pub(super) struct Passage {
    /// Position in the middle plane in units of strips, front and back.
    pub(super) strips: [f64; 2],
    /// Strips for each cm towards the front.
    pub(super) slopes: [f64; 2],
    /// From strip to strip, in cm.
    pub(super) pitch: f64,
    /// Length of the path over the thickness of the sensor.
    pub(super) obliquity: f64,
}

impl Side {
    fn new(stereo_degrees: f64, lorentz: f64) -> Self {
        Side {
            tangent: libm::tan(stereo_degrees.to_radians()),
            lorentz,
            edges: if stereo_degrees.abs() < MIN_STEREO { Edges::Closed } else { Edges::Connected },
        }
    }
}

impl Sensor {
    pub(super) fn new(module: &Module) -> Self {
        Sensor {
            centre: module.translation,
            rotation: module.rotation,
            half_width: 0.5 * module.pitch * f64::from(CHANNELS_PER_SIDE),
            half_height: 0.5 * module.height,
            strips_per_cm: 1.0 / module.pitch,
            sides: [
                Side::new(module.stereo_front, module.lorentz_front),
                Side::new(module.stereo_back, module.lorentz_back),
            ],
        }
    }

    /// Position along the beam.
    pub(super) fn z(&self) -> f64 {
        self.centre[2]
    }

    /// The smallest and largest x and y of its corners.
    pub(super) fn extent(&self) -> [(f64, f64); 2] {
        let [a, b, _, c, d, ..] = self.rotation;
        let half = |along_x: f64, along_y: f64| {
            along_x.abs() * self.half_width + along_y.abs() * self.half_height
        };
        let [x, y, _] = self.centre;
        let half_x = half(a, b);
        let half_y = half(c, d);
        [(x - half_x, x + half_x), (y - half_y, y + half_y)]
    }

    /// True if a point in its plane is on it.
    pub(super) fn contains(&self, x: f64, y: f64) -> bool {
        let [x, y, _] = self.turn([x - self.centre[0], y - self.centre[1], 0.0]);
        x.abs() < self.half_width && y.abs() < self.half_height
    }

    /// Passage of a particle through a point in its plane, in the coordinates of strips.
    pub(super) fn passage(&self, point: [f64; 2], slopes: [f64; 2]) -> Passage {
        let [x, y, _] = self.turn([point[0] - self.centre[0], point[1] - self.centre[1], 0.0]);
        let [along_x, along_y, along_z] = self.turn([slopes[0], slopes[1], 1.0]);
        let slope_x = along_x / along_z;
        let slope_y = along_y / along_z;
        // A strip that leaves the top edge at x is at x + (height - y) tan further down.
        let top = |side: &Side| {
            x + self.half_width - (self.half_height - y) * side.tangent + side.lorentz
        };
        let slope = |side: &Side| slope_x + slope_y * side.tangent;
        Passage {
            strips: self.sides.each_ref().map(|side| top(side) * self.strips_per_cm),
            slopes: self.sides.each_ref().map(|side| slope(side) * self.strips_per_cm),
            pitch: 1.0 / self.strips_per_cm,
            obliquity: (1.0 + slope_x * slope_x + slope_y * slope_y).sqrt(),
        }
    }

    /// The channel of a strip of a side, if it is on the sensor.
    pub(super) fn channel(&self, side: usize, strip: i32) -> Option<u16> {
        let channels = i32::from(CHANNELS_PER_SIDE);
        let is_there = (0..channels).contains(&strip);
        match self.sides[side].edges {
            Edges::Closed => is_there.then_some(strip as u16),
            Edges::Connected => Some(strip.rem_euclid(channels) as u16),
        }
    }

    /// From the coordinates of the setup to those of the sensor.
    fn turn(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let r = &self.rotation;
        [0, 1, 2].map(|axis| r[axis] * x + r[3 + axis] * y + r[6 + axis] * z)
    }
}
