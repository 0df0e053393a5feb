//! Particles of an event, before the detector.

use super::particle::{Ancestry, Momentum, SimulatedParticle};
use super::random::Random;

/// Pseudorapidities of particles: others stay in the beam pipe.
const MIN_ETA: f32 = -5.2;
const MAX_ETA: f32 = 5.7;
/// Particles that decay or interact before the end of the magnet.
const LOST: f32 = 0.26;

/// Particles of an event, before the detector.
#[derive(Default)]
pub(super) struct Particles {
    /// Charged particles.
    pub charged: Vec<SimulatedParticle>,
    /// Vertices of the collisions.
    pub vertices: Vec<[f32; 3]>,
}

/// Kind, momentum, origin and ancestors of a particle.
#[derive(Clone, Copy)]
pub(super) struct Product {
    /// Kind of particle.
    pub pid: i32,
    /// Momentum.
    pub momentum: Momentum,
    /// Origin.
    pub origin: [f32; 3],
    /// Ancestors.
    pub ancestry: Ancestry,
}

impl Particles {
    /// Adds a particle.
    pub(super) fn add(&mut self, product: Product, random: &mut Random) {
        let Product { pid, momentum, origin, ancestry } = product;
        let is_lost = random.chance(LOST);
        self.charged.push(SimulatedParticle { pid, momentum, origin, ancestry, is_lost });
    }

    /// Adds a particle and the one of opposite charge.
    pub(super) fn add_pair(
        &mut self,
        pids: [i32; 2],
        momenta: [Momentum; 2],
        origin: [f32; 3],
        ancestry: Ancestry,
        random: &mut Random,
    ) {
        for (pid, momentum) in pids.into_iter().zip(momenta) {
            self.add(Product { pid, momentum, origin, ancestry }, random);
        }
    }
}

/// A momentum of this transverse part, uniform in pseudorapidity and azimuth.
pub(super) fn any_direction(pt: f32, random: &mut Random) -> Momentum {
    let direction = random.three_uniform();
    momentum_towards(pt, direction.first(), direction.second())
}

/// The momentum of a transverse part, given the shares of the ranges of pseudorapidity and azimuth below it.
pub(super) fn momentum_towards(pt: f32, eta: f32, phi: f32) -> Momentum {
    let eta = MIN_ETA + (MAX_ETA - MIN_ETA) * eta;
    let phi = std::f32::consts::PI * (2.0 * phi - 1.0);
    Momentum::from_direction(pt, eta, phi)
}
