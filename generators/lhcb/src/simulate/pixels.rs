//! Pixels of an event, by sensor.

use std::ops::Range;

use crate::geometry::SENSORS;

/// Contribution of a particle to a pixel: sensor, column, row, and particle in descending bits.
pub(super) type PixelShare = u64;

/// Particle of pixels that no particle made.
pub(super) const NO_PARTICLE: u32 = u32::MAX;

const ROW: u32 = 32;
const COLUMN: u32 = 40;
const SENSOR: u32 = 50;
/// Bits of column and row.
const ADDRESS: u32 = (1 << (SENSOR - ROW)) - 1;

/// A contribution to the pixel at column and row 0.
#[inline]
pub(super) fn pixel_share(sensor: u16, particle: u32) -> PixelShare {
    u64::from(sensor) << SENSOR | u64::from(particle)
}

/// The contribution to another pixel than that at column and row 0.
#[inline]
pub(super) fn moved(share: PixelShare, column: usize, row: usize) -> PixelShare {
    share | (column as u64) << COLUMN | (row as u64) << ROW
}

/// Column and row together: bits 8 and up, bits 0 to 7.
#[inline]
pub(super) fn address(share: PixelShare) -> u32 {
    (share >> ROW) as u32 & ADDRESS
}

/// The particle of a contribution.
#[inline]
pub(super) fn particle(share: PixelShare) -> u32 {
    share as u32
}

/// Pixels of all sensors.
#[derive(Default)]
pub(super) struct EventPixels {
    /// Contributions in the order of the particles.
    pub shares: Vec<PixelShare>,
    sorted: Vec<PixelShare>,
    ends: Vec<usize>,
}

impl EventPixels {
    /// Brings the contributions in the order of sensors.
    pub(super) fn sort_by_sensor(&mut self) {
        let sensor = |share: &PixelShare| (share >> SENSOR) as usize;
        self.ends.clear();
        self.ends.resize(SENSORS, 0);
        self.shares.iter().for_each(|share| self.ends[sensor(share)] += 1);
        let mut start = 0;
        for end in &mut self.ends {
            start += std::mem::replace(end, start);
        }
        self.sorted.resize(self.shares.len(), 0);
        for share in &self.shares {
            let end = &mut self.ends[sensor(share)];
            self.sorted[*end] = *share;
            *end += 1;
        }
    }

    fn range(&self, sensor: usize) -> Range<usize> {
        sensor.checked_sub(1).map_or(0, |previous| self.ends[previous])..self.ends[sensor]
    }

    /// Contributions to the pixels of a sensor, in order of columns and rows, after
    /// [`EventPixels::sort_by_sensor`].
    pub(super) fn of_sensor(&mut self, sensor: usize) -> &[PixelShare] {
        let range = self.range(sensor);
        let pixels = &mut self.sorted[range];
        pixels.sort_unstable();
        pixels
    }
}
