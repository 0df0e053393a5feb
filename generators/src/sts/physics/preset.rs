//! Scenarios with published counts.

use super::{Detector, Gold, Readout, Scenario, Source, Window};
use crate::named;
use crate::sts::Order;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_sensible() {
        for preset in Preset::ALL {
            preset.scenario().validate().expect("sensible");
        }
    }
}
