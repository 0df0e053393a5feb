//! Detectors: where their modules are.
//!
//! The tracker of CBM: distances of the stations, ladders of each station and kinds of sensors are
//! those of the technical design report. The arrangement of sensors on ladders is recobench's
//! choice: shorter ones near the beam, and enough of them to cover 25 degrees, fewer in the
//! corners.
//!
//! The tracker of mCBM: two stations without a magnet, next to the beam; z points from the target
//! to their middle. The number of modules is that of 2024; their positions are recobench's choice.

use generators_common::DataError;

use super::response::mpv;
use crate::setup::{Asic, Cuts, LandauTable, Module, Setup};

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
            Detector::Cbm => CBM_MODULES,
            Detector::MiniCbm => MCBM_MODULES,
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
            Detector::Cbm => modules_cbm(),
            Detector::MiniCbm => modules_mcbm(),
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

const CBM_MODULES: usize = 896;

/// A station, one quarter of it.
struct Station {
    /// Distance from the target, in cm.
    z: f64,
    /// Half-ladders from the beam outwards: how many, with sensors of which heights,
    /// from the beam outwards.
    half_ladders: &'static [(usize, &'static [f64])],
}

/// Active heights of the four kinds of sensors, in cm.
const TINY: f64 = 1.96;
const SHORT: f64 = 3.96;
const USUAL: f64 = 5.96;
const LONG: f64 = 12.16;

#[rustfmt::skip]
const CBM_STATIONS: [Station; 8] = [
    Station { z: 30.0, half_ladders: &[
        (2, &[TINY, TINY, SHORT, SHORT, SHORT]),
        (1, &[TINY, TINY, SHORT, USUAL]),
        (1, &[SHORT, SHORT, USUAL]),
    ] },
    Station { z: 40.0, half_ladders: &[
        (3, &[TINY, SHORT, SHORT, USUAL, USUAL]),
        (1, &[SHORT, SHORT, USUAL, USUAL]),
        (2, &[USUAL, USUAL, USUAL]),
    ] },
    Station { z: 50.0, half_ladders: &[
        (3, &[TINY, SHORT, USUAL, USUAL, USUAL]),
        (1, &[USUAL, USUAL, USUAL, USUAL]),
        (2, &[SHORT, USUAL, LONG]),
    ] },
    Station { z: 60.0, half_ladders: &[
        (3, &[TINY, SHORT, USUAL, USUAL, LONG]),
        (2, &[SHORT, USUAL, USUAL, LONG]),
        (2, &[USUAL, USUAL, LONG]),
    ] },
    Station { z: 70.0, half_ladders: &[
        (4, &[TINY, USUAL, USUAL, USUAL, LONG]),
        (1, &[USUAL, USUAL, USUAL, LONG]),
        (2, &[USUAL, LONG, LONG]),
    ] },
    Station { z: 80.0, half_ladders: &[
        (4, &[TINY, SHORT, USUAL, LONG, LONG]),
        (1, &[USUAL, USUAL, LONG, LONG]),
        (2, &[LONG, LONG, LONG]),
    ] },
    Station { z: 90.0, half_ladders: &[
        (5, &[SHORT, USUAL, USUAL, LONG, LONG]),
        (1, &[USUAL, LONG, LONG, LONG]),
        (2, &[LONG, LONG, LONG]),
    ] },
    Station { z: 100.0, half_ladders: &[
        (4, &[SHORT, USUAL, LONG, LONG, LONG]),
        (1, &[USUAL, LONG, LONG, LONG]),
        (3, &[LONG, LONG, LONG]),
    ] },
];

/// From ladder to ladder: a little less than the active width of 5.94 cm.
const LADDER_PITCH: f64 = 5.9;
/// Active areas of neighbours on a ladder overlap by this.
const OVERLAP: f64 = 0.05;
/// Offset along the beam between adjacent ladders, and between adjacent sensors of a ladder.
const LADDER_OFFSET: f64 = 0.25;
const SENSOR_OFFSET: f64 = 0.1;
/// Half the height of the gap for the beam pipe in the two central ladders, over the
/// distance from the target: 2.5 degrees.
const BEAM_PIPE: f64 = 0.043_7;

/// All modules: by station, from ladder to ladder in x, from bottom to top.
fn modules_cbm() -> Vec<Module> {
    CBM_STATIONS.iter().flat_map(Station::modules).collect()
}

impl Station {
    /// Number of ladders on one side of the beam.
    fn ladders(&self) -> usize {
        self.half_ladders.iter().map(|(count, _)| count).sum()
    }

    fn modules(&self) -> impl Iterator<Item = Module> {
        (0..2 * self.ladders()).flat_map(|ladder| self.ladder(ladder))
    }

    fn ladder(&self, number: usize) -> Vec<Module> {
        let one_side = self.ladders();
        // Ladders on one side of the beam mirror those on the other.
        let from_beam = match number.checked_sub(one_side) {
            Some(right) => right,
            None => one_side - 1 - number,
        };
        let gap = if from_beam == 0 { BEAM_PIPE * self.z } else { 0.0 };
        let x = (number as f64 - one_side as f64 + 0.5) * LADDER_PITCH;
        let above = self.half_ladder(number, x, gap, self.heights(from_beam));
        let mut modules: Vec<_> = above.iter().map(|above| below(number, above)).collect();
        modules.reverse();
        modules.extend(above);
        modules
    }

    fn heights(&self, from_beam: usize) -> &'static [f64] {
        let repeated = |&(count, heights)| std::iter::repeat_n(heights, count);
        let mut half_ladders = self.half_ladders.iter().flat_map(repeated);
        half_ladders.nth(from_beam).unwrap_or_default()
    }

    /// The upper half of a ladder, from the gap upwards.
    fn half_ladder(&self, number: usize, x: f64, gap: f64, heights: &[f64]) -> Vec<Module> {
        let orientation = SensorOrientation::for_ladder(number, false);
        let ladder_z = self.z + alternate(number) * LADDER_OFFSET;
        let mut bottom = gap;
        let next_module = |(index, height): (usize, &f64)| {
            let y = bottom + 0.5 * height;
            bottom += height - OVERLAP;
            let z = ladder_z + alternate(index) * SENSOR_OFFSET;
            module(*height, orientation, [x, y, z])
        };
        heights.iter().enumerate().map(next_module).collect()
    }
}

/// The module that mirrors one above the beam, turned upside down.
fn below(ladder: usize, above: &Module) -> Module {
    let [x, y, z] = above.translation;
    // In another plane, because halves may overlap too.
    let z = z + 0.5 * SENSOR_OFFSET;
    module(above.height, SensorOrientation::for_ladder(ladder, true), [x, -y, z])
}

fn alternate(number: usize) -> f64 {
    if number.is_multiple_of(2) { 1.0 } else { -1.0 }
}

const MCBM_MODULES: usize = 12;

/// Active height of all sensors, in cm.
const HEIGHT: f64 = 5.96;
/// From the middle of a sensor to that of the next, in x and in y.
const PITCH_X: f64 = 5.9;
const PITCH_Y: f64 = 5.91;
/// Offset along the beam between adjacent modules.
const OFFSET: f64 = 0.25;

/// Distances of the stations in cm, and their columns of two modules each.
const MCBM_STATIONS: [(f64, usize); 2] = [(28.0, 2), (42.0, 4)];

/// All modules: by station, from column to column in x, from bottom to top.
fn modules_mcbm() -> Vec<Module> {
    let of_station = |&(z, columns): &(f64, usize)| {
        (0..columns)
            .flat_map(move |column| [true, false].map(|below| module_at(z, columns, column, below)))
    };
    MCBM_STATIONS.iter().flat_map(of_station).collect()
}

fn module_at(z: f64, columns: usize, column: usize, is_below: bool) -> Module {
    let x = (column as f64 + 0.5 - 0.5 * columns as f64) * PITCH_X;
    let side = if is_below { -1.0 } else { 1.0 };
    let ladder = if column.is_multiple_of(2) { 1.0 } else { -1.0 };
    let z = z + ladder * OFFSET + side * 0.2 * OFFSET;
    let orientation = SensorOrientation::for_ladder(column, is_below);
    module(HEIGHT, orientation, [x, side * 0.5 * PITCH_Y, z])
}

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

    #[test]
    fn numbers_of_modules_and_ladders_are_those_of_cbm() {
        assert_eq!(modules_cbm().len(), CBM_MODULES);
        let ladders: usize = CBM_STATIONS.iter().map(|station| 2 * station.ladders()).sum();
        assert_eq!(ladders, 106);
    }

    #[test]
    fn stations_cover_what_they_should() {
        for station in &CBM_STATIONS {
            let modules: Vec<_> = station.modules().collect();
            let top = |module: &Module| module.translation[1] + 0.5 * module.height;
            let highest = modules.iter().map(top).fold(0.0, f64::max);
            let wanted = station.z * 25.0_f64.to_radians().tan();
            assert!(highest > 0.95 * wanted, "{highest} at {}", station.z);
            let outside = |module: &&Module| module.translation[0].abs() > LADDER_PITCH;
            let lowest = modules.iter().filter(outside).map(|m| m.translation[1].abs());
            assert!(lowest.fold(100.0, f64::min) < LONG);
        }
    }

    #[test]
    fn both_stations_cover_the_same_window() {
        let modules = modules_mcbm();
        assert_eq!(modules.len(), MCBM_MODULES);
        let reach = |range: std::ops::Range<usize>| {
            let far = modules[range].iter().map(|m| m.translation[0] / m.translation[2]);
            far.fold(0.0, f64::max)
        };
        assert!(reach(0..4) < reach(4..12));
    }
}
