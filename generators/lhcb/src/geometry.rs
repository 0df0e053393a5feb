//! Geometry of the VELO: positions of the columns of a sensor, and the transformation of each sensor
//! to the coordinates of the experiment. Lengths are in mm.

mod file;

use std::sync::LazyLock;

pub use file::read;

/// Modules along the beam, left and right alternately.
pub const MODULES: usize = 52;
/// Sensors of a module.
pub const SENSORS_PER_MODULE: usize = 4;
/// Sensors of the detector.
pub const SENSORS: usize = MODULES * SENSORS_PER_MODULE;
/// Pairs of modules: a left one and the right one next to it.
pub const MODULE_PAIRS: usize = MODULES / 2;
/// Sensors of a pair of modules.
pub const SENSORS_PER_PAIR: usize = SENSORS / MODULE_PAIRS;
/// The pair of modules of a sensor.
#[inline]
pub fn pair_of(sensor: u16) -> usize {
    usize::from(sensor) / SENSORS_PER_PAIR
}

/// Columns of a sensor, those of three chips.
pub const COLUMNS: usize = 768;
/// Columns of a chip.
pub const CHIP_COLUMNS: usize = 256;
/// Rows of a sensor.
pub const ROWS: usize = 256;
/// Height of a pixel, and width of most, in mm.
pub const PITCH: f32 = 0.055;
/// Numbers of a transformation: nine of the rotation by rows, three of the translation.
pub const TRANSFORMATION: usize = 12;

/// Positions of modules, columns and sensors.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    /// Position of each module along the beam, in mm.
    pub module_z: [f32; MODULES],
    /// Local x of the centre of each column, in mm.
    pub column_x: [f32; COLUMNS],
    /// Width of each column, in mm: columns between chips are wider.
    pub column_pitch: [f32; COLUMNS],
    /// Transformation of each sensor: the rotation T0 to T8 by rows, the translation T9 to T11 in mm.
    pub sensors: [[f32; TRANSFORMATION]; SENSORS],
}

/// The nominal geometry. Numbers of LHCb's Allen (Apache-2.0), `velo_geometry.bin` at commit 3a1008d6.
static NOMINAL: LazyLock<Geometry> = LazyLock::new(|| {
    let text = include_bytes!("../data/velo-geometry.txt.gz");
    file::parse(text.as_slice()).expect("the numbers that come with this crate")
});

impl Geometry {
    /// The nominal geometry of the detector.
    pub fn nominal() -> &'static Geometry {
        &NOMINAL
    }

    /// Position of a pair of modules along the beam as tracking uses it: that of its left module.
    pub fn pair_z(&self, pair: usize) -> f32 {
        self.module_z[2 * pair]
    }
}
