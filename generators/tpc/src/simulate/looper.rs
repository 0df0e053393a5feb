//! Electrons of low momentum that spiral along the drift.

use std::ops::Range;

use generators_common::random::{Exponential, Stream, logarithmic, mix, poisson, uniform, within};
use rand::Rng;

use super::collisions::Collision;
use super::physics::{
    BINS_PER_MM, DRIFT_LENGTH, HALF_SECTOR, LOOPER_RADII, LOOPER_SLOPES, LOOPERS_PER_TRACK,
    MAX_TURNS, PSEUDORAPIDITY, RADII, SECTORS_OF_SIDE,
};
use super::track::{Crossing, PlanePoint, path};

/// Charged particles in a sector for each unit of multiplicity.
const SHARE_OF_SECTOR: f64 = LOOPERS_PER_TRACK * PSEUDORAPIDITY / SECTORS_OF_SIDE;
/// Energy loss of relativistic electrons, over that of minimum ionising particles.
const IONISATION: f64 = 1.4;
/// Maximum slope: an electron that moves along a row does not cross it for long.
const MAX_SLOPE: f64 = 3.0;
const FULL_TURN: f64 = 2.0 * std::f64::consts::PI;

/// A spiral: a circle in the plane of the rows, at a constant speed along the drift.
#[derive(Clone, Copy, Debug)]
pub(super) struct Looper {
    time: f64,
    /// The centre of the circle.
    centre: PlanePoint,
    radius: f64,
    /// Initial drift, and its change per turn.
    drift: f64,
    drift_per_turn: f64,
    turns: f64,
    dip: f64,
    key: u64,
}

/// The spirals of a collision in one sector.
pub(super) fn loopers(
    collision: &Collision,
    gaps: &Exponential,
    stream: &mut Stream,
) -> impl Iterator<Item = Looper> {
    let count = poisson(collision.multiplicity * SHARE_OF_SECTOR, gaps, stream);
    (0..count).map(move |_| Looper::new(collision.time, stream))
}

impl Looper {
    fn new(time: f64, stream: &mut Stream) -> Self {
        let distance = within(RADII, stream);
        let azimuth = within(-HALF_SECTOR..HALF_SECTOR, stream);
        let radius = logarithmic(LOOPER_RADII, stream);
        let dip = logarithmic(LOOPER_SLOPES, stream);
        let drift = within(0.0..DRIFT_LENGTH, stream);
        let sign = f64::from(stream.next_u32() & 1) * 2.0 - 1.0;
        Looper {
            time,
            centre: PlanePoint { distance, along: distance * azimuth },
            radius,
            drift,
            drift_per_turn: sign * FULL_TURN * radius * dip,
            turns: MAX_TURNS * uniform(stream),
            dip,
            key: stream.next_u64(),
        }
    }

    /// True if any of its charge can arrive within the window.
    pub(super) fn is_seen(&self, window: &Range<f64>) -> bool {
        let end = self.drift + self.drift_per_turn * self.turns;
        let [begin, end] =
            [self.drift, end.clamp(0.0, DRIFT_LENGTH)].map(|drift| self.time + drift * BINS_PER_MM);
        begin.min(end) < window.end && begin.max(end) >= window.start
    }

    /// The distances from the beam between which it is.
    pub(super) fn distances(&self) -> Range<f64> {
        self.centre.distance - self.radius..self.centre.distance + self.radius
    }

    /// All crossings of the row at this distance from the beam, two per turn, whose charge arrives
    /// within the window.
    #[inline]
    pub(super) fn crossings(
        &self,
        row: f64,
        window: &Range<f64>,
        mut visit: impl FnMut(&Crossing),
    ) {
        let across = (row - self.centre.distance) / self.radius;
        if across.abs() >= 1.0 {
            return;
        }
        let along = (1.0 - across * across).sqrt();
        let slope = (across / along).clamp(-MAX_SLOPE, MAX_SLOPE);
        let ionisation = IONISATION * path(slope, self.dip);
        let half = libm::acos(across) / FULL_TURN;
        for (phase, side) in [(half, 1.0), (1.0 - half, -1.0)] {
            let y = self.centre.along + side * along * self.radius;
            self.turns_at(phase, |turn, drift| {
                let arrival = self.time + drift * BINS_PER_MM;
                if !window.contains(&arrival) {
                    return;
                }
                visit(&Crossing {
                    y,
                    drift,
                    arrival,
                    slope,
                    dip: self.dip,
                    ionisation,
                    key: mix(self.key ^ u64::from(turn) << 1 ^ u64::from(side > 0.0)),
                    particle: self.key,
                });
            });
        }
    }

    /// The turns in which the spiral passes this phase (0 to 1) inside the chamber, and its
    /// distance from the pads.
    fn turns_at(&self, phase: f64, mut visit: impl FnMut(u32, f64)) {
        let mut turn = 0;
        while f64::from(turn) + phase < self.turns {
            let drift = self.drift + self.drift_per_turn * (f64::from(turn) + phase);
            if !(0.0..DRIFT_LENGTH).contains(&drift) {
                return;
            }
            visit(turn, drift);
            turn += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looper() -> Looper {
        Looper {
            time: 0.0,
            centre: PlanePoint { distance: 1500.0, along: 30.0 },
            radius: 100.0,
            drift: 500.0,
            drift_per_turn: 200.0,
            turns: 3.0,
            dip: 0.3,
            key: 1,
        }
    }

    fn crossings(looper: &Looper, row: f64) -> Vec<Crossing> {
        let mut crossings = Vec::new();
        looper.crossings(row, &(0.0..1e3), |crossing| crossings.push(*crossing));
        crossings
    }

    #[test]
    fn a_row_is_crossed_twice_in_a_turn() {
        let crossings = crossings(&looper(), 1560.0);
        assert_eq!(crossings.len(), 6);
        for crossing in &crossings {
            let from_centre = (crossing.y - 30.0).hypot(60.0);
            assert!((from_centre - 100.0).abs() < 1e-9);
            assert!((500.0..1100.0).contains(&crossing.drift));
        }
        let mut keys: Vec<_> = crossings.iter().map(|crossing| crossing.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 6);
    }

    #[test]
    fn rows_outside_the_circle_are_not_crossed() {
        assert!(crossings(&looper(), 1601.0).is_empty());
        assert_eq!(looper().distances(), 1400.0..1600.0);
    }

    #[test]
    fn a_spiral_ends_at_the_pads() {
        let towards_pads = Looper { drift_per_turn: -200.0, turns: 100.0, ..looper() };
        let crossings = crossings(&towards_pads, 1500.0);
        assert!(crossings.iter().all(|crossing| crossing.drift >= 0.0));
        assert!(crossings.len() < 6);
    }
}
