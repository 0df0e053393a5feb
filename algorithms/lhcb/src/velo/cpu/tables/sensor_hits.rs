//! Hits on sensors, and their positions and angles, eight at a time.

use generators_lhcb::geometry::Geometry;

use super::lanes::{LANES, Numbers, phi32};
use super::lists::{chunk, chunk_mut, grow};
use crate::velo::cpu::results::HitSlots;

/// Hits on sensors, in runs of the same sensor.
#[derive(Clone, Debug, Default)]
pub struct SensorRuns {
    len: usize,
    ids: Vec<u32>,
    /// Local x and y in mm.
    x: Vec<f32>,
    y: Vec<f32>,
    runs: Vec<Run>,
}

/// A hit on a sensor.
#[derive(Clone, Copy, Debug)]
pub struct SensorHit {
    /// The identifier.
    pub id: u32,
    /// Local x in mm.
    pub x: f32,
    /// Local y in mm.
    pub y: f32,
}

/// Hits of a sensor.
#[derive(Clone, Copy, Debug)]
struct Run {
    sensor: u16,
    /// Index after its last hit.
    end: usize,
}

impl SensorRuns {
    /// Removes all hits, and makes a capacity for others.
    pub fn clear(&mut self, capacity: usize) {
        self.len = 0;
        self.runs.clear();
        let capacity = capacity + LANES;
        grow(&mut self.ids, capacity);
        grow(&mut self.x, capacity);
        grow(&mut self.y, capacity);
    }

    /// Number of hits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Appends a hit if it is wanted.
    #[inline]
    pub fn push_if(&mut self, is_wanted: bool, hit: SensorHit) {
        // Written in any case, without a branch that nothing predicts.
        self.ids[self.len] = hit.id;
        self.x[self.len] = hit.x;
        self.y[self.len] = hit.y;
        self.len += usize::from(is_wanted);
    }

    /// Ends the hits of a sensor.
    #[inline]
    pub fn end_run(&mut self, sensor: u16) {
        self.runs.push(Run { sensor, end: self.len });
    }

    /// Writes the hits with their positions and angles to slots from `start` on, and up to seven slots
    /// after them.
    pub fn write_to(&self, geometry: &Geometry, slots: &mut HitSlots<'_>, start: usize) {
        slots.ids[start..start + self.len].copy_from_slice(&self.ids[..self.len]);
        let mut first = 0;
        for &Run { sensor, end } in &self.runs {
            let transform = Transform::new(geometry, sensor);
            for index in (first..end).step_by(LANES) {
                let [x, y] = [&self.x, &self.y].map(|list| Numbers::load(chunk(list, index)));
                transform.write(x, y, slots, start + index);
            }
            first = end;
        }
    }
}

/// Transformation of positions on a sensor, each coefficient in all lanes.
pub struct Transform {
    /// Of local x, y and 1: x, y and z.
    coefficients: [[Numbers; 3]; 3],
}

impl Transform {
    /// The transformation of a sensor.
    #[inline]
    pub fn new(geometry: &Geometry, sensor: u16) -> Self {
        let of_sensor = &geometry.sensors[usize::from(sensor)];
        let row =
            |row: usize| [3 * row, 3 * row + 1, 9 + row].map(|at| Numbers::splat(of_sensor[at]));
        Transform { coefficients: [0, 1, 2].map(row) }
    }

    /// Writes positions and angles of eight hits to slots from an index on.
    #[inline]
    pub fn write(&self, x: Numbers, y: Numbers, slots: &mut HitSlots<'_>, index: usize) {
        let transformed =
            |[of_x, of_y, shift]: [Numbers; 3]| of_x.times(x).plus(of_y.times(y)).plus(shift);
        let [x, y, z] = self.coefficients.map(transformed);
        *chunk_mut(slots.x, index) = x.array();
        *chunk_mut(slots.y, index) = y.array();
        *chunk_mut(slots.z, index) = z.array();
        *chunk_mut(slots.phi, index) = phi32(x, y).high_halves();
    }
}
