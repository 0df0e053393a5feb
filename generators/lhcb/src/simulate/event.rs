//! An event, from its collisions to its banks.

use crate::truth::Truth;

use super::collision::collide;
use super::noise::add_noise;
use super::particle_ids::ParticleIds;
use super::particles::Particles;
use super::pixels::EventPixels;
use super::random::{Purpose, Random};
use super::readout::{Banks, Readout, ReadoutBuffers};
use super::sensors::Sensors;
use super::shape::EventShape;
use super::track::Tracks;

/// Simulated event.
pub(super) struct SimulatedEvent {
    /// Banks by source.
    pub banks: Banks,
    /// Particles with hits, and vertices.
    pub truth: Truth,
}

/// Buffers that events use one after the other.
#[derive(Default)]
pub(super) struct EventBuffers {
    particles: Particles,
    tracks: Tracks,
    pixels: EventPixels,
    readout: ReadoutBuffers,
    ids: ParticleIds,
}

/// Common to all events.
pub(super) struct EventSimulation<'a> {
    shape: &'a EventShape,
    seed: u64,
    sensors: &'static Sensors,
    readout: Readout,
}

impl<'a> EventSimulation<'a> {
    /// Events of a valid shape.
    pub(super) fn new(shape: &'a EventShape, seed: u64) -> Self {
        let readout = Readout { format: shape.format(), wrong_flags: shape.wrong_flags as f32 };
        let sensors = Sensors::nominal();
        EventSimulation { shape, seed, sensors, readout }
    }

    /// Simulates the event of a number.
    pub(super) fn event(&self, number: u64, buffers: &mut EventBuffers) -> SimulatedEvent {
        let random = |purpose| Random::new(self.seed, number, purpose);
        let EventBuffers { particles, tracks, pixels, readout, ids } = buffers;
        let mut physics = random(Purpose::Physics);
        collide(self.shape, &mut physics, particles);
        pixels.patches.clear();
        tracks.add(&particles.charged, self.sensors, &mut physics, &mut pixels.crossings);
        let crossings = pixels.crossings.len();
        pixels.add_crossings(&mut physics);
        add_noise(self.shape, crossings, &mut random(Purpose::Noise), pixels);
        ids.reset(particles.charged.len());
        let banks = self.readout.read(pixels, &mut random(Purpose::Readout), readout, ids);
        SimulatedEvent { banks, truth: truth(particles, ids) }
    }
}

fn truth(particles: &Particles, ids: &mut ParticleIds) -> Truth {
    let mut with_hits = Vec::with_capacity(ids.particles());
    for (key, particle) in particles.charged.iter().enumerate() {
        let ids = ids.of_particle(key);
        if !ids.is_empty() {
            with_hits.push(particle.record(key as u32, ids.to_vec()));
        }
    }
    let vertices = particles.vertices.iter().map(|vertex| vertex.map(f64::from));
    Truth { particles: with_hits, vertices: vertices.collect() }
}
