//! Paths of particles, and search for the sensors that they cross.

use super::constants::{BEND, FIELD, MAX_IONISATION, NS_PER_CM, STEEPEST};
use super::crossing::Crossing;
use super::sensor::Sensor;
use crate::setup::Setup;

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

/// A particle on a parabola: its slope in x changes evenly along z, as a field along y
/// bends it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Particle {
    /// Start point: x, y, z in cm.
    pub(super) origin: [f64; 3],
    /// When it starts, in ns after the collision.
    pub(super) delay: f64,
    /// Slopes against the beam where it starts.
    pub(super) slope_x: f64,
    pub(super) slope_y: f64,
    /// Change of the slope in x for each cm.
    pub(super) bend: f64,
    /// Speed of light over its speed.
    pub(super) slowness: f64,
}

/// A particle at some z.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) slope_x: f64,
    pub(super) slope_y: f64,
}

impl Particle {
    /// A particle from the target, with momenta in GeV/c.
    pub(super) fn from_target(momentum: [f64; 3], mass: f64, charge: f64) -> Self {
        let [x, y, z] = momentum;
        let size = libm::sqrt(x * x + y * y + z * z);
        Particle {
            origin: [0.0; 3],
            delay: 0.0,
            slope_x: x / z,
            slope_y: y / z,
            bend: charge * BEND * FIELD / size,
            slowness: libm::sqrt(1.0 + mass * mass / (size * size)),
        }
    }

    /// Position and direction at `z`; none before the start point, or where the particle has become
    /// too steep.
    #[inline]
    pub(super) fn at(&self, z: f64) -> Option<State> {
        let dz = z - self.origin[2];
        let slope_x = self.slope_x + self.bend * dz;
        if dz <= 0.0 || slope_x.abs() > STEEPEST {
            return None;
        }
        Some(State {
            x: self.origin[0] + (self.slope_x + 0.5 * self.bend * dz) * dz,
            y: self.origin[1] + self.slope_y * dz,
            slope_x,
            slope_y: self.slope_y,
        })
    }

    /// When it is at `z`, in ns after the collision, as if it went straight.
    #[inline]
    pub(super) fn delay_at(&self, z: f64) -> f64 {
        let slopes = 1.0 + self.slope_x * self.slope_x + self.slope_y * self.slope_y;
        self.delay + (z - self.origin[2]) * slopes.sqrt() * NS_PER_CM * self.slowness
    }

    /// Its ionisation over that of a fast particle: the inverse square of the speed.
    pub(super) fn ionisation(&self) -> f64 {
        (self.slowness * self.slowness).min(MAX_IONISATION)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Detector;
    use super::*;

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

    #[test]
    fn a_fast_particle_goes_straight_at_the_speed_of_light() {
        let particle = Particle::from_target([0.0, 100.0, 1000.0], 0.14, 0.0);
        let state = particle.at(100.0).expect("in front of it");
        assert!((state.x, state.slope_x) == (0.0, 0.0));
        assert!((state.y - 10.0).abs() < 1e-9);
        assert!((particle.delay_at(100.0) - 3.352).abs() < 0.001);
        assert!((particle.ionisation() - 1.0).abs() < 1e-6);
    }

    /// The sagitta of a circle with a radius of 3.336 m for 1 GeV/c at 1 T.
    #[test]
    fn the_field_bends_by_the_momentum() {
        let positive = Particle::from_target([0.0, 0.0, 1.0], 0.14, 1.0);
        let state = positive.at(100.0).expect("in front of it");
        assert!((state.x - 100.0 * 100.0 / 667.1).abs() < 0.01, "{state:?}");
        let negative = Particle::from_target([0.0, 0.0, 1.0], 0.14, -1.0);
        assert_eq!(negative.at(100.0).map(|other| other.x), Some(-state.x));
        let slow = Particle::from_target([0.0, 0.0, 0.05], 0.14, 1.0);
        assert!(slow.at(50.0).is_none() && slow.at(-1.0).is_none());
    }
}
