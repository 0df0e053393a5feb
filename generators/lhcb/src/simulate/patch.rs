//! Pixels that one particle made, packed into a number.

/// Particle of pixels that no particle made.
pub(super) const NO_PARTICLE: u32 = u32::MAX;

/// Pixels of a patch.
pub(super) const PATCH_PIXELS: usize = 4;

/// Pixels that one particle made, within two columns and two rows.
///
/// From the lowest: 32 bits of the particle, 4 of the pattern, 8 of the row, 10 of the column, 8 of the
/// sensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Patch(u64);

const PATTERN: u32 = 32;
const ROW: u32 = 36;
const COLUMN: u32 = 44;
const SENSOR: u32 = 54;

impl Patch {
    /// Patch without pixels.
    pub(super) const NONE: Patch = Patch(0);

    /// The patch of a particle without pixels, at column and row 0.
    #[inline]
    pub(super) fn new(sensor: u16, particle: u32) -> Self {
        Patch(u64::from(sensor) << SENSOR | u64::from(particle))
    }

    /// The patch with these pixels, of one that has none. Bit k of the pattern is the pixel at column
    /// `column + k / 2` and row `row + k % 2`.
    #[inline]
    pub(super) fn with_pixels(self, column: usize, row: usize, pattern: usize) -> Self {
        Patch(
            self.0 | (column as u64) << COLUMN | (row as u64) << ROW | (pattern as u64) << PATTERN,
        )
    }

    /// The patch with two pixels, each a column and a row, of one that has none. The pixels are the same or
    /// neighbours.
    #[inline]
    pub(super) fn with_pixel_pair(self, a: [usize; 2], b: [usize; 2]) -> Self {
        let column = a[0].min(b[0]);
        let row = a[1].min(b[1]);
        let bit = |[c, r]: [usize; 2]| 1 << (2 * (c - column) + r - row);
        self.with_pixels(column, row, bit(a) | bit(b))
    }

    /// Index of the particle.
    #[inline]
    pub(super) fn particle(self) -> u32 {
        self.0 as u32
    }

    /// The pixels, by bits.
    #[inline]
    pub(super) fn pattern(self) -> usize {
        (self.0 >> PATTERN) as usize & 0xF
    }

    /// First row.
    #[inline]
    pub(super) fn row(self) -> usize {
        (self.0 >> ROW) as usize & 0xFF
    }

    /// First column.
    #[inline]
    pub(super) fn column(self) -> usize {
        (self.0 >> COLUMN) as usize & 0x3FF
    }

    /// Index of the sensor.
    #[inline]
    pub(super) fn sensor(self) -> usize {
        (self.0 >> SENSOR) as usize
    }

    /// Sensor and first column together: patches of a sensor whose columns are near have keys that are.
    #[inline]
    pub(super) fn key(self) -> usize {
        (self.0 >> COLUMN) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_have_what_they_were_given() {
        let patch = Patch::new(207, 0xABCD_EF01).with_pixels(767, 255, 0b1001);
        assert_eq!(patch.sensor(), 207);
        assert_eq!(patch.particle(), 0xABCD_EF01);
        assert_eq!([patch.column(), patch.row(), patch.pattern()], [767, 255, 0b1001]);
        let pair = Patch::new(1, 2).with_pixel_pair([8, 3], [7, 4]);
        assert_eq!(pair, Patch::new(1, 2).with_pixels(7, 3, 0b0110));
    }
}
