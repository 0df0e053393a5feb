//! A charged particle on its way. Momenta are in MeV, lengths in mm.

use crate::truth::{Particle, ParticleFlags};

use super::functions::{azimuth, exp, ln, sin_cos};

/// Kinds of particles, in the numbering of the Particle Data Group.
pub(super) mod pid {
    /// Electron.
    pub(in super::super) const ELECTRON: i32 = 11;
    /// Charged pion.
    pub(in super::super) const PION: i32 = 211;
    /// Charged kaon.
    pub(in super::super) const KAON: i32 = 321;
    /// Proton.
    pub(in super::super) const PROTON: i32 = 2212;
}

/// Ancestors of a particle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ancestry {
    /// A hadron with beauty.
    pub beauty: bool,
    /// A hadron with charm.
    pub charm: bool,
    /// A strange particle.
    pub strange: bool,
    /// The decay that is looked for.
    pub signal: bool,
}

/// Momentum and direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Momentum {
    /// Components x, y, z.
    pub vector: [f32; 3],
    /// Magnitude.
    pub p: f32,
    /// Transverse part.
    pub pt: f32,
    /// Pseudorapidity.
    pub eta: f32,
    /// Azimuth.
    pub phi: f32,
}

impl Momentum {
    /// The momentum of this transverse part and direction.
    pub(super) fn from_direction(pt: f32, eta: f32, phi: f32) -> Self {
        let growth = exp(eta);
        let sinh = 0.5 * (growth - 1.0 / growth);
        let cosh = 0.5 * (growth + 1.0 / growth);
        let [sin, cos] = sin_cos(phi);
        Momentum { vector: [pt * cos, pt * sin, pt * sinh], p: pt * cosh, pt, eta, phi }
    }

    /// The momentum with these components.
    pub(super) fn from_vector(vector: [f32; 3]) -> Self {
        let [x, y, z] = vector;
        let pt = (x * x + y * y).sqrt().max(f32::MIN_POSITIVE);
        let p = (pt * pt + z * z).sqrt();
        let eta = ln((z.abs() + p) / pt).copysign(z);
        Momentum { vector, p, pt, eta, phi: azimuth(x, y) }
    }

    /// The momentum of a product: a share of this one, and a kick across it.
    pub(super) fn product(&self, share: f32, kick: [f32; 2]) -> Self {
        let [x, y, z] = self.vector.map(|component| component * share);
        let [across, along] = kick;
        // Two directions at right angles to the momentum, and to each other.
        let [cos, sin] = [self.vector[0] / self.pt, self.vector[1] / self.pt];
        let [cos_theta, sin_theta] = [self.vector[2] / self.p, self.pt / self.p];
        Momentum::from_vector([
            x - across * sin + along * cos_theta * cos,
            y + across * cos + along * cos_theta * sin,
            z - along * sin_theta,
        ])
    }
}

/// Charged particle.
#[derive(Clone, Copy, Debug)]
pub(super) struct SimulatedParticle {
    /// Kind of particle.
    pub pid: i32,
    /// Momentum at the origin.
    pub momentum: Momentum,
    /// Origin x, y, z.
    pub origin: [f32; 3],
    /// Ancestors.
    pub ancestry: Ancestry,
    /// True if it is lost behind the magnet, because of a decay or an interaction.
    pub is_lost: bool,
}

/// Modules with hits of a particle that can be found.
const MIN_MODULES: usize = 3;
/// Pseudorapidity within which particles reach the stations behind the magnet.
const ACCEPTANCE: std::ops::Range<f32> = 2.0..5.0;
/// Momentum from which on particles reach the upstream tracker.
const MIN_P_UT: f32 = 1000.0;
/// Momentum from which on particles reach the stations behind the magnet.
const MIN_P_SCIFI: f32 = 2000.0;

impl SimulatedParticle {
    /// The record of the particle, given its hits.
    pub(super) fn record(&self, key: u32, velo_ids: Vec<u32>) -> Particle {
        let Momentum { p, pt, eta, phi, .. } = self.momentum;
        let has_velo = has_modules(&velo_ids);
        let is_forward = ACCEPTANCE.contains(&eta);
        let has_ut = is_forward && p > MIN_P_UT;
        let has_scifi = is_forward && p > MIN_P_SCIFI && !self.is_lost;
        let flags = ParticleFlags {
            is_long: has_velo && has_scifi,
            is_down: has_ut && has_scifi,
            has_velo,
            has_ut,
            has_scifi,
            from_beauty: self.ancestry.beauty,
            from_charm: self.ancestry.charm,
            from_strange: self.ancestry.strange,
            from_signal: self.ancestry.signal,
        };
        Particle { key, pid: self.pid, p, pt, eta, phi, origin: self.origin, flags, velo_ids }
    }
}

/// True if there are hits in enough modules; identifiers are in order of sensors.
fn has_modules(velo_ids: &[u32]) -> bool {
    let module = |id: &u32| id >> 20 & 0x3F;
    let changes = velo_ids.windows(2).filter(|pair| module(&pair[0]) != module(&pair[1]));
    1 + changes.count() >= MIN_MODULES
}
