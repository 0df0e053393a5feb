//! Time frames worth measuring.

use super::{Beam, Load};
use crate::named;

/// The share of samples that Gaussian noise lifts over three times its width.
const NOISE: f64 = 0.001_35;

/// Predefined running conditions of the TPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Lead on lead at 50 kHz: the design conditions of the read-out.
    PbPb,
    /// Proton on proton at 500 kHz.
    Pp,
    /// The calibration laser: thin rays, and flashes on all pads. Shots come at
    /// 10 kHz, so that there is one in each time frame, rather than at 10 Hz.
    Laser,
    /// Half of all pads and time bins filled, much noise, saturated samples.
    Stress,
}

/// Settings of a preset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PresetSettings {
    /// Source of the particles.
    pub beam: Beam,
    /// Rate or occupancy.
    pub load: Load,
    /// The share of pads and time bins with noise.
    pub noise: f64,
    /// Amplification, over the usual one.
    pub gain: f64,
}

named! {
    "preset",
    Preset {
        PbPb = "pbpb-50khz",
        Pp = "pp",
        Laser = "laser",
        Stress = "stress",
    }
}

impl Preset {
    /// Settings of this preset.
    pub const fn settings(self) -> PresetSettings {
        let usual =
            PresetSettings { beam: Beam::Lead, load: Load::Rate(50e3), noise: NOISE, gain: 1.0 };
        match self {
            Preset::PbPb => usual,
            Preset::Pp => PresetSettings { beam: Beam::Protons, load: Load::Rate(500e3), ..usual },
            Preset::Laser => PresetSettings { beam: Beam::Laser, load: Load::Rate(10e3), ..usual },
            Preset::Stress => {
                PresetSettings { load: Load::Occupancy(0.5), noise: 0.02, gain: 8.0, ..usual }
            }
        }
    }
}
