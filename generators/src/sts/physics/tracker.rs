//! Search for the sensors that a particle crosses.

use super::crossing::Crossing;
use super::particle::Particle;
use super::sensor::Sensor;
use crate::sts::setup::Setup;

/// Sensors are in the same station if no gap along the beam between them is larger.
const STATION_GAP: f64 = 3.0;
/// Side of a cell of the map of a station, in cm.
const CELL: f64 = 1.0;
/// Maximum distance of a particle from its position at the middle of the station: slopes are rarely
/// above 1, and sensors within half a cm.
const MARGIN: f64 = 0.5;

/// All sensors, indexed by position.
pub(super) struct Tracker {
    sensors: Vec<Sensor>,
    stations: Vec<Station>,
}

/// Sensors at about the same distance from the target.
struct Station {
    z: f64,
    corner: [f64; 2],
    columns: usize,
    /// The modules that may be hit in each cell, row by row.
    cells: Vec<Vec<u32>>,
}

impl Tracker {
    pub(super) fn new(setup: &Setup) -> Self {
        let sensors: Vec<_> = setup.modules().iter().map(Sensor::new).collect();
        let mut order: Vec<_> = (0..sensors.len()).collect();
        order.sort_by(|a, b| sensors[*a].z().total_cmp(&sensors[*b].z()));
        let near = |a: &usize, b: &usize| sensors[*b].z() - sensors[*a].z() <= STATION_GAP;
        let stations =
            order.chunk_by(near).map(|modules| Station::new(modules, &sensors)).collect();
        Tracker { sensors, stations }
    }

    pub(super) fn sensor(&self, module: usize) -> &Sensor {
        &self.sensors[module]
    }

    /// Visits the crossings of a particle that starts at this time in this collision.
    pub(super) fn follow(
        &self,
        particle: &Particle,
        collision: u32,
        time_ns: f64,
        mut visit: impl FnMut(Crossing),
    ) {
        for station in &self.stations {
            let Some(state) = particle.at(station.z) else {
                continue;
            };
            for &module in station.modules_at(state.x, state.y) {
                let z = self.sensors[module as usize].z();
                let Some(state) = particle.at(z) else {
                    continue;
                };
                if self.sensors[module as usize].contains(state.x, state.y) {
                    visit(Crossing {
                        module,
                        collision,
                        time_ns: time_ns + particle.delay_at(z),
                        x: state.x as f32,
                        y: state.y as f32,
                        slope_x: state.slope_x as f32,
                        slope_y: state.slope_y as f32,
                        ionisation: particle.ionisation() as f32,
                    });
                }
            }
        }
    }
}

impl Station {
    fn new(modules: &[usize], sensors: &[Sensor]) -> Self {
        let extents = modules.iter().map(|module| sensors[*module].extent());
        let mut ends = [(f64::INFINITY, f64::NEG_INFINITY); 2];
        for extent in extents {
            for (end, (low, high)) in ends.iter_mut().zip(extent) {
                *end = (end.0.min(low - MARGIN), end.1.max(high + MARGIN));
            }
        }
        let cells_along = |(low, high): (f64, f64)| ((high - low) / CELL) as usize + 1;
        let columns = cells_along(ends[0]);
        let mut station = Station {
            z: modules.iter().map(|module| sensors[*module].z()).sum::<f64>()
                / modules.len() as f64,
            corner: [ends[0].0, ends[1].0],
            columns,
            cells: vec![Vec::new(); columns * cells_along(ends[1])],
        };
        for module in modules {
            station.enter(*module as u32, sensors[*module].extent());
        }
        station
    }

    fn enter(&mut self, module: u32, extent: [(f64, f64); 2]) {
        let [columns, rows] = [0, 1].map(|axis| {
            let (low, high) = extent[axis];
            let cell = |position: f64| ((position - self.corner[axis]) / CELL) as usize;
            cell(low - MARGIN)..=cell(high + MARGIN)
        });
        for row in rows {
            for column in columns.clone() {
                self.cells[row * self.columns + column].push(module);
            }
        }
    }

    fn modules_at(&self, x: f64, y: f64) -> &[u32] {
        let column = (x - self.corner[0]) / CELL;
        let row = (y - self.corner[1]) / CELL;
        if column < 0.0 || row < 0.0 || column >= self.columns as f64 {
            return &[];
        }
        let cell = row as usize * self.columns + column as usize;
        self.cells.get(cell).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sts::physics::Detector;

    /// Every module that a straight particle crosses is found.
    #[test]
    fn the_map_finds_what_a_search_of_all_sensors_does() {
        let setup = Detector::Cbm.setup().expect("sensible");
        let tracker = Tracker::new(&setup);
        assert_eq!(tracker.stations.len(), 8);
        let mut found = 0;
        for index in 0..2000_u32 {
            let slope_x = f64::from(index % 50) * 0.02 - 0.5;
            let slope_y = f64::from(index / 50) * 0.02 - 0.4;
            let particle = Particle::from_target([slope_x, slope_y, 1.0], 0.14, 1.0);
            let mut modules = Vec::new();
            tracker.follow(&particle, 0, 0.0, |crossing| modules.push(crossing.module));
            modules.sort_unstable();
            let is_hit = |module: &u32| {
                let sensor = tracker.sensor(*module as usize);
                let state = particle.at(sensor.z());
                state.is_some_and(|state| sensor.contains(state.x, state.y))
            };
            let expected: Vec<_> = (0..setup.modules().len() as u32).filter(is_hit).collect();
            assert_eq!(modules, expected, "{particle:?}");
            found += modules.len();
        }
        assert!(found > 5000, "{found}");
    }
}
