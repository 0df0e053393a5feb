//! Parameters of a time frame, and those of time frames worth measuring.

use std::fmt;
use std::str::FromStr;

use generators_common::{DataError, named};
use text::Untrusted;

use crate::ZsFormat;
use crate::geometry::SECTORS;
use crate::pages::Framing;

/// Maximum length of a time frame, 3.6 s: its pages would fill any disk.
const MAX_ORBITS: u32 = 40_000;
/// Bunches can't collide more often.
const MAX_RATE_HZ: f64 = 40e6;
/// Above this, tracks overlap and add nothing.
const MAX_OCCUPANCY: f64 = 0.9;

/// Source of the particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beam {
    /// Collisions of lead nuclei, from central to peripheral.
    Lead,
    /// Collisions of protons.
    Protons,
    /// Shots of the calibration laser, at regular times.
    Laser,
}

/// Rate or occupancy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// Collisions or shots a second.
    Rate(f64),
    /// The share of pads and time bins that have a sample, noise included. Tracks
    /// then come evenly in time rather than in collisions.
    Occupancy(f64),
}

/// Parameters of a time frame.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeFrameShape {
    /// The format of the pages.
    pub format: ZsFormat,
    /// Source of the particles.
    pub beam: Beam,
    /// Rate or occupancy.
    pub load: Load,
    /// The share of pads and time bins with a sample that is noise.
    pub noise: f64,
    /// The share of pads that have lost their baseline.
    pub noisy_pads: f64,
    /// The share of pads that particles keep busy.
    pub hot_pads: f64,
    /// Amplification relative to the usual one: large ones saturate the ADC.
    pub gain: f64,
    /// Orbits, and so heartbeat frames.
    pub orbits: u32,
    /// Sectors, from sector 0 on.
    pub sectors: usize,
    /// Number of the first orbit; it wraps at 2^32.
    pub first_orbit: u32,
    /// Header-only pages in addition to those with data.
    pub framing: Framing,
}

impl TimeFrameShape {
    /// A time frame of a preset: 2 orbits of all sectors.
    pub fn for_preset(preset: Preset, format: ZsFormat) -> Self {
        let settings = preset.settings();
        TimeFrameShape {
            format,
            beam: settings.beam,
            load: settings.load,
            noise: settings.noise,
            noisy_pads: 0.0,
            hot_pads: 0.0,
            gain: settings.gain,
            orbits: 2,
            sectors: SECTORS,
            first_orbit: 0,
            framing: Framing::Simulated,
        }
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// The invalid value, and the valid ones.
    pub fn validate(&self) -> Result<(), DataError> {
        self.validate_extent()?;
        self.validate_load()?;
        if !(0.0..=MAX_OCCUPANCY).contains(&self.noise) {
            return Err(DataError::shape(format!(
                "noise {} is not a share of pads and time bins; use 0 to {MAX_OCCUPANCY}",
                self.noise
            )));
        }
        let bad = self.noisy_pads + self.hot_pads;
        if !(self.noisy_pads >= 0.0 && self.hot_pads >= 0.0 && bad <= 1.0) {
            return Err(DataError::shape(format!(
                "noisy pads {} and hot pads {} are not shares of all pads; use 0 to 1 in all",
                self.noisy_pads, self.hot_pads
            )));
        }
        if !(self.gain > 0.0 && self.gain <= 100.0) {
            let gain = self.gain;
            let problem = format!("a gain of {gain} is invalid; use up to 100");
            return Err(DataError::shape(problem));
        }
        Ok(())
    }

    fn validate_extent(&self) -> Result<(), DataError> {
        let TimeFrameShape { orbits, sectors, .. } = *self;
        if orbits == 0 || orbits > MAX_ORBITS {
            return Err(DataError::shape(format!(
                "{orbits} orbits make no time frame; use 1 to {MAX_ORBITS}"
            )));
        }
        if sectors == 0 || sectors > SECTORS {
            return Err(DataError::shape(format!(
                "{sectors} sectors are not in the TPC; use 1 to {SECTORS}"
            )));
        }
        Ok(())
    }

    fn validate_load(&self) -> Result<(), DataError> {
        match self.load {
            Load::Rate(hz) if !(0.0..=MAX_RATE_HZ).contains(&hz) => Err(DataError::shape(format!(
                "a rate of {hz} Hz is invalid; use 0 to {MAX_RATE_HZ} (40MHz)"
            ))),
            Load::Occupancy(share) if !(0.0..=MAX_OCCUPANCY).contains(&share) => {
                Err(DataError::shape(format!(
                    "occupancy {share} is not a share of pads and time bins that tracks can \
                     fill; use 0 to {MAX_OCCUPANCY}"
                )))
            }
            Load::Occupancy(share) if share < self.noise => Err(DataError::shape(format!(
                "occupancy {share} is less than the noise, {}; lower the noise",
                self.noise
            ))),
            Load::Occupancy(_) if self.beam == Beam::Laser => {
                Err(DataError::shape("the laser's occupancy follows from its rate; use a rate"))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Framing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Framing::Simulated => "simulated",
            Framing::Recorded => "recorded",
        })
    }
}

impl FromStr for Framing {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        match text {
            "simulated" => Ok(Framing::Simulated),
            "recorded" => Ok(Framing::Recorded),
            _ => Err(DataError::shape(format!(
                "unknown framing {}; there are simulated and recorded",
                text.quoted()
            ))),
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut TimeFrameShape)) -> String {
        let mut shape = TimeFrameShape::for_preset(Preset::PbPb, ZsFormat::DenseLink);
        assert!(shape.validate().is_ok());
        change(&mut shape);
        shape.validate().expect_err("senseless").to_string()
    }

    #[test]
    fn invalid_shapes_are_refused() {
        assert!(refused(|s| s.orbits = 0).contains("0 orbits"));
        assert!(refused(|s| s.orbits = u32::MAX).contains("40000"));
        assert!(refused(|s| s.sectors = 0).contains("0 sectors"));
        assert!(refused(|s| s.sectors = 37).contains("1 to 36"));
        assert!(refused(|s| s.noise = -0.1).contains("noise"));
        assert!(refused(|s| s.noise = f64::NAN).contains("noise"));
        assert!(refused(|s| s.gain = 0.0).contains("gain"));
        assert!(refused(|s| s.noisy_pads = f64::NAN).contains("noisy pads"));
        assert!(refused(|s| (s.noisy_pads, s.hot_pads) = (0.6, 0.5)).contains("hot pads"));
        assert!(refused(|s| s.load = Load::Rate(f64::INFINITY)).contains("40MHz"));
        assert!(refused(|s| s.load = Load::Occupancy(1.5)).contains("0.9"));
        assert!(refused(|s| s.load = Load::Occupancy(0.0001)).contains("noise"));
        let laser = |s: &mut TimeFrameShape| {
            s.beam = Beam::Laser;
            s.load = Load::Occupancy(0.1);
        };
        assert!(refused(laser).contains("laser"));
    }

    #[test]
    fn framings_come_back_from_text() {
        for framing in [Framing::Simulated, Framing::Recorded] {
            let text = framing.to_string();
            assert_eq!(text.parse::<Framing>().expect("known"), framing);
        }
        assert!("none".parse::<Framing>().is_err());
    }
}
