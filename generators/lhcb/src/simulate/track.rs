//! The way of a particle through the sensors: straight lines with a kink at each of them.

use super::particle::SimulatedParticle;
use super::pixels::EventPixels;
use super::random::Random;
use super::response::{Crossing, add_pixels};
use super::sensors::{HEIGHT, Module, Sensors};

/// Share of the crossings that a sensor sees.
const EFFICIENCY: f32 = 0.99;
/// Width of the distribution of kinks times the momentum, in MeV: Highland's formula for 1.3 % of a
/// radiation length.
const KINK_MEV: f32 = 13.6 * 0.095;
/// Largest kink, of particles that are nearly stopped.
const MAX_KINK: f32 = 0.5;
/// Tangent of the steepest particles.
const MAX_SLOPE: f32 = 6.0;

/// Particle in flight.
struct Flight<'a, 'b> {
    particle: u32,
    /// Position x, y, z.
    position: [f32; 3],
    /// Change of x and y with z.
    slope: [f32; 2],
    kink: f32,
    sensors: &'static Sensors,
    random: &'a mut Random<'b>,
    pixels: &'a mut EventPixels,
    crossings: usize,
}

/// Adds the pixels of a particle; returns the number of sensors that it crossed.
pub(super) fn add_track(
    index: u32,
    particle: &SimulatedParticle,
    sensors: &'static Sensors,
    random: &mut Random<'_>,
    pixels: &mut EventPixels,
) -> usize {
    let [x, y, z] = particle.momentum.vector;
    let slope = [x / z, y / z];
    let tangent = (slope[0] * slope[0] + slope[1] * slope[1]).sqrt();
    if tangent.is_nan() || tangent >= MAX_SLOPE {
        return 0;
    }
    let mut flight = Flight {
        particle: index,
        position: particle.origin,
        slope,
        kink: (KINK_MEV / particle.momentum.p).min(MAX_KINK),
        sensors,
        random,
        pixels,
        crossings: 0,
    };
    let [x, y, start] = particle.origin;
    // The distance from the beam grows at most with the tangent.
    let free = (sensors.min_radius - (x * x + y * y).sqrt()).max(0.0) / tangent;
    let modules = &sensors.modules;
    if z > 0.0 {
        let first = modules.partition_point(|module| module.z < start + free - MARGIN);
        modules[first..].iter().all(|module| flight.cross_module(module, 1.0));
    } else {
        let end = modules.partition_point(|module| module.z < start - free + MARGIN);
        modules[..end].iter().rev().all(|module| flight.cross_module(module, -1.0));
    }
    flight.crossings
}

/// Distance beyond that of sensors from their module.
const MARGIN: f32 = 1.0;

impl Flight<'_, '_> {
    #[inline]
    fn at(&self, z: f32) -> [f32; 2] {
        let way = z - self.position[2];
        [0, 1].map(|axis| self.position[axis] + self.slope[axis] * way)
    }

    /// Crosses a module, in ascending or descending z; false if all further ones are out of reach.
    #[inline]
    fn cross_module(&mut self, module: &Module, direction: f32) -> bool {
        let [x, y] = self.at(module.z);
        let slack = MARGIN * MAX_SLOPE;
        let limit = self.sensors.max_radius + slack;
        if x * x + y * y > limit * limit {
            // Particles that come from outside cross sensors later.
            return x * self.slope[0] * direction + y * self.slope[1] * direction < 0.0;
        }
        let is_near = |value: f32, [low, high]: [f32; 2], slope: f32| {
            let slack = MARGIN * slope.abs();
            value > low - slack && value < high + slack
        };
        if !is_near(x, module.x, self.slope[0]) || !is_near(y, module.y, self.slope[1]) {
            return true;
        }
        let count = module.sensors.len();
        for index in 0..count {
            let index = if direction > 0.0 { index } else { count - 1 - index };
            let sensor = &module.sensors[index];
            if (sensor.z - self.position[2]) * direction <= 0.0 {
                continue;
            }
            let [x, y] = self.at(sensor.z);
            let position = sensor.local(x, y);
            let is_inside = position[0] >= 0.0
                && position[0] < self.sensors.width()
                && position[1] >= 0.0
                && position[1] < HEIGHT;
            if is_inside {
                let slope = sensor.components(self.slope);
                let crossing = Crossing { position, slope, particle: self.particle };
                if self.random.chance(EFFICIENCY) {
                    let pixels = self.pixels.sensor(sensor.index);
                    add_pixels(&crossing, self.sensors, self.random, pixels);
                    self.crossings += 1;
                }
                self.scatter([x, y, sensor.z]);
            }
        }
        true
    }

    /// Changes the direction at a position.
    fn scatter(&mut self, position: [f32; 3]) {
        self.position = position;
        // The kink in space, as a change of slopes.
        let widening = 1.0 + self.slope[0] * self.slope[0] + self.slope[1] * self.slope[1];
        for slope in &mut self.slope {
            *slope += self.kink * widening * self.random.normal();
        }
    }
}
