//! All that crosses a sector while a heartbeat frame lasts, and the constants of all frames.

use generators_common::random::{Exponential, stream};

use super::Beam;
use super::bad_pads::BadPads;
use super::cells::{CellOrder, Columns};
use super::collisions::{Collision, Collisions};
use super::looper::{self, Looper};
use super::response::Response;
use super::track::{self, Ray, Track};
use crate::ZsFormat;

/// Names the streams of particles.
const PARTICLES: u64 = 1;

/// All that crosses a sector while a heartbeat frame lasts.
#[derive(Default)]
pub(super) struct Particles {
    pub(super) tracks: Vec<Track>,
    pub(super) loopers: Vec<Looper>,
    pub(super) rays: Vec<Ray>,
    /// When the laser shot, in time bins.
    pub(super) shots: Vec<f64>,
}

impl Particles {
    /// Particles whose charge may arrive in this frame.
    pub(super) fn seen_in(sector: usize, frame: u32, simulation: &Simulation) -> Self {
        let mut particles = Particles::default();
        let window = Columns::for_frame(frame).window();
        for collision in simulation.collisions.seen_in(frame, &simulation.gaps) {
            particles.add(&collision, simulation, sector);
        }
        particles.loopers.retain(|looper| looper.is_seen(&window));
        particles
    }

    fn add(&mut self, collision: &Collision, simulation: &Simulation, sector: usize) {
        let of_sector = |id| stream(simulation.seed, [PARTICLES, sector as u64, id]);
        let gaps = &simulation.gaps;
        match simulation.collisions.beam {
            Beam::Laser => {
                // The laser's mirrors are fixed: all shots are equal.
                self.rays.extend(track::rays(collision, &mut of_sector(0)));
                self.shots.push(collision.time);
            }
            Beam::Lead | Beam::Protons => {
                let mut stream = of_sector(collision.id);
                self.tracks.extend(track::tracks(collision, gaps, &mut stream));
                self.loopers.extend(looper::loopers(collision, gaps, &mut stream));
            }
        }
    }
}

/// Constants of all frames.
pub(super) struct Simulation {
    pub(super) format: ZsFormat,
    pub(super) collisions: Collisions,
    pub(super) noise: f64,
    pub(super) bad_pads: BadPads,
    pub(super) gain: f64,
    pub(super) cells: CellOrder,
    pub(super) gaps: Exponential,
    pub(super) response: Response,
    pub(super) seed: u64,
}
