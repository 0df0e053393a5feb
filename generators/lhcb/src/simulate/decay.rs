//! Decays of strange, charmed and beauty hadrons. Momenta are in MeV, lengths in mm.

use super::functions::sin_cos;
use super::particle::{Ancestry, Momentum, pid};
use super::particles::{Particles, Product, any_direction};
use super::random::{LogNormal, Random};

/// Hadron that decays into two particles.
pub(super) struct TwoBody {
    mass: f32,
    /// Lifetime times the speed of light.
    lifetime: f32,
    /// Momentum of the products in the rest frame.
    momentum: f32,
    /// Share of the first product in the energy in the rest frame.
    share: f32,
    pids: [i32; 2],
}

/// Neutral kaon of short life, to two pions.
pub(super) const NEUTRAL_KAON: TwoBody = TwoBody {
    mass: 497.6,
    lifetime: 26.84,
    momentum: 206.0,
    share: 0.5,
    pids: [pid::PION, -pid::PION],
};

/// Lambda, to a proton and a pion.
pub(super) const LAMBDA: TwoBody = TwoBody {
    mass: 1115.7,
    lifetime: 78.9,
    momentum: 101.0,
    share: 0.846,
    pids: [pid::PROTON, -pid::PION],
};

/// Neutral D meson, to a kaon and a pion.
const CHARM: TwoBody = TwoBody {
    mass: 1864.8,
    lifetime: 0.123,
    momentum: 861.0,
    share: 0.533,
    pids: [-pid::KAON, pid::PION],
};

/// Phi meson, to two kaons, at once.
const PHI: TwoBody = TwoBody {
    mass: 1019.5,
    lifetime: 0.0,
    momentum: 127.0,
    share: 0.5,
    pids: [pid::KAON, -pid::KAON],
};

/// Strange B meson, to two phi mesons.
const STRANGE_BEAUTY: TwoBody =
    TwoBody { mass: 5366.9, lifetime: 0.455, momentum: 1592.0, share: 0.5, pids: [333, 333] };

/// Probability of a charmed hadron that decays so, in a collision of mean multiplicity.
const CHARM_RATE: f32 = 0.25;
/// Transverse momentum of charmed hadrons.
const CHARM_PT: LogNormal = LogNormal { median: 1800.0, width: 0.6 };
/// Transverse momentum of hadrons with beauty.
const BEAUTY_PT: LogNormal = LogNormal { median: 5000.0, width: 0.5 };
/// Pseudorapidity of hadrons with beauty.
const BEAUTY_ETA: [f32; 2] = [1.8, 5.0];
/// Difference in pseudorapidity of the two hadrons with beauty.
const BEAUTY_DISTANCE: f32 = 0.8;
/// Charged products of the hadron with the other beauty quark, besides those of its charmed hadron.
const OTHER_PRODUCTS: f64 = 2.5;
/// Share of the charmed hadron in the momentum of that with beauty, and mean share of others.
const CHARM_SHARE: f32 = 0.4;
const OTHER_SHARE: f32 = 0.2;
/// Momentum of the products across that of the hadron with beauty.
const KICK: f32 = 650.0;

impl TwoBody {
    /// Momenta of the products.
    fn products(&self, parent: &Momentum, random: &mut Random) -> [Momentum; 2] {
        let cosine = random.between(-1.0, 1.0);
        let [sin, cos] = sin_cos(random.between(0.0, std::f32::consts::TAU));
        let across = self.momentum * (1.0 - cosine * cosine).sqrt();
        let kick = [across * cos, across * sin];
        // Of the momentum in flight, in the limit of large momenta.
        let share = self.share + self.momentum / self.mass * cosine;
        [parent.product(share, kick), parent.product(1.0 - share, kick.map(|kick| -kick))]
    }

    /// Position of the decay.
    fn end(&self, parent: &Momentum, origin: [f32; 3], random: &mut Random) -> [f32; 3] {
        let way = self.lifetime / self.mass * random.exponential();
        [0, 1, 2].map(|axis| origin[axis] + parent.vector[axis] * way)
    }

    /// Lets a hadron fly and decay.
    pub(super) fn decay(
        &self,
        parent: Momentum,
        origin: [f32; 3],
        ancestry: Ancestry,
        random: &mut Random,
        particles: &mut Particles,
    ) {
        let end = self.end(&parent, origin, random);
        let momenta = self.products(&parent, random);
        particles.add_pair(self.pids, momenta, end, ancestry, random);
    }
}

/// Adds charmed hadrons of a collision, given its multiplicity relative to the mean.
pub(super) fn add_charm(
    vertex: [f32; 3],
    multiplicity: f32,
    random: &mut Random,
    particles: &mut Particles,
) {
    for _ in 0..random.poisson(f64::from(CHARM_RATE * multiplicity)) {
        let momentum = any_direction(random.log_normal(CHARM_PT), random);
        let ancestry = Ancestry { charm: true, ..Ancestry::default() };
        CHARM.decay(momentum, vertex, ancestry, random, particles);
    }
}

/// Adds the signal, and the hadron with the other beauty quark.
pub(super) fn add_beauty(vertex: [f32; 3], random: &mut Random, particles: &mut Particles) {
    let eta = random.between(BEAUTY_ETA[0], BEAUTY_ETA[1]);
    let signal = Ancestry { beauty: true, signal: true, ..Ancestry::default() };
    let hadron = beauty_momentum(eta, random);
    let end = STRANGE_BEAUTY.end(&hadron, vertex, random);
    for phi in STRANGE_BEAUTY.products(&hadron, random) {
        PHI.decay(phi, end, signal, random, particles);
    }
    let other = Ancestry { beauty: true, ..Ancestry::default() };
    let hadron = beauty_momentum(eta + BEAUTY_DISTANCE * random.normal(), random);
    let end = STRANGE_BEAUTY.end(&hadron, vertex, random);
    let charmed = hadron.product(CHARM_SHARE, kick(random));
    CHARM.decay(charmed, end, Ancestry { charm: true, ..other }, random, particles);
    for _ in 0..random.poisson(OTHER_PRODUCTS) {
        let share = (OTHER_SHARE * random.exponential()).min(0.5);
        let momentum = hadron.product(share, kick(random));
        let pid = if random.chance(0.5) { pid::PION } else { -pid::PION };
        particles.add(Product { pid, momentum, origin: end, ancestry: other }, random);
    }
}

fn kick(random: &mut Random) -> [f32; 2] {
    [KICK * random.normal(), KICK * random.normal()]
}

fn beauty_momentum(eta: f32, random: &mut Random) -> Momentum {
    let phi = random.between(-std::f32::consts::PI, std::f32::consts::PI);
    Momentum::from_direction(random.log_normal(BEAUTY_PT), eta, phi)
}
