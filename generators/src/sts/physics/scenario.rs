//! A simulated detector, its source and duration.

use super::{Detector, Readout, Source};
use crate::DataError;
use crate::sts::{MAX_TIME_NS, Order};

/// More collisions in a timeslice are a mistake.
const MAX_COLLISIONS: f64 = 1e8;

/// Parameters of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scenario {
    /// Arrangement of modules.
    pub detector: Detector,
    /// Source of particles in a collision.
    pub source: Source,
    /// Collisions per second.
    pub rate_hz: f64,
    /// Settings of channels.
    pub readout: Readout,
    /// The length of a timeslice in ns: times are below it.
    pub timeslice_ns: u64,
    /// Number of timeslices; the times of each start at 0.
    pub timeslices: u32,
    /// The order of digis in a module side.
    pub order: Order,
}

impl Scenario {
    /// A part of it: fewer timeslices, and only where that would be less than one, a
    /// shorter one. Rates stay as they are. More than all is possible too.
    pub fn scaled(self, scale: f64) -> Self {
        let timeslices = f64::from(self.timeslices) * scale;
        // An excess of a hundredth of a percent does not add a timeslice.
        let whole = libm::ceil(timeslices - 1e-4).max(1.0);
        Scenario {
            timeslice_ns: libm::round(self.timeslice_ns as f64 * timeslices / whole) as u64,
            timeslices: whole as u32,
            ..self
        }
    }

    /// Collisions in each timeslice: always the expected number.
    pub fn collisions(&self) -> u32 {
        libm::round(self.rate_hz * self.timeslice_ns as f64 * 1e-9) as u32
    }

    /// Module sides.
    pub fn segments(&self) -> usize {
        2 * self.detector.modules()
    }

    /// Checks the parameters.
    ///
    /// # Errors
    /// The invalid value, and the valid ones.
    pub fn validate(&self) -> Result<(), DataError> {
        let longest = u64::from(MAX_TIME_NS) + 1;
        if !(1..=longest).contains(&self.timeslice_ns) {
            return Err(DataError::shape(format!(
                "a timeslice of {} ns does not fit the digis' 31-bit time; use 1 ns to {longest} ns (2.147 s)",
                self.timeslice_ns
            )));
        }
        if self.timeslices == 0 {
            return Err(DataError::shape("0 timeslices hold no digis; use 1 or more"));
        }
        let max_hz = MAX_COLLISIONS / (self.timeslice_ns as f64 * 1e-9);
        if !(0.0..=max_hz).contains(&self.rate_hz) {
            return Err(DataError::shape(format!(
                "a rate of {} Hz is invalid; use 0 to {max_hz:.0} Hz with this timeslice",
                self.rate_hz
            )));
        }
        self.readout.validate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sts::physics::Preset;

    #[test]
    fn a_part_has_fewer_timeslices_or_a_shorter_one() {
        let mcbm = Preset::Mcbm2024.scenario();
        let parts = |scenario: Scenario| (scenario.timeslices, scenario.timeslice_ns);
        assert_eq!(parts(mcbm.scaled(1.0)), (20, 125_000_000));
        assert_eq!(parts(mcbm.scaled(0.1)), (2, 125_000_000));
        assert_eq!(parts(mcbm.scaled(0.06)), (2, 75_000_000));
        assert_eq!(parts(mcbm.scaled(0.02)), (1, 50_000_000));
        let cbm = Preset::CbmAuAu.scenario();
        assert_eq!(parts(cbm.scaled(0.1)), (1, 1_000_000));
        assert_eq!(cbm.scaled(0.1).collisions(), 100);
        assert_eq!(parts(cbm.scaled(2.0)), (2, 10_000_000));
    }

    #[test]
    fn invalid_scenarios_are_refused() {
        let refused = |change: fn(&mut Scenario)| {
            let mut scenario = Preset::CbmAuAu.scenario();
            change(&mut scenario);
            scenario.validate().expect_err("senseless").to_string()
        };
        assert!(refused(|s| s.timeslice_ns = 0).contains("31-bit"));
        assert!(refused(|s| s.timeslice_ns = 1 << 32).contains("31-bit"));
        assert!(refused(|s| s.timeslices = 0).contains("0 timeslices"));
        assert!(refused(|s| s.rate_hz = f64::NAN).contains("rate of NaN"));
        assert!(refused(|s| s.rate_hz = 1e15).contains("rate of"));
        assert!(refused(|s| s.readout.pickup = 2.0).contains("pickup"));
    }
}
