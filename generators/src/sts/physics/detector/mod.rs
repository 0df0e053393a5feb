//! Detectors: where their modules are.

mod cbm;
mod mcbm;

use crate::DataError;
use crate::sts::setup::{Asic, Cuts, LandauTable, Module, Setup};

use super::response::mpv;

/// From one strip to the next, in cm.
const PITCH: f64 = 0.0058;
/// Angle of the strips on the back, in degrees.
const STEREO: f64 = 7.5;

/// Predefined arrangements of STS modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detector {
    /// The tracker of CBM: 896 modules in eight stations.
    Cbm,
    /// The test setup mCBM: 12 modules in two stations.
    MiniCbm,
}

/// Orientation of a sensor: ladders carry them with either side in front, and upside down below the
/// beam.
#[derive(Clone, Copy)]
enum SensorOrientation {
    /// Front side towards larger z, top up.
    Downstream,
    /// Front side downstream, rotated around the beam by 180 degrees.
    DownstreamTurned,
    /// Back side towards larger z, top up.
    Upstream,
    /// Front side upstream, rotated around the beam by 180 degrees.
    UpstreamTurned,
}

impl SensorOrientation {
    const fn rotation(self) -> [f64; 9] {
        let (x, y) = match self {
            SensorOrientation::Downstream => (1.0, 1.0),
            SensorOrientation::DownstreamTurned => (-1.0, -1.0),
            SensorOrientation::Upstream => (-1.0, 1.0),
            SensorOrientation::UpstreamTurned => (1.0, -1.0),
        };
        [x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, x * y]
    }

    const fn for_ladder(number: usize, is_below: bool) -> Self {
        match (number.is_multiple_of(2), is_below) {
            (true, false) => SensorOrientation::Downstream,
            (true, true) => SensorOrientation::DownstreamTurned,
            (false, false) => SensorOrientation::Upstream,
            (false, true) => SensorOrientation::UpstreamTurned,
        }
    }
}

impl Detector {
    /// Number of modules.
    pub fn modules(self) -> usize {
        match self {
            Detector::Cbm => cbm::MODULES,
            Detector::MiniCbm => mcbm::MODULES,
        }
    }

    /// Its setup with the default read-out.
    ///
    /// # Errors
    /// None in practice, but all setups are validated.
    pub fn setup(self) -> Result<Setup, DataError> {
        self.setup_with(Asic::default())
    }

    /// Its setup with this read-out.
    ///
    /// # Errors
    /// If the read-out is invalid.
    pub fn setup_with(self, asic: Asic) -> Result<Setup, DataError> {
        let modules = match self {
            Detector::Cbm => cbm::modules(),
            Detector::MiniCbm => mcbm::modules(),
        };
        Setup::new(asic, Cuts::default(), landau(), modules)
            .map_err(|error| DataError::shape(error.to_string()))
    }
}

fn module(height: f64, orientation: SensorOrientation, translation: [f64; 3]) -> Module {
    Module {
        height,
        pitch: PITCH,
        stereo_front: 0.0,
        stereo_back: STEREO,
        lorentz_front: 0.0,
        lorentz_back: 0.0,
        rotation: orientation.rotation(),
        translation,
    }
}

/// Spread of charges by their average: the standard deviation of a normal distribution with the
/// full width at half maximum of Landau's.
fn landau() -> LandauTable {
    const STEP: f64 = 1000.0;
    const ENTRIES: u32 = 80;
    LandauTable {
        step_size: STEP,
        values: (0..ENTRIES).map(|i| width(STEP * f64::from(i))).collect(),
    }
}

/// Width in electrons, for a most probable charge in electrons.
fn width(charge: f64) -> f64 {
    const PER_LANDAU_WIDTH: f64 = 4.02 / 2.355;
    let widths_in = |width: f64| mpv(width * EV_PER_ELECTRON);
    // The ratio of charge to width itself depends on the width: a fixed-point iteration.
    let step = |width: f64, _| charge / widths_in(width.max(MIN_WIDTH)).max(1.0);
    libm::round((0..20).fold(charge / 10.0, step) * PER_LANDAU_WIDTH)
}

/// Energy for an electron and a hole.
const EV_PER_ELECTRON: f64 = 3.62;
/// Widths below this, in electrons, are those of no real path.
const MIN_WIDTH: f64 = 1.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_grow_with_the_charge() {
        let widths = landau().values;
        assert_eq!(widths[0], 0.0);
        assert!(widths.is_sorted());
        // 320 µm: 25 000 electrons, a Landau width of some 1600.
        assert!((2500.0..3000.0).contains(&widths[25]), "{}", widths[25]);
    }

    #[test]
    fn rotations_keep_handedness() {
        for detector in [Detector::Cbm, Detector::MiniCbm] {
            let setup = detector.setup().expect("rotations are checked");
            assert_eq!(setup.modules().len(), detector.modules());
        }
    }
}
