//! Settings of channels, and their noise.

use crate::DataError;
use crate::sts::setup::Asic;

/// Settings of the read-out chips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Readout {
    /// Charges below are not seen, in electrons.
    pub threshold: f64,
    /// Standard deviation of a charge, in electrons.
    pub noise: f64,
    /// Rate of upward zero crossings of the noise of a channel, in Hz; 0 for no noise without a
    /// particle.
    pub zero_crossings_hz: f64,
    /// The share of noise pulses that the next channel has too.
    pub pickup: f64,
}

impl Readout {
    /// Rate of noise pulses of a channel above the threshold, in Hz.
    pub fn noise_hz(&self) -> f64 {
        noise_hz(&self.asic())
    }

    /// Returns this read-out with the rate of noise pulses of a channel set to `hertz` at its
    /// threshold.
    pub fn with_noise_hz(self, hertz: f64) -> Self {
        Readout { zero_crossings_hz: hertz / exceedance(self.threshold, self.noise), ..self }
    }

    /// The read-out in the words of a setup.
    pub(super) fn asic(&self) -> Asic {
        Asic {
            threshold: self.threshold,
            noise: self.noise,
            zero_noise_rate: 1e-9 * self.zero_crossings_hz,
            ..Asic::default()
        }
    }

    pub(super) fn validate(&self) -> Result<(), DataError> {
        for (name, value) in [
            ("threshold", self.threshold),
            ("noise", self.noise),
            ("rate of zero crossings", self.zero_crossings_hz),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(DataError::shape(format!(
                    "a {name} of {value} is invalid; it must be 0 or more"
                )));
            }
        }
        if (0.0..1.0).contains(&self.pickup) {
            return Ok(());
        }
        Err(DataError::shape(format!(
            "pickup {} is not a share; use 0 or more, below 1",
            self.pickup
        )))
    }
}

/// Rate of noise pulses of a channel above the threshold, in Hz: after Rice (1944), zero crossings
/// times the ratio of the densities at the threshold and at zero.
pub(super) fn noise_hz(asic: &Asic) -> f64 {
    1e9 * asic.zero_noise_rate * exceedance(asic.threshold, asic.noise)
}

fn exceedance(threshold: f64, noise: f64) -> f64 {
    let deviations = threshold / noise;
    libm::exp(-0.5 * deviations * deviations)
}

#[cfg(test)]
mod tests {
    use super::*;

    const READOUT: Readout =
        Readout { threshold: 4000.0, noise: 1000.0, zero_crossings_hz: 4e6, pickup: 0.0 };

    #[test]
    fn noise_falls_with_the_threshold() {
        assert!((READOUT.noise_hz() - 4e6 * libm::exp(-8.0)).abs() < 1e-6);
        let higher = Readout { threshold: 5000.0, ..READOUT };
        let ratio = higher.noise_hz() / READOUT.noise_hz();
        assert!((ratio - libm::exp(-4.5)).abs() < 1e-9, "{ratio}");
        let asked = higher.with_noise_hz(300.0).noise_hz();
        assert!((asked - 300.0).abs() < 1e-6, "{asked}");
    }

    #[test]
    fn without_fluctuations_there_is_no_noise() {
        let quiet = Readout { noise: 0.0, ..READOUT };
        assert_eq!(quiet.noise_hz(), 0.0);
        // No rate of crossings gives this.
        assert!(quiet.with_noise_hz(1.0).validate().is_err());
    }

    #[test]
    fn invalid_values_are_refused() {
        let refused = |change: fn(&mut Readout)| {
            let mut readout = READOUT;
            change(&mut readout);
            readout.validate().expect_err("senseless").to_string()
        };
        assert!(refused(|r| r.threshold = -1.0).contains("threshold of -1"));
        assert!(refused(|r| r.noise = f64::NAN).contains("noise of NaN"));
        assert!(refused(|r| r.pickup = 1.0).contains("pickup 1"));
    }
}
