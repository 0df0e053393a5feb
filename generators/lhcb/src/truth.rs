//! Monte Carlo truth: particles, and the pixels that they hit.

/// Particle of an event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Particle {
    /// Number of the particle in its event.
    pub key: u32,
    /// Kind of particle, in the numbering of the Particle Data Group: 11 is an electron.
    pub pid: i32,
    /// Momentum in MeV.
    pub p: f32,
    /// Transverse momentum in MeV.
    pub pt: f32,
    /// Pseudorapidity.
    pub eta: f32,
    /// Azimuth in radians.
    pub phi: f32,
    /// Origin x, y, z in mm.
    pub origin: [f32; 3],
    /// Properties.
    pub flags: ParticleFlags,
    /// Identifiers of its hits in the VELO, with marks of fractions.
    pub velo_ids: Vec<u32>,
}

/// Properties of a particle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParticleFlags {
    /// Has hits from the VELO to the stations behind the magnet.
    pub is_long: bool,
    /// Has hits before and behind the magnet.
    pub is_down: bool,
    /// Can be found in the VELO.
    pub has_velo: bool,
    /// Has hits in the upstream tracker.
    pub has_ut: bool,
    /// Has hits in the fibre tracker.
    pub has_scifi: bool,
    /// Comes from a hadron with beauty.
    pub from_beauty: bool,
    /// Comes from a hadron with charm.
    pub from_charm: bool,
    /// Comes from a strange particle.
    pub from_strange: bool,
    /// Belongs to the signal.
    pub from_signal: bool,
}

/// Kind of an electron or positron.
const ELECTRON: i32 = 11;

impl Particle {
    /// True for electrons and positrons.
    pub fn is_electron(&self) -> bool {
        self.pid.abs() == ELECTRON
    }
}

/// Truth of an event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Truth {
    /// All particles, or those with hits in the VELO.
    pub particles: Vec<Particle>,
    /// Positions of primary vertices x, y, z in mm.
    pub vertices: Vec<[f64; 3]>,
}
