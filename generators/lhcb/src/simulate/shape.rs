//! Parameters of events, and those of events worth measuring.

use generators_common::{DataError, named};

use crate::format::{BankFormat, BankKind};

/// Collisions of an event times their occupancy: the largest events reach the maximum number of
/// particles long before.
const MAX_LOAD: f64 = 100.0;
/// Noise above fills the sensors.
const MAX_NOISE: f64 = 20_000.0;
/// Random clusters above hide the real ones.
const MAX_GHOSTS: f64 = 5.0;

/// Predefined collisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preset {
    /// Any inelastic collisions of protons, at the luminosity of Run 3.
    MinBias,
    /// One of the collisions makes a pair of beauty quarks, with the decay of a strange B meson to
    /// two phi mesons, i.e. four kaons.
    BsPhiPhi,
}

named! { "preset", Preset { MinBias = "minbias", BsPhiPhi = "bsphiphi" } }

/// Settings of a preset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PresetSettings {
    /// Mean number of visible collisions.
    pub interactions: f64,
    /// True if a collision of each event makes the signal.
    pub has_signal: bool,
}

impl Preset {
    /// Settings of this preset.
    pub const fn settings(self) -> PresetSettings {
        match self {
            Preset::MinBias => PresetSettings { interactions: 6.0, has_signal: false },
            Preset::BsPhiPhi => PresetSettings { interactions: 6.0, has_signal: true },
        }
    }
}

/// Parameters of events.
#[derive(Clone, Debug, PartialEq)]
pub struct EventShape {
    /// Kind of collisions.
    pub preset: Preset,
    /// Number of events.
    pub events: u64,
    /// Number of the first event: an event depends on the seed and on its number.
    pub first_event: u64,
    /// Mean number of visible collisions of an event; each has one at least.
    pub interactions: f64,
    /// Factor on the number of particles of each collision. An event has 10 000 charged particles
    /// from its vertices at most, some thirty times the mean.
    pub occupancy: f64,
    /// Content of the banks.
    pub banks: BankKind,
    /// Version of the banks: 2, 3, or 4 for banks of two sensors.
    pub bank_version: u8,
    /// Mean number of noise pixels of an event.
    pub noise: f64,
    /// Number of random clusters without particle, as a fraction of the crossings of sensors.
    pub ghosts: f64,
    /// Share of the super-pixels whose mark as isolated is inverted.
    pub wrong_flags: f64,
}

impl EventShape {
    /// Events of a preset, without noise.
    pub fn for_preset(preset: Preset, banks: BankKind, events: u64) -> Self {
        EventShape {
            preset,
            events,
            first_event: 0,
            interactions: preset.settings().interactions,
            occupancy: 1.0,
            banks,
            bank_version: match banks {
                BankKind::SuperPixel => 2,
                BankKind::Retina => 3,
            },
            noise: 0.0,
            ghosts: 0.0,
            wrong_flags: 0.0,
        }
    }

    /// Content and version of the banks.
    pub fn format(&self) -> BankFormat {
        BankFormat { kind: self.banks, version: self.bank_version }
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// The first parameter that no events can follow, with the values that are possible.
    pub fn validate(&self) -> Result<(), DataError> {
        let refuse = |problem: String| Err(DataError::shape(problem));
        if self.events == 0 {
            return refuse("0 events; use 1 or more".to_owned());
        }
        if self.first_event.checked_add(self.events).is_none() {
            return refuse(format!(
                "first event {} leaves no numbers for {} events; use a lower one",
                self.first_event, self.events
            ));
        }
        if !(self.interactions > 0.0 && self.interactions <= MAX_LOAD) {
            let interactions = self.interactions;
            return refuse(format!("{interactions} interactions; use up to {MAX_LOAD}, not 0"));
        }
        let load = self.interactions.max(1.0) * self.occupancy;
        if !(self.occupancy > 0.0 && load <= MAX_LOAD) {
            return refuse(format!(
                "occupancy {}, with {} interactions; it is above 0, and the product up to {MAX_LOAD}",
                self.occupancy, self.interactions
            ));
        }
        if !(2..=4).contains(&self.bank_version) {
            return refuse(format!("bank version {}; use 2, 3 or 4", self.bank_version));
        }
        if !(0.0..=MAX_NOISE).contains(&self.noise) {
            return refuse(format!("noise {}; use 0 to {MAX_NOISE} pixels", self.noise));
        }
        if !(0.0..=MAX_GHOSTS).contains(&self.ghosts) {
            return refuse(format!("ghosts {}; use a fraction, 0 to {MAX_GHOSTS}", self.ghosts));
        }
        if !(0.0..=1.0).contains(&self.wrong_flags) {
            return refuse(format!("wrong flags {}; use a share, 0 to 1", self.wrong_flags));
        }
        if self.wrong_flags > 0.0 && self.banks == BankKind::Retina {
            return refuse("wrong flags: retina clusters have none; use super-pixels".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut EventShape)) -> String {
        let mut shape = EventShape::for_preset(Preset::MinBias, BankKind::Retina, 10);
        assert!(shape.validate().is_ok());
        change(&mut shape);
        shape.validate().expect_err("senseless").to_string()
    }

    #[test]
    fn invalid_shapes_are_refused() {
        assert!(refused(|s| s.events = 0).contains("0 events"));
        assert!(refused(|s| s.first_event = u64::MAX).contains("first event"));
        assert!(refused(|s| s.interactions = 0.0).contains("0 interactions"));
        assert!(refused(|s| s.interactions = f64::NAN).contains("interactions"));
        assert!(refused(|s| s.occupancy = 0.0).contains("occupancy 0"));
        assert!(refused(|s| s.occupancy = 20.0).contains("with 6 interactions"));
        assert!(refused(|s| s.bank_version = 5).contains("use 2, 3 or 4"));
        assert!(refused(|s| s.noise = -1.0).contains("noise -1"));
        assert!(refused(|s| s.ghosts = f64::INFINITY).contains("ghosts"));
        assert!(refused(|s| s.wrong_flags = 1.5).contains("wrong flags 1.5"));
        assert!(refused(|s| s.wrong_flags = 0.5).contains("retina"));
    }
}
