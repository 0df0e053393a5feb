//! The way of a particle through the sensors: straight lines with a kink at each of them.

use super::particle::{SimulatedParticle, pid};
use super::pixels::EventPixels;
use super::random::Random;
use super::response::{Crossing, add_pixels};
use super::sensors::{HEIGHT, MAX_SLOPE, Module, Sensor, Sensors, Steepness, WIDTH};

/// Share of the crossings that a sensor sees.
const EFFICIENCY: f32 = 0.996;
/// Width of the distribution of kinks times the momentum, in MeV: Highland's formula for 0.7 % of a
/// radiation length, and that for electrons, which lose energy by radiation.
const KINK_MEV: f32 = 13.6 * 0.068;
const ELECTRON_KINK_MEV: f32 = 1.8 * KINK_MEV;
/// Largest kink, of particles that are nearly stopped.
const MAX_KINK: f32 = 0.5;

/// Distance of sensors from the middle of their module, with some to spare.
const MARGIN: f32 = 1.0;

/// Particle in flight.
struct Flight<'a> {
    particle: u32,
    /// Position x, y, z.
    position: [f32; 3],
    /// Change of x and y with z.
    slope: [f32; 2],
    steepness: Steepness,
    kink: f32,
    sensors: &'static Sensors,
    random: &'a mut Random,
    pixels: &'a mut EventPixels,
    crossings: usize,
}

/// Adds the pixels of a particle; returns the number of its crossings of sensors.
pub(super) fn add_track(
    index: u32,
    particle: &SimulatedParticle,
    sensors: &'static Sensors,
    random: &mut Random,
    pixels: &mut EventPixels,
) -> usize {
    let [x, y, z] = particle.momentum.vector;
    let slope = [x / z, y / z];
    let squared_tangent = slope[0] * slope[0] + slope[1] * slope[1];
    let tangent = squared_tangent.sqrt();
    if tangent.is_nan() || tangent >= MAX_SLOPE {
        return 0;
    }
    let is_electron = particle.pid.abs() == pid::ELECTRON;
    let kink_mev = if is_electron { ELECTRON_KINK_MEV } else { KINK_MEV };
    let mut flight = Flight {
        particle: index,
        position: particle.origin,
        slope,
        steepness: Steepness::from_squared_slope(squared_tangent),
        kink: (kink_mev / particle.momentum.p).min(MAX_KINK),
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
        let first = sensors.modules_before(start + free - MARGIN);
        modules[first..].iter().all(|module| flight.cross_module::<true>(module));
    } else {
        let end = sensors.modules_before(start - free + MARGIN);
        modules[..end].iter().rev().all(|module| flight.cross_module::<false>(module));
    }
    flight.crossings
}

impl Flight<'_> {
    #[inline]
    fn at(&self, z: f32) -> [f32; 2] {
        let way = z - self.position[2];
        [0, 1].map(|axis| self.position[axis] + self.slope[axis] * way)
    }

    /// Crosses a module; false if all further ones are out of reach.
    #[inline]
    fn cross_module<const FORWARD: bool>(&mut self, module: &Module) -> bool {
        let [x, y] = self.at(module.z);
        let mut sensors = self.sensors.near(module, [x, y], self.steepness);
        if sensors == 0 {
            let limit = self.sensors.max_radius + MARGIN * MAX_SLOPE;
            if x * x + y * y > limit * limit {
                // Particles that come from outside cross sensors later.
                let outwards = x * self.slope[0] + y * self.slope[1];
                return if FORWARD { outwards < 0.0 } else { outwards > 0.0 };
            }
        }
        while sensors != 0 {
            let index = if FORWARD { sensors.trailing_zeros() } else { sensors.ilog2() };
            sensors &= !(1 << index);
            self.cross_sensor::<FORWARD>(&module.sensors[index as usize]);
        }
        true
    }

    #[inline]
    fn cross_sensor<const FORWARD: bool>(&mut self, sensor: &Sensor) {
        let way = sensor.z - self.position[2];
        if if FORWARD { way <= 0.0 } else { way >= 0.0 } {
            return;
        }
        let [x, y] = self.at(sensor.z);
        let position = sensor.local(x, y);
        let is_inside = (position[0] >= 0.0)
            & (position[0] < WIDTH)
            & (position[1] >= 0.0)
            & (position[1] < HEIGHT);
        if !is_inside {
            return;
        }
        if self.random.chance(EFFICIENCY) {
            let slope = sensor.components(self.slope);
            let crossing =
                Crossing { sensor: sensor.index, position, slope, particle: self.particle };
            add_pixels(&crossing, self.random, &mut self.pixels.patches);
            self.crossings += 1;
        }
        self.scatter([x, y, sensor.z]);
    }

    /// Changes the direction at a position.
    #[inline]
    fn scatter(&mut self, position: [f32; 3]) {
        self.position = position;
        let [x, y] = self.slope;
        let tangent = x * x + y * y;
        // The kink in space, as a change of slopes.
        let kink = self.kink * (1.0 + tangent);
        self.slope =
            [x + kink * self.random.nearly_normal(), y + kink * self.random.nearly_normal()];
        self.steepness = Steepness::from_squared_slope(tangent);
    }
}
