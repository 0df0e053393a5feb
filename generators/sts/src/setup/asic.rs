//! Conversion of charge and time into digis by channels.

use serde::{Deserialize, Serialize};

use super::{Allowed, SetupError, Validate, require};
use crate::MAX_ADC;

/// The parameters of the read-out chips, the same for all channels.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Asic {
    /// Steps of the analogue-to-digital converter; charges are below it.
    pub n_adc: u8,
    /// From the lowest to the highest step, in electrons.
    pub dynamic_range: f64,
    /// The charge at the foot of the lowest step, in electrons.
    pub threshold: f64,
    /// Standard deviation of a time, in ns.
    pub time_resolution: f64,
    /// Dead time of a channel after a digi, in ns.
    pub dead_time: f64,
    /// Standard deviation of the charge without signal, in electrons.
    pub noise: f64,
    /// Rate of upward zero crossings of the noise, per ns.
    pub zero_noise_rate: f64,
}

impl Default for Asic {
    /// CBM's STS-XYTER as its simulation has it.
    fn default() -> Self {
        Asic {
            n_adc: MAX_ADC + 1,
            dynamic_range: 75_000.0,
            threshold: 3000.0,
            time_resolution: 5.0,
            dead_time: 800.0,
            noise: 1000.0,
            zero_noise_rate: 0.004,
        }
    }
}

impl Asic {
    /// The charge of the middle of a step of the converter, in electrons.
    pub fn charge(&self, adc: u8) -> f64 {
        self.threshold + self.step() * (f64::from(adc) + 0.5)
    }

    /// The width of a step of the converter, in electrons.
    pub fn step(&self) -> f64 {
        self.dynamic_range / f64::from(self.n_adc)
    }
}

impl Validate for Asic {
    fn validate(&self) -> Result<(), SetupError> {
        if !(1..=MAX_ADC + 1).contains(&self.n_adc) {
            let problem = format!("is {}; digis can store 1 to {} steps", self.n_adc, MAX_ADC + 1);
            return Err(SetupError::new("nAdc", problem));
        }
        require("dynamicRange", self.dynamic_range, Allowed::Positive)?;
        require("threshold", self.threshold, Allowed::NotNegative)?;
        require("timeResolution", self.time_resolution, Allowed::Positive)?;
        require("deadTime", self.dead_time, Allowed::NotNegative)?;
        require("noise", self.noise, Allowed::NotNegative)?;
        require("zeroNoiseRate", self.zero_noise_rate, Allowed::NotNegative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charges_are_in_the_middle_of_their_steps() {
        let asic = Asic::default();
        assert_eq!(asic.charge(0), 3000.0 + 75_000.0 / 64.0);
        assert_eq!(asic.charge(31), 78_000.0 - 75_000.0 / 64.0);
    }

    #[test]
    fn invalid_values_are_refused() {
        let refused = |change: fn(&mut Asic)| {
            let mut asic = Asic::default();
            change(&mut asic);
            asic.validate().expect_err("senseless").to_string()
        };
        assert!(refused(|asic| asic.n_adc = 33).starts_with("nAdc is 33"));
        assert!(refused(|asic| asic.n_adc = 0).starts_with("nAdc is 0"));
        assert!(refused(|asic| asic.noise = f64::NAN).starts_with("noise is NaN"));
        assert!(refused(|asic| asic.time_resolution = 0.0).contains("above 0"));
    }
}
