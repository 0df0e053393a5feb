//! Parameters of a simulation: the detector, its source and duration, the settings of its channels;
//! and scenarios with published counts.

use generators_common::{DataError, named};

use super::{Detector, Gold, Source, Window};
use crate::setup::Asic;
use crate::{MAX_TIME_NS, Order};

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

/// Data that were published with their counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// 1000 central collisions of gold nuclei in CBM: 17.2 million digis, 5.9 million
    /// clusters, 4.8 million hits.
    CbmAuAu,
    /// 20 timeslices of mCBM, mostly noise: 44.5 million digis, 34.7 million clusters,
    /// 1.4 million hits.
    Mcbm2024,
}

named! {
    "preset",
    Preset {
        CbmAuAu = "cbm-auau",
        Mcbm2024 = "mcbm-2024",
    }
}

impl Preset {
    /// Scenario of the preset. Its numbers are fitted to the published counts;
    /// `docs/sts-physics.md` documents them.
    pub const fn scenario(self) -> Scenario {
        match self {
            Preset::CbmAuAu => CBM_AUAU,
            Preset::Mcbm2024 => MCBM_2024,
        }
    }
}

const CBM_AUAU: Scenario = Scenario {
    detector: Detector::Cbm,
    source: Source::Gold(Gold {
        particles: 387.0,
        rapidity_width: 0.9,
        secondaries: 1.0,
        secondary_momentum: 0.12,
        secondary_spread: 0.15,
    }),
    rate_hz: 100e3,
    readout: Readout { threshold: 3000.0, noise: 1000.0, zero_crossings_hz: 0.0, pickup: 0.0 },
    timeslice_ns: 10_000_000,
    timeslices: 1,
    order: Order::Time,
};

const MCBM_2024: Scenario = Scenario {
    detector: Detector::MiniCbm,
    source: Source::Straight(Window { particles: 1.53, slope_x: 0.3, slope_y: 0.22 }),
    rate_hz: 260e3,
    readout: Readout { threshold: 4175.0, noise: 1000.0, zero_crossings_hz: 4e6, pickup: 0.205 },
    timeslice_ns: 125_000_000,
    timeslices: 20,
    order: Order::Time,
};

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
    use super::super::Preset;
    use super::*;

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

    #[test]
    fn presets_are_sensible() {
        for preset in Preset::ALL {
            preset.scenario().validate().expect("sensible");
        }
    }

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
