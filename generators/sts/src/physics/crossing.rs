//! The truth of simulated digis, for comparison with reconstructed data.

use generators_common::partition::Partition;

/// A particle went through a sensor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Crossing {
    /// The module.
    pub module: u32,
    /// The collision, counted in its timeslice.
    pub collision: u32,
    /// When, in ns from the beginning of the timeslice.
    pub time_ns: f64,
    /// Crossing point with the middle plane of the sensor, in cm, in the coordinates of the setup.
    pub x: f32,
    /// Crossing point, y.
    pub y: f32,
    /// Slopes dx/dz and dy/dz of its path.
    pub slope_x: f32,
    /// Slope dy/dz.
    pub slope_y: f32,
    /// Its ionisation over that of a fast particle.
    pub ionisation: f32,
}

/// The Monte Carlo truth of a timeslice. Nothing of it is in the digis.
#[derive(Clone, Debug, PartialEq)]
pub struct Truth {
    crossings: Vec<Crossing>,
    partition: Partition,
    sources: Vec<u32>,
}

impl Truth {
    /// The source of digis that are noise.
    pub const NOISE: u32 = u32::MAX;

    /// Crossings by module, and the source of each digi.
    pub(super) fn new(crossings: Vec<Crossing>, partition: Partition, sources: Vec<u32>) -> Self {
        Truth { crossings, partition, sources }
    }

    /// All crossings, module after module, by time within a module.
    pub fn crossings(&self) -> &[Crossing] {
        &self.crossings
    }

    /// Segments of the crossings, one per module.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// For each digi, in their order: the crossing with most of its charge, or [`Truth::NOISE`].
    pub fn sources(&self) -> &[u32] {
        &self.sources
    }

    /// The crossing that a digi comes from; `None` if it is noise.
    pub fn crossing_of(&self, digi: usize) -> Option<&Crossing> {
        self.crossings.get(self.sources[digi] as usize)
    }
}
