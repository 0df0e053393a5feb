//! Tracks from the interaction point, rays of the calibration laser, and the properties of all
//! crossings.

use std::ops::Range;

use generators_common::random::{Exponential, Stream, poisson, uniform, within};
use rand::Rng;

use super::collisions::Collision;
use super::physics::{
    BINS_PER_MM, DRIFT_LENGTH, HALF_SECTOR, LASER_PLANES, MAX_IONISATION, MOMENTUM_SLOPE,
    PION_MASS, PROTON_MASS, PROTON_SHARE, PSEUDORAPIDITY, RADII, RADIUS_PER_MOMENTUM, RAYS,
    SECTORS_OF_SIDE, VERTEX_SPREAD,
};

/// A point of the plane of the rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlanePoint {
    /// From the beam, in mm.
    pub(super) distance: f64,
    /// Along the row from its middle, in mm.
    pub(super) along: f64,
}

/// A particle that crosses a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Crossing {
    /// Along the row from its middle, in mm.
    pub(super) y: f64,
    /// From the crossing to the pads, in mm.
    pub(super) drift: f64,
    /// Arrival time of its charge at the pads, in time bins.
    pub(super) arrival: f64,
    /// Distance along the row for each mm across it.
    pub(super) slope: f64,
    /// Distance along the drift for each mm across the row.
    pub(super) dip: f64,
    /// Charge, over that of a minimum ionising particle at a right angle.
    pub(super) ionisation: f64,
    /// Random bits of this crossing's track, or of a turn of it.
    pub(super) key: u64,
    /// Random bits of the particle, the same for all of its crossings.
    pub(super) particle: u64,
}

/// A track from the beam that passes through the sector.
#[derive(Clone, Copy, Debug)]
pub(super) struct Track {
    time: f64,
    vertex: f64,
    /// Azimuth at the beam, from the middle of the sector.
    azimuth: f64,
    /// Half the curvature, signed.
    bend: f64,
    dip: f64,
    ionisation: f64,
    key: u64,
}

/// Charged particles in this sector for each unit of multiplicity.
const SHARE_OF_SECTOR: f64 = PSEUDORAPIDITY / SECTORS_OF_SIDE;
/// Maximum of half the angle by which a track turns between beam and row: a larger one would no
/// longer point outwards.
const MAX_TURN: f64 = 0.9;

/// The tracks of a collision in one sector.
pub(super) fn tracks(
    collision: &Collision,
    gaps: &Exponential,
    stream: &mut Stream,
) -> impl Iterator<Item = Track> {
    let count = poisson(collision.multiplicity * SHARE_OF_SECTOR, gaps, stream);
    (0..count).map(move |_| Track::new(collision.time, stream))
}

impl Track {
    fn new(time: f64, stream: &mut Stream) -> Self {
        let momentum = MOMENTUM_SLOPE * -libm::log(uniform(stream) * uniform(stream));
        let sign = f64::from(stream.next_u32() & 1) * 2.0 - 1.0;
        let bend = sign * 0.5 / (momentum * RADIUS_PER_MOMENTUM);
        let rapidity = within(0.0..PSEUDORAPIDITY, stream);
        let somewhere = within(RADII, stream);
        let azimuth = within(-HALF_SECTOR..HALF_SECTOR, stream);
        let turn = (bend * somewhere).clamp(-MAX_TURN, MAX_TURN);
        // Three of them are as good as Gaussian here.
        let vertex = [(); 3].map(|()| uniform(stream)).iter().sum::<f64>() - 1.5;
        Track {
            time,
            vertex: 2.0 * VERTEX_SPREAD * vertex,
            azimuth: azimuth - arcsine(turn),
            bend,
            dip: libm::sinh(rapidity),
            ionisation: ionisation(momentum, uniform(stream)),
            key: stream.next_u64(),
        }
    }

    /// Crossing of the track with the row at this distance from the beam, if the charge arrives
    /// within the window.
    #[inline]
    pub(super) fn crossing(&self, row: f64, window: &Range<f64>) -> Option<Crossing> {
        let turn = self.bend * row;
        let drift = DRIFT_LENGTH - (self.vertex + self.dip * row).abs();
        let arrival = self.time + drift * BINS_PER_MM;
        if drift <= 0.0 || turn.abs() > MAX_TURN || !window.contains(&arrival) {
            return None;
        }
        let angle = self.azimuth + arcsine(turn);
        let slope = tangent(angle + arcsine(turn));
        Some(Crossing {
            y: row * tangent(angle),
            drift,
            arrival,
            slope,
            dip: self.dip,
            ionisation: self.ionisation * path(slope, self.dip),
            key: self.key,
            particle: self.key,
        })
    }
}

/// Path length through a row, relative to the length of the row.
#[inline]
pub(super) fn path(slope: f64, dip: f64) -> f64 {
    (1.0 + slope * slope + dip * dip).sqrt()
}

/// Energy loss relative to the minimum: it falls with the square of the velocity.
fn ionisation(momentum: f64, species: f64) -> f64 {
    let mass = if species < PROTON_SHARE { PROTON_MASS } else { PION_MASS };
    (1.0 + mass * mass / (momentum * momentum)).min(MAX_IONISATION)
}

/// The arc sine up to 0.9, to 2 %: a track need not be a better circle.
#[inline]
fn arcsine(x: f64) -> f64 {
    let square = x * x;
    x * (1.0 + square * (1.0 / 6.0 + square * (0.075 + square * 0.09)))
}

/// The tangent of a small angle; far outside the sector it is only large.
#[inline]
fn tangent(x: f64) -> f64 {
    let square = x * x;
    x * (1.0 + square * (1.0 / 3.0 + square * (2.0 / 15.0 + square * 0.07)))
}

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

#[cfg(test)]
mod tests {
    use generators_common::random::stream;

    use super::*;

    fn some_tracks() -> Vec<Track> {
        let collision = Collision { time: 100.0, multiplicity: 6000.0, id: 0 };
        tracks(&collision, &Exponential::new(), &mut stream(1, [2])).collect()
    }

    #[test]
    fn a_sector_sees_its_share() {
        let count = some_tracks().len();
        assert!((440..560).contains(&count), "{count}");
    }

    #[test]
    fn polynomials_are_near_their_functions() {
        for step in 0..90 {
            let x = f64::from(step) / 100.0;
            assert!((arcsine(x) / x.asin() - 1.0).abs() < 0.02 || step == 0, "{x}");
        }
        for step in 1..60 {
            let x = f64::from(step) / 100.0;
            assert!((tangent(x) / x.tan() - 1.0).abs() < 0.01, "{x}");
        }
    }

    #[test]
    fn most_tracks_cross_most_rows_inside_the_sector() {
        let inside = |track: &Track, row: f64| {
            let crossing = track.crossing(row, &(0.0..1000.0));
            crossing.is_some_and(|crossing| crossing.y.abs() < row * HALF_SECTOR)
        };
        let rows: Vec<_> = (0..152).map(|row| 852.25 + f64::from(row) * 10.6).collect();
        let tracks = some_tracks();
        let mean = tracks
            .iter()
            .map(|track| rows.iter().filter(|row| inside(track, **row)).count())
            .sum::<usize>()
            / tracks.len();
        assert!((60..140).contains(&mean), "{mean}");
    }

    #[test]
    fn slow_particles_ionise_more() {
        assert!(ionisation(10.0, 0.5) < 1.01);
        assert!(ionisation(0.1, 0.5) > 2.5);
        assert!(ionisation(0.5, 0.0) > 4.0);
        assert!(ionisation(0.001, 0.0) <= MAX_IONISATION);
    }
}
