//! Times of collisions, and the particles that they make.

use generators_common::random::{Exponential, Normal, Stream, poisson, uniform, within};
use rand::Rng;
use rand::distr::Distribution;

use super::constants::{
    BEND, ELECTRON_MASS, FIELD, MID_RAPIDITY, PION_MASS, PION_TRANSVERSE, PROTON_MASS,
    PROTON_SHARE, PROTON_TRANSVERSE, STEEPEST,
};
use super::tracker::Particle;

/// Particles with less momentum along the beam don't reach a station.
const MIN_FORWARD: f64 = 0.1;
/// Maximum slope: steeper particles miss the stations.
const LARGEST_SLOPE: f64 = 1.0;
/// Maximum distance from the target at which secondaries start, in cm.
const LAST_ORIGIN: f64 = 95.0;
const MIN_SECONDARY_MOMENTUM: f64 = 0.03;

/// Sources of particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// Central collisions of gold nuclei, seen in the field of the magnet.
    Gold(Gold),
    /// Straight particles from the target, evenly over a window.
    Straight(Window),
}

/// Central collisions of gold nuclei at 10 GeV a nucleon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gold {
    /// Charged particles of a collision, on average.
    pub particles: f64,
    /// Standard deviation of their rapidities.
    pub rapidity_width: f64,
    /// Average number of secondaries of each particle in the detector.
    pub secondaries: f64,
    /// Mean momentum of those, in GeV/c.
    pub secondary_momentum: f64,
    /// Standard deviation of their slopes against their parent particle.
    pub secondary_spread: f64,
}

/// A window that particles fly through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Particles of a collision that go through, on average.
    pub particles: f64,
    /// The largest slope in x.
    pub slope_x: f64,
    /// The largest slope in y.
    pub slope_y: f64,
}

/// Tables to draw from.
pub(super) struct Tables {
    pub(super) gaps: Exponential,
    pub(super) normal: Normal,
}

impl Tables {
    pub(super) fn new() -> Self {
        Tables { gaps: Exponential::new(), normal: Normal::new() }
    }
}

impl Source {
    /// Visits all particles of a collision.
    pub(super) fn particles(
        &self,
        tables: &Tables,
        stream: &mut Stream,
        mut visit: impl FnMut(&Particle),
    ) {
        match self {
            Source::Gold(gold) => gold.particles(tables, stream, visit),
            Source::Straight(window) => {
                for _ in 0..poisson(window.particles, &tables.gaps, stream) {
                    visit(&window.particle(stream));
                }
            }
        }
    }
}

impl Window {
    fn particle(&self, stream: &mut Stream) -> Particle {
        let slope_x = within(-self.slope_x..self.slope_x, stream);
        let slope_y = within(-self.slope_y..self.slope_y, stream);
        Particle::from_target([slope_x, slope_y, 1.0], PION_MASS, 0.0)
    }
}

impl Gold {
    fn particles(&self, tables: &Tables, stream: &mut Stream, mut visit: impl FnMut(&Particle)) {
        for _ in 0..poisson(self.particles, &tables.gaps, stream) {
            let Some(primary) = self.primary(tables, stream) else {
                continue;
            };
            visit(&primary);
            for _ in 0..poisson(self.secondaries, &tables.gaps, stream) {
                if let Some(secondary) = self.secondary(&primary, tables, stream) {
                    visit(&secondary);
                }
            }
        }
    }

    /// A pion or proton, unless it misses the stations.
    fn primary(&self, tables: &Tables, stream: &mut Stream) -> Option<Particle> {
        let (mass, mean, charge) = match uniform(stream) {
            share if share < PROTON_SHARE => (PROTON_MASS, PROTON_TRANSVERSE, 1.0),
            _ => (PION_MASS, PION_TRANSVERSE, sign(stream)),
        };
        let transverse = -0.5 * mean * libm::log(uniform(stream) * uniform(stream));
        let azimuth = std::f64::consts::TAU * uniform(stream);
        let deviate = f64::from(tables.normal.sample(stream));
        let rapidity = MID_RAPIDITY + self.rapidity_width * deviate;
        let forward = libm::sqrt(mass * mass + transverse * transverse) * libm::sinh(rapidity);
        let reaches = forward > MIN_FORWARD && transverse < forward * LARGEST_SLOPE;
        let (sin, cos) = libm::sincos(azimuth);
        let momentum = [transverse * cos, transverse * sin, forward];
        reaches.then(|| Particle::from_target(momentum, mass, charge))
    }

    /// A particle that starts on the trajectory of another one: from a decay, a conversion or a
    /// collision in the material.
    fn secondary(
        &self,
        parent: &Particle,
        tables: &Tables,
        stream: &mut Stream,
    ) -> Option<Particle> {
        let z = within(0.0..LAST_ORIGIN, stream);
        let state = parent.at(z)?;
        let momentum =
            MIN_SECONDARY_MOMENTUM - self.secondary_momentum * libm::log(uniform(stream));
        let bits = stream.next_u64();
        let kink = |bits: u32| self.secondary_spread * f64::from(tables.normal.deviate(bits));
        let slope_y = state.slope_y + kink((bits >> 32) as u32);
        (slope_y.abs() < STEEPEST).then(|| Particle {
            origin: [state.x, state.y, z],
            delay: parent.delay_at(z),
            slope_x: state.slope_x + kink(bits as u32),
            slope_y,
            bend: sign(stream) * BEND * FIELD / momentum,
            slowness: libm::sqrt(1.0 + ELECTRON_MASS * ELECTRON_MASS / (momentum * momentum)),
        })
    }
}

fn sign(stream: &mut Stream) -> f64 {
    if stream.next_u32() & 1 == 0 { 1.0 } else { -1.0 }
}

/// Times in ns of `count` collisions in a timeslice, in order: a Poisson process with a fixed
/// number of collisions.
pub(super) fn times(
    count: u32,
    timeslice_ns: u64,
    gaps: &Exponential,
    stream: &mut Stream,
) -> Vec<f64> {
    let mut elapsed = 0.0;
    let mut next = |_| {
        elapsed += f64::from(gaps.sample(stream)) + 0.5;
        elapsed
    };
    let mut times: Vec<_> = (0..=count).map(&mut next).collect();
    // The gap after the last collision ends with the timeslice.
    let whole = times.pop().unwrap_or(1.0);
    let scale = timeslice_ns as f64 / whole;
    times.iter_mut().for_each(|time| *time *= scale);
    times
}

#[cfg(test)]
mod tests {
    use generators_common::random::stream;

    use super::*;

    #[test]
    fn collisions_fill_the_timeslice_at_random() {
        let gaps = Exponential::new();
        let times = times(10_000, 1_000_000, &gaps, &mut stream(1, [8]));
        assert_eq!(times.len(), 10_000);
        assert!(times.is_sorted() && times[9999] < 1e6);
        let short = times.windows(2).filter(|pair| pair[1] - pair[0] < 100.0);
        let share = short.count() as f64 / 9999.0;
        assert!((share - (1.0 - f64::exp(-1.0))).abs() < 0.02, "{share}");
        assert!(super::times(0, 1000, &gaps, &mut stream(1, [8])).is_empty());
    }
}
