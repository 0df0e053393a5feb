//! The tracker of mCBM.
//!
//! Two stations without a magnet, next to the beam; z points from the target to their middle. The
//! number of modules is that of 2024; their positions are recobench's choice.

use super::{Module, SensorOrientation, module};

pub(super) const MODULES: usize = 12;

/// Active height of all sensors, in cm.
const HEIGHT: f64 = 5.96;
/// From the middle of a sensor to that of the next, in x and in y.
const PITCH_X: f64 = 5.9;
const PITCH_Y: f64 = 5.91;
/// Offset along the beam between adjacent modules.
const OFFSET: f64 = 0.25;

/// Distances of the stations in cm, and their columns of two modules each.
pub(super) const STATIONS: [(f64, usize); 2] = [(28.0, 2), (42.0, 4)];

/// All modules: by station, from column to column in x, from bottom to top.
pub(super) fn modules() -> Vec<Module> {
    let of_station = |&(z, columns): &(f64, usize)| {
        (0..columns)
            .flat_map(move |column| [true, false].map(|below| module_at(z, columns, column, below)))
    };
    STATIONS.iter().flat_map(of_station).collect()
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
    fn both_stations_cover_the_same_window() {
        let modules = modules();
        assert_eq!(modules.len(), MODULES);
        let reach = |range: std::ops::Range<usize>| {
            let far = modules[range].iter().map(|m| m.translation[0] / m.translation[2]);
            far.fold(0.0, f64::max)
        };
        assert!(reach(0..4) < reach(4..12));
    }
}
