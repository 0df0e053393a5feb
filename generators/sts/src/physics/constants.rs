//! The constants of the simulation, and their sources.
//!
//! Lengths are in cm, times in ns, momenta in GeV/c, charges in electrons, as in the setup.
//! `docs/sts-physics.md` lists the sources: (a) the technical design report of CBM's Silicon
//! Tracking System, GSI 2013-4; (b) Review of Particle Physics, passage of particles through
//! matter; (c) our choice.

/// Thickness of a sensor (a).
pub(super) const THICKNESS: f64 = 0.032;
/// Electrons and holes set free by an electronvolt: 3.62 eV a pair.
const PAIRS_PER_EV: f64 = 1.0 / 3.62;
/// The width of Landau's distribution in eV per cm of silicon, for a particle of unit charge at the
/// speed of light (b): 0.1535 MeV cm²/g · Z/A · density.
pub(super) const LANDAU_WIDTH_EV: f64 = 0.153_5e6 * 0.498_5 * 2.329;
/// Width of Landau's distribution in electrons per cm of silicon.
pub(super) const LANDAU_WIDTH: f64 = LANDAU_WIDTH_EV * PAIRS_PER_EV;
/// Twice the electron's mass over the square of silicon's plasma energy (31.05 eV),
/// for each eV (b).
pub(super) const DENSITY_EFFECT_PER_EV: f64 = 2.0 * 0.511e6 / (31.05 * 31.05);
/// Shift of the most probable energy loss, in widths (b).
pub(super) const MPV_SHIFT: f64 = 0.200;
/// Largest deposit of a step along the path, in widths: knock-on electrons of more
/// than about 200 keV leave the sensor (c).
pub(super) const LARGEST_DEPOSIT: f64 = 300.0;
/// Minimum number of steps of the path through a sensor, and number of steps per strip (c).
pub(super) const MIN_STEPS: usize = 6;
pub(super) const MAX_STEPS: usize = 48;
/// Width of the charge cloud after it drifted through the whole sensor: thickness times
/// the root of 2 kT/e over the bias, at 268 K and 140 V (a).
pub(super) const DIFFUSION: f64 = THICKNESS * 0.018_16;
/// Part of a strip's charge that each neighbour sees instead: 1 pF between strips,
/// 17.5 pF from a strip to its amplifier (a).
pub(super) const CROSSTALK: f32 = 1.0 / 18.5;
/// Charges of a strip below this, from one crossing, are forgotten (c).
pub(super) const MIN_CHARGE: f32 = 200.0;
/// Charges on a channel within this time make one pulse: peaking time of the slow
/// shaper (a).
pub(super) const SHAPING_TIME: f64 = 80.0;

/// Light needs so long for a cm.
pub(super) const NS_PER_CM: f64 = 1.0 / 29.979_245_8;
/// Field of the dipole magnet in tesla, taken as constant up to the last station (a).
pub(super) const FIELD: f64 = 1.0;
/// Change of slope for each cm, tesla and momentum.
pub(super) const BEND: f64 = 0.299_792_458e-2;
/// Maximum slope against the beam; steeper particles are no longer followed (c).
pub(super) const STEEPEST: f64 = 2.0;

/// Masses, and how many of the charged particles are protons (c).
pub(super) const PION_MASS: f64 = 0.14;
pub(super) const PROTON_MASS: f64 = 0.94;
pub(super) const ELECTRON_MASS: f64 = 0.000_511;
pub(super) const PROTON_SHARE: f64 = 0.4;
/// Mean transverse momenta (c: about what experiments at the AGS found).
pub(super) const PION_TRANSVERSE: f64 = 0.35;
pub(super) const PROTON_TRANSVERSE: f64 = 0.65;
/// Rapidity of the centre of mass of two nucleons, one at rest, one with 10 GeV.
pub(super) const MID_RAPIDITY: f64 = 1.58;
/// Maximum ionisation of slow particles, relative to the minimum (c).
pub(super) const MAX_IONISATION: f64 = 10.0;
