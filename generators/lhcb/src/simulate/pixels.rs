//! Pixels of an event, by sensor.

use crate::geometry::SENSORS;

/// Contribution of a particle to a pixel: column, row, and particle in descending bits.
pub(super) type PixelShare = u64;

/// Particle of pixels that no particle made.
pub(super) const NO_PARTICLE: u32 = u32::MAX;

/// A contribution to a pixel.
#[inline]
pub(super) fn pixel_share(column: usize, row: usize, particle: u32) -> PixelShare {
    (column as u64) << 40 | (row as u64) << 32 | u64::from(particle)
}

/// Column and row together: bits 8 and up, bits 0 to 7.
#[inline]
pub(super) fn address(share: PixelShare) -> u32 {
    (share >> 32) as u32
}

/// The particle of a contribution.
#[inline]
pub(super) fn particle(share: PixelShare) -> u32 {
    share as u32
}

/// Pixels of all sensors.
pub(super) struct EventPixels {
    sensors: Vec<Vec<PixelShare>>,
}

impl Default for EventPixels {
    fn default() -> Self {
        EventPixels { sensors: vec![Vec::new(); SENSORS] }
    }
}

impl EventPixels {
    /// Removes all pixels.
    pub(super) fn clear(&mut self) {
        self.sensors.iter_mut().for_each(Vec::clear);
    }

    /// Contributions to pixels of a sensor.
    #[inline]
    pub(super) fn sensor(&mut self, sensor: u16) -> &mut Vec<PixelShare> {
        &mut self.sensors[usize::from(sensor)]
    }

    /// Contributions to the pixels of a sensor, in order of columns and rows.
    pub(super) fn sorted(&mut self, sensor: usize) -> &[PixelShare] {
        let pixels = &mut self.sensors[sensor];
        pixels.sort_unstable();
        pixels
    }
}
