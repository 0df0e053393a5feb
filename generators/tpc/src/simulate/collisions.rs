//! When particles come, and how many.

use generators_common::random::{Exponential, Stream, stream, uniform};
use rand::distr::Distribution;

use super::physics::{DRIFT_TIME, LEAD_MULTIPLICITY, ORBIT, ORBIT_S, PROTON_MULTIPLICITY};
use super::{Beam, Load};

/// Names of the streams of collisions and of the particles in a sector.
const COLLISIONS: u64 = 0;
/// Number of orbits before the first one whose collisions still drift when it starts.
const ORBITS_BEFORE: u32 = 2;
/// Time bins after its arrival in which charge is still seen; more than enough.
const RESPONSE_TIME: f64 = 20.0;
/// The first shot of the laser, in time bins.
const FIRST_SHOT: f64 = 12.5;
/// Tracks that come together where the load is an occupancy.
const EVEN_MULTIPLICITY: f64 = 10.0;

/// Something that makes tracks at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collision {
    /// In time bins from the start of the time frame; may be negative.
    pub(super) time: f64,
    /// Charged particles a unit of pseudorapidity.
    pub(super) multiplicity: f64,
    /// Differs from that of any other collision.
    pub(super) id: u64,
}

/// The collisions or shots of a time frame.
#[derive(Clone, Debug)]
pub(super) struct Collisions {
    pub(super) beam: Beam,
    pub(super) rate_hz: f64,
    /// Variation between collisions.
    pub(super) spread: Spread,
    pub(super) seed: u64,
}

/// Variation between collisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spread {
    /// Natural fluctuations.
    Natural,
    /// All equal and small: an even load.
    Even,
}

impl Spread {
    pub(super) fn for_load(load: Load) -> Self {
        match load {
            Load::Rate(_) => Spread::Natural,
            Load::Occupancy(_) => Spread::Even,
        }
    }
}

impl Collisions {
    /// Collisions whose charge may arrive in this orbit.
    pub(super) fn seen_in(&self, orbit: u32, gaps: &Exponential) -> Vec<Collision> {
        let earliest = f64::from(orbit) * ORBIT - DRIFT_TIME - RESPONSE_TIME;
        let mut seen = Vec::new();
        // Shifted, so that orbits before the time frame have numbers too.
        for shifted in orbit..=orbit + ORBITS_BEFORE {
            self.add_orbit(shifted, gaps, &mut seen);
        }
        seen.retain(|collision| collision.time > earliest);
        seen
    }

    fn add_orbit(&self, shifted: u32, gaps: &Exponential, collisions: &mut Vec<Collision>) {
        match self.beam {
            Beam::Laser => self.add_shots(shifted, collisions),
            Beam::Lead | Beam::Protons => self.add_collisions(shifted, gaps, collisions),
        }
    }

    /// A Poisson process; it may restart with each orbit, because it has no memory.
    fn add_collisions(&self, shifted: u32, gaps: &Exponential, collisions: &mut Vec<Collision>) {
        let mut stream = stream(self.seed, [COLLISIONS, shifted.into()]);
        let bins_per_gap = ORBIT / (self.rate_hz * ORBIT_S) / f64::from(Exponential::MEAN);
        let start = begin_of(shifted);
        let mut elapsed = 0.0;
        for index in 0_u64.. {
            let gap = f64::from(gaps.sample(&mut stream));
            elapsed += (gap + 1.0) * bins_per_gap;
            if elapsed >= ORBIT {
                return;
            }
            collisions.push(Collision {
                time: start + elapsed,
                multiplicity: self.multiplicity(&mut stream),
                id: u64::from(shifted) << 32 | index,
            });
        }
    }

    fn add_shots(&self, shifted: u32, collisions: &mut Vec<Collision>) {
        let period = ORBIT / (self.rate_hz * ORBIT_S);
        let start = begin_of(shifted);
        let first = libm::ceil((start - FIRST_SHOT) / period).max(0.0);
        let mut number = first as u64;
        loop {
            let time = FIRST_SHOT + number as f64 * period;
            let is_within = time < start + ORBIT;
            if !is_within {
                return;
            }
            collisions.push(Collision { time, multiplicity: 0.0, id: number });
            number += 1;
        }
    }

    fn multiplicity(&self, stream: &mut Stream) -> f64 {
        let uniform = uniform(stream);
        match (self.spread, self.beam) {
            (Spread::Even, _) => EVEN_MULTIPLICITY,
            (Spread::Natural, Beam::Lead) => LEAD_MULTIPLICITY * uniform * uniform * uniform,
            (Spread::Natural, _) => -PROTON_MULTIPLICITY * libm::log(uniform),
        }
    }
}

/// Start of an orbit, in time bins.
fn begin_of(shifted: u32) -> f64 {
    (f64::from(shifted) - f64::from(ORBITS_BEFORE)) * ORBIT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collisions(beam: Beam, rate_hz: f64) -> Collisions {
        Collisions { beam, rate_hz, spread: Spread::Natural, seed: 1 }
    }

    /// The collisions of `orbits` orbits, each counted once.
    fn all(collisions: &Collisions, orbits: u32) -> Vec<Collision> {
        let gaps = Exponential::new();
        let mut all = Vec::new();
        for shifted in ORBITS_BEFORE..ORBITS_BEFORE + orbits {
            collisions.add_orbit(shifted, &gaps, &mut all);
        }
        all
    }

    #[test]
    fn the_collision_rate_is_as_requested() {
        let lead = all(&collisions(Beam::Lead, 50e3), 2000);
        let expected = 50e3 * ORBIT_S * 2000.0;
        let ratio = lead.len() as f64 / expected;
        assert!((0.97..1.03).contains(&ratio), "{ratio}");
        let mean = lead.iter().map(|c| c.multiplicity).sum::<f64>() / lead.len() as f64;
        assert!((480.0..520.0).contains(&mean), "{mean}");
        assert!(all(&collisions(Beam::Lead, 0.0), 10).is_empty());
    }

    #[test]
    fn shots_are_regular() {
        let shots = all(&collisions(Beam::Laser, 10e3), 100);
        assert_eq!(shots.len(), 90);
        for pair in shots.windows(2) {
            assert!((pair[1].time - pair[0].time - 500.0).abs() < 1e-6);
        }
        assert!(all(&collisions(Beam::Laser, 0.0), 10).len() <= 1);
    }

    #[test]
    fn orbits_see_the_same_collisions() {
        let collisions = collisions(Beam::Lead, 200e3);
        let gaps = Exponential::new();
        let later = collisions.seen_in(8, &gaps);
        let seen = collisions.seen_in(7, &gaps);
        let both = |c: &&Collision| c.time > 8.0 * ORBIT - DRIFT_TIME && c.time < 8.0 * ORBIT;
        let count = seen.iter().filter(both).count();
        assert!(count > 10);
        assert_eq!(count, later.iter().filter(both).count());
        assert!(later[0].time < 8.0 * ORBIT && later[0].time > 6.9 * ORBIT - 30.0);
    }
}
