//! Pixels of an event, in patches.

/// Particle of pixels that no particle made.
pub(super) const NO_PARTICLE: u32 = u32::MAX;

/// Pixels of a patch.
pub(super) const PATCH_PIXELS: usize = 4;

/// Pixels that one particle made, within two columns and two rows.
///
/// From the lowest: 32 bits of the particle, 4 of the pattern, 8 of the row, 10 of the column, 8 of the
/// sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Patch(u64);

const PATTERN: u32 = 32;
const ROW: u32 = 36;
const COLUMN: u32 = 44;
const SENSOR: u32 = 54;

impl Patch {
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

/// Bits of a key that are sorted at a time, and the number of their values.
const DIGIT_BITS: u32 = 9;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Patches of an event.
#[derive(Default)]
pub(super) struct EventPixels {
    /// Patches in the order of the particles.
    pub patches: Vec<Patch>,
    sorted: Vec<Patch>,
}

impl EventPixels {
    /// Brings the patches in the order of sensors and columns, and those of a column in that of particles.
    pub(super) fn sort(&mut self) -> &[Patch] {
        self.sorted.resize(self.patches.len(), Patch(0));
        sort_by_digit(&self.patches, &mut self.sorted, 0);
        sort_by_digit(&self.sorted, &mut self.patches, DIGIT_BITS);
        &self.patches
    }
}

/// Sorts by a digit of the key and keeps the order of patches with the same one.
fn sort_by_digit(from: &[Patch], to: &mut [Patch], shift: u32) {
    let digit = |patch: &Patch| patch.key() >> shift & (DIGITS - 1);
    let mut ends = [0_u32; DIGITS];
    from.iter().for_each(|patch| ends[digit(patch)] += 1);
    let mut start = 0;
    for end in &mut ends {
        start += std::mem::replace(end, start);
    }
    for patch in from {
        let end = &mut ends[digit(patch)];
        to[*end as usize] = *patch;
        *end += 1;
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
    }

    #[test]
    fn patches_are_sorted_by_sensor_and_column() {
        let patch = |index: u32| {
            let bits = generators_common::random::hash(1, [index.into()]);
            let sensor = (bits % 208) as u16;
            Patch::new(sensor, index).with_pixels(
                (bits >> 8) as usize % 768,
                index as usize % 256,
                1,
            )
        };
        let mut pixels =
            EventPixels { patches: (0..5000).map(patch).collect(), sorted: Vec::new() };
        let mut expected = pixels.patches.clone();
        expected.sort_by_key(|patch| (patch.sensor(), patch.column()));
        assert_eq!(pixels.sort(), expected);
    }
}
