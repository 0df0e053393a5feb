//! Vertices of an event, and the particles from them.

use super::decay;
use super::particle::{Ancestry, pid};
use super::particles::{Particles, Product, momentum_towards};
use super::random::{LogNormal, Random};
use super::secondary;
use super::shape::EventShape;

/// Width of the luminous region along the beam and across it, in mm.
const SIGMA_Z: f32 = 45.0;
const SIGMA_XY: f32 = 0.028;
/// Charged particles of a collision on average, within the pseudorapidities below.
const MEAN_PARTICLES: f32 = 62.5;
/// Particles of a collision at least.
const MIN_PARTICLES: f32 = 2.0;
/// Charged particles from the vertices of an event at most, with some 53 000 clusters: collisions beyond
/// have fewer or none.
const MAX_PARTICLES: f32 = 10_000.0;
/// Factor on the particles of a collision that makes beauty quarks.
const SIGNAL_FACTOR: f32 = 1.3;
/// Transverse momentum of particles in MeV.
const PT: LogNormal = LogNormal { median: 330.0, width: 0.85 };
/// Shares of kaons, and of kaons and protons.
const KAONS: f32 = 0.10;
const KAONS_AND_PROTONS: f32 = 0.19;

/// Simulates the collisions of an event.
pub(super) fn collide(shape: &EventShape, random: &mut Random, particles: &mut Particles) {
    particles.charged.clear();
    particles.vertices.clear();
    let collisions = random.poisson(shape.interactions).max(1);
    let mut rest = MAX_PARTICLES;
    for collision in 0..collisions {
        let vertex =
            [SIGMA_XY * random.normal(), SIGMA_XY * random.normal(), SIGMA_Z * random.normal()];
        particles.vertices.push(vertex);
        let is_signal = shape.preset.settings().has_signal && collision == 0;
        let factor = if is_signal { SIGNAL_FACTOR } else { 1.0 };
        let mean = factor * MEAN_PARTICLES * shape.occupancy as f32;
        let multiplicity = MIN_PARTICLES + (mean - MIN_PARTICLES).max(0.0) * random.exponential();
        let multiplicity = multiplicity.min(rest);
        rest -= multiplicity;
        for _ in 0..multiplicity as usize {
            add_primary(vertex, random, particles);
        }
        secondary::add(vertex, multiplicity, random, particles);
        decay::add_charm(vertex, multiplicity / MEAN_PARTICLES, random, particles);
        if is_signal {
            decay::add_beauty(vertex, random, particles);
        }
    }
}

fn add_primary(vertex: [f32; 3], random: &mut Random, particles: &mut Particles) {
    let pt = random.log_normal(PT);
    let direction = random.three_uniform();
    let kind = direction.third();
    let pid = if kind < KAONS {
        pid::KAON
    } else if kind < KAONS_AND_PROTONS {
        pid::PROTON
    } else {
        pid::PION
    };
    let pid = if random.chance(0.5) { pid } else { -pid };
    let momentum = momentum_towards(pt, direction.first(), direction.second());
    particles.add(Product { pid, momentum, origin: vertex, ancestry: Ancestry::default() }, random);
}
