//! Time frames worth measuring.

use std::fmt;
use std::str::FromStr;

use super::{Beam, Load};
use crate::DataError;

/// The share of samples that Gaussian noise lifts over three times its width.
const NOISE: f64 = 0.001_35;

/// What the TPC sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Lead on lead at 50 kHz: what the read-out is made for.
    PbPb,
    /// Proton on proton at 500 kHz.
    Pp,
    /// The calibration laser: thin rays, and flashes on all pads. Shots come at
    /// 10 kHz, so that there is one in each time frame, rather than at 10 Hz.
    Laser,
    /// Half of all pads and time bins filled, much noise, saturated samples.
    Stress,
}

/// What a preset stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PresetSettings {
    /// What makes the particles.
    pub beam: Beam,
    /// How much there is.
    pub load: Load,
    /// The share of pads and time bins with noise.
    pub noise: f64,
    /// Amplification, over the usual one.
    pub gain: f64,
}

impl Preset {
    /// All presets.
    pub const ALL: [Preset; 4] = [Preset::PbPb, Preset::Pp, Preset::Laser, Preset::Stress];

    /// The name in flags and records.
    pub const fn name(self) -> &'static str {
        match self {
            Preset::PbPb => "pbpb-50khz",
            Preset::Pp => "pp",
            Preset::Laser => "laser",
            Preset::Stress => "stress",
        }
    }

    /// What it stands for.
    pub const fn settings(self) -> PresetSettings {
        let usual = PresetSettings {
            beam: Beam::Lead,
            load: Load::Rate(50e3),
            noise: NOISE,
            gain: 1.0,
        };
        match self {
            Preset::PbPb => usual,
            Preset::Pp => PresetSettings {
                beam: Beam::Protons,
                load: Load::Rate(500e3),
                ..usual
            },
            Preset::Laser => PresetSettings {
                beam: Beam::Laser,
                load: Load::Rate(10e3),
                ..usual
            },
            Preset::Stress => PresetSettings {
                load: Load::Occupancy(0.5),
                noise: 0.02,
                gain: 8.0,
                ..usual
            },
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Preset {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        let preset = Preset::ALL.into_iter().find(|preset| preset.name() == text);
        preset.ok_or_else(|| {
            let known = Preset::ALL.map(Preset::name).join(", ");
            DataError::shape(format!("unknown preset \"{text}\"; there are {known}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_come_back_from_text() {
        for preset in Preset::ALL {
            assert_eq!(preset.name().parse::<Preset>().expect("known"), preset);
        }
        let error = "pbpb".parse::<Preset>().expect_err("unknown");
        assert!(error.to_string().contains("pbpb-50khz"), "{error}");
    }
}
