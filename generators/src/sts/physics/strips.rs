//! Charges on neighbouring strips of one side.

use super::constants::{CROSSTALK, MIN_CHARGE};
use crate::random::normal_below;

/// Strips that one particle may leave charge on.
const ROOM: usize = 64;
/// Strips on either side of the path that charge spreads to.
const MARGIN: f64 = 2.0;
/// Shifts strips such that none is negative: strips of the back cross the sensor's
/// edge.
const SHIFT: f64 = 1024.0;

/// Extent of charge clouds in standard deviations.
const REACH: f64 = 3.0;
const BINS_PER_DEVIATION: f64 = 32.0;

/// The parts of a charge cloud beyond an edge, by the distance to it.
pub(super) struct Spread {
    beyond: Vec<f32>,
}

/// Charges from one particle, strip by strip.
pub(super) struct Strips {
    first: usize,
    length: usize,
    charges: [f32; ROOM],
}

impl Spread {
    pub(super) fn new() -> Self {
        let bins = (REACH * BINS_PER_DEVIATION) as usize;
        let beyond = |bin: usize| normal_below(-(bin as f64 + 0.5) / BINS_PER_DEVIATION) as f32;
        Spread { beyond: (0..bins).map(beyond).collect() }
    }

    /// The part of a cloud beyond an edge at this distance in standard deviations.
    #[inline]
    fn beyond(&self, deviations: f32) -> f32 {
        let bin = (deviations * BINS_PER_DEVIATION as f32) as i32;
        self.beyond.get(bin as usize).copied().unwrap_or(0.0)
    }
}

impl Default for Strips {
    fn default() -> Self {
        Strips { first: 0, length: 0, charges: [0.0; ROOM] }
    }
}

impl Strips {
    /// Empties the strips around a path: its middle and its extent, in strips. Returns
    /// where the middle is, counted from the first of these strips.
    pub(super) fn begin(&mut self, middle: f64, extent: f64) -> f32 {
        let half = 0.5 * extent.abs() + MARGIN;
        let shifted = middle + SHIFT;
        self.first = (shifted - half) as usize;
        self.length = ((2.0 * half) as usize + 2).min(ROOM);
        self.charges[..self.length].fill(0.0);
        (shifted - self.first as f64) as f32
    }

    /// Adds a cloud of charge at a position, counted as in [`Strips::begin`]. `strip_width` is the
    /// width of a strip in standard deviations of the cloud: several, so that only the nearer edge
    /// matters.
    #[inline]
    pub(super) fn add(&mut self, position: f32, strip_width: f32, charge: f32, spread: &Spread) {
        let strip = position as i32 as usize;
        let from_left = position - strip as f32;
        let (to_edge, neighbour) = if from_left < 0.5 {
            (from_left, strip.wrapping_sub(1))
        } else {
            (1.0 - from_left, strip + 1)
        };
        let beyond = charge * spread.beyond(to_edge * strip_width);
        // A path is cut off at the capacity.
        if strip < self.length && neighbour < self.length {
            self.charges[strip] += charge - beyond;
            self.charges[neighbour] += beyond;
        }
    }

    /// The strips with their charges, after crosstalk. Strip 0 starts at the sensor's left corner;
    /// there may be negative ones.
    #[inline]
    pub(super) fn charges(&self) -> impl Iterator<Item = (i32, f32)> {
        let charges = &self.charges[..self.length];
        let at = |strip: usize| charges.get(strip).copied().unwrap_or(0.0);
        let first = self.first as i32 - SHIFT as i32;
        (0..self.length).filter_map(move |strip| {
            let own = at(strip);
            let neighbours = at(strip.wrapping_sub(1)) + at(strip + 1);
            let charge = own + CROSSTALK * (neighbours - 2.0 * own);
            (charge > MIN_CHARGE).then_some((first + strip as i32, charge))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The charges of clouds, given by position and width in strips.
    fn charges(middle: f64, clouds: &[(f32, f32)]) -> Vec<(i32, f32)> {
        let mut strips = Strips::default();
        let begin = strips.begin(middle, 2.0);
        for (position, width) in clouds {
            strips.add(begin + position, 1.0 / width, 20_000.0, &Spread::new());
        }
        strips.charges().collect()
    }

    #[test]
    fn neighbours_see_a_little_of_a_narrow_cloud() {
        let crosstalk = 20_000.0 * CROSSTALK;
        let expected = [(9, crosstalk), (10, 20_000.0 - 2.0 * crosstalk), (11, crosstalk)];
        assert_eq!(charges(10.0, &[(0.5, 0.05)]), expected);
    }

    #[test]
    fn a_cloud_at_an_edge_is_shared() {
        let shared = charges(10.0, &[(1.0, 0.1)]);
        assert_eq!(shared.len(), 4, "{shared:?}");
        assert!((shared[1].1 / shared[2].1 - 1.0).abs() < 0.05, "{shared:?}");
        let sum: f32 = shared.iter().map(|(_, charge)| charge).sum();
        assert!((sum - 20_000.0).abs() < 1.0, "{sum}");
        let off_edge = charges(10.0, &[(1.1, 0.1)]);
        let of = |wanted: i32| off_edge.iter().find(|(strip, _)| *strip == wanted).map(|c| c.1);
        let less = of(10).expect("shared");
        let more = of(11).expect("shared");
        assert!(less < 0.3 * more, "{off_edge:?}");
    }

    #[test]
    fn strips_before_the_corner_count_too() {
        let charges = charges(-200.5, &[(0.0, 0.05)]);
        assert_eq!(charges[1].0, -201);
    }
}
