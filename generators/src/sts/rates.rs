//! Numbers of digis from physical rates.

use super::CHANNELS_PER_SIDE;
use crate::DataError;

/// Digis that an interaction leaves in one module side, on average.
///
/// 1000 central Au+Au events leave 17.2 million digis in 1792 module sides
/// (published, see `docs/data.md`), 9.6 a side; that a minimum-bias
/// interaction leaves a quarter of a central one is our assumption.
const DIGIS_PER_INTERACTION_AND_SIDE: f64 = 17.2e6 / 1000.0 / 1792.0 / 4.0;

/// Rates of digis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rates {
    /// Interactions per second.
    pub interactions_hz: f64,
    /// Noise digis per second in each channel.
    pub noise_hz: f64,
}

impl Rates {
    /// The digis to expect in `segments` module sides within a timeslice,
    /// rounded to the nearest whole number.
    ///
    /// # Errors
    /// If a rate is negative, infinite or not a number.
    pub fn digis(&self, segments: usize, timeslice_ns: u64) -> Result<u64, DataError> {
        check("rate", self.interactions_hz)?;
        check("noise", self.noise_hz)?;
        let signal = self.interactions_hz * DIGIS_PER_INTERACTION_AND_SIDE;
        let noise = self.noise_hz * f64::from(CHANNELS_PER_SIDE);
        let seconds = timeslice_ns as f64 * 1e-9;
        Ok(libm::round((signal + noise) * seconds * segments as f64) as u64)
    }
}

fn check(name: &str, hertz: f64) -> Result<(), DataError> {
    if hertz.is_finite() && hertz >= 0.0 {
        return Ok(());
    }
    let problem = format!("a {name} of {hertz} Hz is invalid; it must be 0 or more");
    Err(DataError::shape(problem))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digis(interactions_hz: f64, noise_hz: f64) -> Result<u64, DataError> {
        let rates = Rates { interactions_hz, noise_hz };
        rates.digis(1792, 1_000_000)
    }

    #[test]
    fn signal_and_noise_add_up() {
        assert_eq!(digis(10e6, 0.0).expect("valid"), 43_000_000);
        assert_eq!(digis(0.0, 1e3).expect("valid"), 1_835_008);
        assert_eq!(digis(10e6, 1e3).expect("valid"), 44_835_008);
    }

    #[test]
    fn invalid_rates_are_refused() {
        for rate in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(digis(rate, 0.0).is_err());
            assert!(digis(0.0, rate).is_err());
        }
    }
}
