//! Particles that start away from the vertices: conversions of photons, interactions and knocked-out
//! electrons in the material, decays of strange particles. Momenta are in MeV, lengths in mm.

use super::decay::{LAMBDA, NEUTRAL_KAON};
use super::particle::{Ancestry, Momentum, pid};
use super::particles::{Particles, Product, any_direction};
use super::random::{LogNormal, Random};
use super::sensors::Sensors;

/// Conversions for a charged particle of the collision, of which some are lost.
const CONVERSIONS: f32 = 0.110;
/// Interactions in the material for a charged particle.
const INTERACTIONS: f32 = 0.05;
/// Electrons that are knocked out of the material, for a charged particle.
const KNOCKED_OUT: f32 = 0.055;
/// Decays of neutral kaons and Lambdas, for a charged particle.
const KAONS: f32 = 0.055;
const LAMBDAS: f32 = 0.022;

/// Transverse momenta of what converts, interacts or decays.
const PHOTON_PT: LogNormal = LogNormal { median: 190.0, width: 1.0 };
const HADRON_PT: LogNormal = LogNormal { median: 400.0, width: 0.8 };
const KAON_PT: LogNormal = LogNormal { median: 360.0, width: 0.7 };
const LAMBDA_PT: LogNormal = LogNormal { median: 600.0, width: 0.6 };
/// Momentum of electrons across that of their photon.
const PAIR_KICK: f32 = 0.6;
/// Further products of an interaction after the first, and momentum of each.
const FURTHER_PRODUCTS: f64 = 2.2;
const PRODUCT_P: LogNormal = LogNormal { median: 350.0, width: 0.9 };
/// Share of the products that fly backwards.
const BACKWARD: f32 = 0.15;
/// Momentum of knocked-out electrons.
const KNOCKED_OUT_P: LogNormal = LogNormal { median: 9.0, width: 1.0 };
/// Momentum of products of interactions and knocked-out electrons across the direction of their mother,
/// relative to their momentum.
const WIDE_KICK: f32 = 0.5;

/// Distance of the material from the beam, and that of the foil around the beam, which is nearest.
const RADIUS: LogNormal = LogNormal { median: 11.5, width: 0.68 };
const FOIL: f32 = 3.7;
const MAX_FOIL_RADIUS: f32 = 5.0;
/// Distance of the sensors of a module from its middle.
const SENSOR_DISTANCE: f32 = 0.581;

/// Adds the secondary particles of a collision.
pub(super) fn add(
    vertex: [f32; 3],
    multiplicity: f32,
    random: &mut Random,
    particles: &mut Particles,
) {
    let mut count = |rate: f32| random.poisson(f64::from(rate * multiplicity));
    let conversions = count(CONVERSIONS);
    let interactions = count(INTERACTIONS);
    let knocked_out = count(KNOCKED_OUT);
    let kaons = count(KAONS);
    let lambdas = count(LAMBDAS);
    for _ in 0..conversions {
        add_conversion(vertex, random, particles);
    }
    for _ in 0..interactions {
        add_interaction(vertex, random, particles);
    }
    for _ in 0..knocked_out {
        add_knocked_out(vertex, random, particles);
    }
    let strange = Ancestry { strange: true, ..Ancestry::default() };
    for _ in 0..kaons {
        let momentum = any_direction(random.log_normal(KAON_PT), random);
        NEUTRAL_KAON.decay(momentum, vertex, strange, random, particles);
    }
    for _ in 0..lambdas {
        let momentum = any_direction(random.log_normal(LAMBDA_PT), random);
        LAMBDA.decay(momentum, vertex, strange, random, particles);
    }
}

/// A direction from the vertex, and where it meets material; `None` if that is outside.
fn meet_material(vertex: [f32; 3], momentum: &Momentum, random: &mut Random) -> Option<[f32; 3]> {
    let radius = random.log_normal(RADIUS).max(FOIL);
    let sensors = Sensors::nominal();
    let [x, y, z] = momentum.vector;
    let mut distance = radius * z / momentum.pt;
    if radius > MAX_FOIL_RADIUS {
        let hit = vertex[2] + distance;
        let next = sensors.modules_before(hit);
        let module = sensors.modules.get(next).filter(|_| next > 0)?;
        let side = if random.chance(0.5) { SENSOR_DISTANCE } else { -SENSOR_DISTANCE };
        distance = module.z + side - vertex[2];
    }
    let [tx, ty] = [x / z, y / z];
    Some([vertex[0] + tx * distance, vertex[1] + ty * distance, vertex[2] + distance])
}

/// A photon that makes an electron and a positron, nearly parallel.
fn add_conversion(vertex: [f32; 3], random: &mut Random, particles: &mut Particles) {
    let photon = any_direction(random.log_normal(PHOTON_PT), random);
    let Some(origin) = meet_material(vertex, &photon, random) else { return };
    let share = random.between(0.04, 0.96);
    let kick = [PAIR_KICK * random.normal(), PAIR_KICK * random.normal()];
    let opposite = kick.map(|kick| -kick);
    let momenta = [photon.product(share, kick), photon.product(1.0 - share, opposite)];
    let pids = [pid::ELECTRON, -pid::ELECTRON];
    particles.add_pair(pids, momenta, origin, Ancestry::default(), random);
}

/// A hadron that breaks up in the material into some particles, in wide angles.
fn add_interaction(vertex: [f32; 3], random: &mut Random, particles: &mut Particles) {
    let hadron = any_direction(random.log_normal(HADRON_PT), random);
    let Some(origin) = meet_material(vertex, &hadron, random) else { return };
    for _ in 0..1 + random.poisson(FURTHER_PRODUCTS) {
        let p = random.log_normal(PRODUCT_P);
        let kick = [WIDE_KICK * p * random.normal(), WIDE_KICK * p * random.normal()];
        let mut momentum = hadron.product((p / hadron.p).min(0.9), kick);
        if random.chance(BACKWARD) {
            momentum = Momentum::from_vector(momentum.vector.map(|component| -0.5 * component));
        }
        let pid = match random.below(10) {
            0..3 => pid::PROTON,
            3..6 => -pid::PION,
            _ => pid::PION,
        };
        particles.add(Product { pid, momentum, origin, ancestry: Ancestry::default() }, random);
    }
}

/// An electron of little momentum, which scatters strongly.
fn add_knocked_out(vertex: [f32; 3], random: &mut Random, particles: &mut Particles) {
    let mother = any_direction(1000.0, random);
    let Some(origin) = meet_material(vertex, &mother, random) else { return };
    let p = random.log_normal(KNOCKED_OUT_P);
    let kick = [WIDE_KICK * p * random.normal(), WIDE_KICK * p * random.normal()];
    let momentum = mother.product(p / mother.p, kick);
    let ancestry = Ancestry::default();
    particles.add(Product { pid: pid::ELECTRON, momentum, origin, ancestry }, random);
}
