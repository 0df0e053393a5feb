//! Positions on sensors: the inverse of the geometry. Lengths are in mm.

use std::sync::LazyLock;

use crate::geometry::{CHIP_COLUMNS, COLUMNS, Geometry, MODULES, PITCH, ROWS, SENSORS_PER_MODULE};

/// Width of a sensor, in pixels: its 768 columns, of which the four next to another chip are as wide as
/// two and a half.
const WIDTH_PIXELS: f32 = COLUMNS as f32 + 4.0 * EXTRA;
/// Extra width of a wide column, in pixels.
const EXTRA: f32 = 1.5;
/// Edges between chips, in pixels.
const CHIP_EDGES: [f32; 2] = [CHIP_COLUMNS as f32 + EXTRA, 2.0 * CHIP_COLUMNS as f32 + 3.0 * EXTRA];
/// Width of a sensor.
pub(super) const WIDTH: f32 = PITCH * WIDTH_PIXELS;
/// Height of a sensor.
pub(super) const HEIGHT: f32 = PITCH * ROWS as f32;

/// Whole part of a number from 0 to 2²², or that minus one of a whole number; a large number for any other.
/// Few instructions on any machine.
#[inline]
pub(super) fn whole_part(number: f32) -> u32 {
    // Such a number and those around it have no bits for fractions.
    const SHIFT: f32 = 1.5 * (1 << 23) as f32;
    (number - 0.5 + SHIFT).to_bits().wrapping_sub(SHIFT.to_bits())
}

/// The column at a position on the sensor.
#[inline]
pub(super) fn column_at(position: f32) -> u32 {
    let mut column = position * (1.0 / PITCH);
    let mut first = 0.0;
    for edge in CHIP_EDGES {
        // The first column of a chip begins earlier than the others suggest, and the last ends later.
        if position >= edge * PITCH {
            column -= 2.0 * EXTRA;
            first += CHIP_COLUMNS as f32;
        }
    }
    let last = first + (CHIP_COLUMNS - 1) as f32;
    let column = if column > first { column } else { first };
    whole_part(if column < last { column } else { last + 0.5 })
}

/// Lower edge of a column.
#[inline]
pub(super) fn edge_of(column: u32) -> f32 {
    const NEXT_CHIP: u32 = CHIP_COLUMNS as u32;
    let after = |first: u32| if column >= first { EXTRA } else { 0.0 };
    let extra =
        after(NEXT_CHIP) + after(NEXT_CHIP + 1) + after(2 * NEXT_CHIP) + after(2 * NEXT_CHIP + 1);
    PITCH * (column as f32 + extra)
}

/// Steps along the beam in which modules are looked up, and their number; all modules are before the last.
const STEP: f32 = 10.0;
const STEPS: usize = 110;
/// Modules of two steps at most.
const STEP_MODULES: usize = 2;
/// Start of the first step, before all modules.
const STEPS_START: f32 = -320.0;
/// The sensors of all modules.
pub(super) struct Sensors {
    /// Sensors by module, in order of z.
    pub modules: [Module; MODULES],
    /// Position of each module along the beam, in order, and then large numbers.
    module_z: [f32; MODULES + STEP_MODULES],
    /// Number of modules before each step along the beam.
    modules_before_steps: [u8; STEPS],
    /// Radius within which no sensor is.
    pub min_radius: f32,
    /// Radius beyond which no sensor is.
    pub max_radius: f32,
}

/// Sensors of a module.
#[derive(Clone, Copy, Default)]
pub(super) struct Module {
    /// Position of the module.
    pub z: f32,
    /// The sensors in order of z.
    pub sensors: [Sensor; SENSORS_PER_MODULE],
}

/// Plane of a sensor, and its axes.
#[derive(Clone, Copy, Default)]
pub(super) struct Sensor {
    /// Index of the sensor.
    pub index: u16,
    /// Position along the beam.
    pub z: f32,
    origin: [f32; 2],
    /// Direction of ascending columns.
    column_axis: [f32; 2],
    /// Direction of ascending rows.
    row_axis: [f32; 2],
}

impl Sensor {
    fn new(index: usize, transformation: &[f32; 12]) -> Self {
        let [t0, t1, _, t3, t4, _, _, _, _, x, y, z] = *transformation;
        Sensor { index: index as u16, z, origin: [x, y], column_axis: [t0, t3], row_axis: [t1, t4] }
    }

    /// Position on the sensor along columns and rows.
    #[inline]
    pub(super) fn local(&self, x: f32, y: f32) -> [f32; 2] {
        self.components([x - self.origin[0], y - self.origin[1]])
    }

    /// Components of a direction along columns and rows.
    #[inline]
    pub(super) fn components(&self, direction: [f32; 2]) -> [f32; 2] {
        [self.column_axis, self.row_axis]
            .map(|axis| axis[0] * direction[0] + axis[1] * direction[1])
    }

    /// Position x, y of a point on the sensor.
    pub(super) fn position(&self, [column, row]: [f32; 2]) -> [f32; 2] {
        let along = |axis: usize| {
            self.origin[axis] + self.column_axis[axis] * column + self.row_axis[axis] * row
        };
        [along(0), along(1)]
    }
}

static NOMINAL: LazyLock<Sensors> = LazyLock::new(|| Sensors::new(Geometry::nominal()));

impl Sensors {
    /// The sensors of the nominal geometry.
    pub(super) fn nominal() -> &'static Sensors {
        &NOMINAL
    }

    fn new(geometry: &Geometry) -> Self {
        let mut module_z = [f32::INFINITY; MODULES + STEP_MODULES];
        module_z[..MODULES].copy_from_slice(&geometry.module_z);
        let mut sensors = Sensors {
            modules: std::array::from_fn(|module| Module::new(geometry, module)),
            module_z,
            modules_before_steps: std::array::from_fn(|step| {
                let start = STEPS_START + STEP * (step as f32 - 1.0);
                geometry.module_z.iter().filter(|z| **z < start).count() as u8
            }),
            min_radius: f32::INFINITY,
            max_radius: 0.0,
        };
        for module in &sensors.modules {
            for sensor in &module.sensors {
                for corner in corners(sensor) {
                    let [x, y] = corner;
                    sensors.max_radius = sensors.max_radius.max((x * x + y * y).sqrt());
                }
                let distance = distance(sensor, [0.0, 0.0]);
                sensors.min_radius = sensors.min_radius.min(distance);
            }
        }
        sensors
    }

    /// Number of modules before a position along the beam.
    #[inline]
    pub(super) fn modules_before(&self, z: f32) -> usize {
        let step = (z.max(STEPS_START) - STEPS_START) * (1.0 / STEP);
        let start = whole_part(step).min(STEPS as u32 - 1);
        let count = usize::from(self.modules_before_steps[start as usize]);
        let next = &self.module_z[count..count + STEP_MODULES];
        count + next.iter().filter(|module| **module < z).count()
    }
}

impl Module {
    fn new(geometry: &Geometry, module: usize) -> Self {
        let first = SENSORS_PER_MODULE * module;
        let mut sensors: [Sensor; SENSORS_PER_MODULE] = std::array::from_fn(|index| {
            Sensor::new(first + index, &geometry.sensors[first + index])
        });
        sensors.sort_by(|a, b| a.z.total_cmp(&b.z));
        Module { z: geometry.module_z[module], sensors }
    }
}

fn corners(sensor: &Sensor) -> [[f32; 2]; 4] {
    [[0.0, 0.0], [WIDTH, 0.0], [0.0, HEIGHT], [WIDTH, HEIGHT]].map(|corner| sensor.position(corner))
}

/// Distance of the sensor from a position.
fn distance(sensor: &Sensor, [x, y]: [f32; 2]) -> f32 {
    let [column, row] = sensor.local(x, y);
    let across = column - column.clamp(0.0, WIDTH);
    let along = row - row.clamp(0.0, HEIGHT);
    (across * across + along * along).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::SENSORS;

    #[test]
    fn positions_come_back() {
        let sensors = Sensors::nominal();
        let geometry = Geometry::nominal();
        let all = sensors.modules.iter().flat_map(|module| &module.sensors);
        assert_eq!(all.clone().count(), SENSORS);
        for sensor in all {
            for column in 0..COLUMNS {
                let expected = [geometry.column_x[column], 7.0];
                let [x, y] = sensor.position(expected);
                let local = sensor.local(x, y);
                assert!((local[0] - expected[0]).abs() < 1e-4, "{local:?}, {expected:?}");
                assert!((local[1] - expected[1]).abs() < 1e-4, "{local:?}, {expected:?}");
                assert_eq!(column_at(local[0]), column as u32);
            }
        }
    }

    #[test]
    fn columns_are_centred_as_in_the_geometry() {
        assert!((WIDTH - 42.57).abs() < 1e-4, "{WIDTH}");
        assert!((edge_of(COLUMNS as u32) - WIDTH).abs() < 1e-4);
        for (column, &centre) in (0..).zip(&Geometry::nominal().column_x) {
            let [low, high] = [edge_of(column), edge_of(column + 1)];
            assert!((0.5 * (low + high) - centre).abs() < 1e-4, "{column}: {low} {high}");
            assert_eq!([low + 1e-4, centre, high - 1e-4].map(column_at), [column; 3]);
        }
    }

    #[test]
    fn modules_before_a_position_are_counted() {
        let sensors = Sensors::nominal();
        for position in -4000..8000 {
            let z = 0.1 * position as f32;
            let expected = sensors.modules.iter().filter(|module| module.z < z).count();
            assert_eq!(sensors.modules_before(z), expected, "{z}");
        }
        assert_eq!([-1e9, 1e9].map(|z| sensors.modules_before(z)), [0, MODULES]);
    }

    #[test]
    fn the_beam_has_a_free_passage() {
        let sensors = Sensors::nominal();
        assert!((5.0..5.2).contains(&sensors.min_radius), "{}", sensors.min_radius);
        assert!((45.0..60.0).contains(&sensors.max_radius), "{}", sensors.max_radius);
    }
}
