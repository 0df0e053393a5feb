//! The tracker of CBM.
//!
//! Distances of the stations, ladders of each station and kinds of sensors are those of the
//! technical design report. The arrangement of sensors on ladders is recobench's choice: shorter
//! ones near the beam, and enough of them to cover 25 degrees, fewer in the corners.

use super::{Module, SensorOrientation, module};

pub(super) const MODULES: usize = 896;

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
const STATIONS: [Station; 8] = [
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
pub(super) fn modules() -> Vec<Module> {
    STATIONS.iter().flat_map(Station::modules).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_modules_and_ladders_are_those_of_cbm() {
        assert_eq!(modules().len(), MODULES);
        let ladders: usize = STATIONS.iter().map(|station| 2 * station.ladders()).sum();
        assert_eq!(ladders, 106);
    }

    #[test]
    fn stations_cover_what_they_should() {
        for station in &STATIONS {
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
}
