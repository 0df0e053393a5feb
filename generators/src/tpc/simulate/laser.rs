//! Charge that a shot of the calibration laser leaves in a sector.

use std::ops::Range;

use rand::Rng;

use super::collisions::Collision;
use super::physics::{BINS_PER_MM, DRIFT_LENGTH, HALF_SECTOR, LASER_PLANES, RADII, RAYS};
use super::track::{Crossing, PlanePoint, path};
use crate::random::Stream;
use crate::random::draw::within;

/// Slopes of the rays: mirrors send them across the chamber.
const SLOPES: Range<f64> = -0.6..0.6;

/// A straight ray at a fixed distance from the pads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ray {
    time: f64,
    drift: f64,
    /// A point of the ray.
    point: PlanePoint,
    slope: f64,
    key: u64,
}

/// The rays of a shot in one sector.
pub(super) fn rays(shot: &Collision, stream: &mut Stream) -> Vec<Ray> {
    let ray = |drift| {
        let distance = within(RADII, stream);
        Ray {
            time: shot.time,
            drift,
            point: PlanePoint {
                distance,
                along: distance * within(-HALF_SECTOR..HALF_SECTOR, stream),
            },
            slope: within(SLOPES, stream),
            key: stream.next_u64(),
        }
    };
    let planes = LASER_PLANES.iter().flat_map(|plane| [DRIFT_LENGTH - plane; RAYS]);
    planes.map(ray).collect()
}

impl Ray {
    /// Crossing of the ray with the row at this distance from the beam.
    pub(super) fn crossing(&self, row: f64) -> Crossing {
        Crossing {
            y: self.point.along + self.slope * (row - self.point.distance),
            drift: self.drift,
            arrival: self.time + self.drift * BINS_PER_MM,
            slope: self.slope,
            dip: 0.0,
            ionisation: path(self.slope, 0.0),
            key: self.key,
            particle: self.key,
        }
    }
}
