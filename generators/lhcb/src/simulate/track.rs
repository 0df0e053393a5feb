//! The way of particles through the sensors: straight lines with a kink at each of them.

use crate::geometry::{MODULES, SENSORS_PER_MODULE};

use super::flights::{Flight, Flights};
use super::particle::{SimulatedParticle, pid};
use super::patch::Patch;
use super::random::Random;
use super::response::{Crossing, Crossings};
use super::sensors::{Sensor, Sensors};

/// Width of the distribution of kinks times the momentum, in MeV: Highland's formula for 0.7 % of a
/// radiation length, and that for electrons, which lose energy by radiation.
const KINK_MEV: f32 = 13.6 * 0.068;
const ELECTRON_KINK_MEV: f32 = 1.8 * KINK_MEV;
/// Largest kink, of particles that are nearly stopped.
const MAX_KINK: f32 = 0.5;
/// Slope from which on particles are not followed.
const MAX_SLOPE: f32 = 6.0;
/// Distance of sensors from the middle of their module in mm, with some to spare.
const MARGIN: f32 = 1.0;

/// Particles on their way through the modules, upwards along the beam if `FORWARD`.
struct Beam<const FORWARD: bool> {
    /// Particles that start before each module, and after the one before it on their way.
    starting: [Vec<Flight>; MODULES],
    flights: Flights<FORWARD>,
}

impl<const FORWARD: bool> Default for Beam<FORWARD> {
    fn default() -> Self {
        Beam { starting: std::array::from_fn(|_| Vec::new()), flights: Flights::default() }
    }
}

/// Buffers for the particles of events, one after the other.
#[derive(Default)]
pub(super) struct Tracks {
    forward: Beam<true>,
    backward: Beam<false>,
}

/// Crossings of sensors, and random numbers for them.
struct Detector<'a> {
    random: &'a mut Random,
    crossings: &'a mut Crossings,
}

impl Tracks {
    /// Adds the crossings of sensors by particles.
    pub(super) fn add(
        &mut self,
        particles: &[SimulatedParticle],
        sensors: &Sensors,
        random: &mut Random,
        crossings: &mut Crossings,
    ) {
        for (index, particle) in (0..).zip(particles) {
            self.start(index, particle, sensors);
        }
        let mut detector = Detector { random, crossings };
        self.forward.pass(sensors, &mut detector);
        self.backward.pass(sensors, &mut detector);
    }

    fn start(&mut self, index: u32, particle: &SimulatedParticle, sensors: &Sensors) {
        let [x, y, z] = particle.momentum.vector;
        let slope = [x / z, y / z];
        let tangent = (slope[0] * slope[0] + slope[1] * slope[1]).sqrt();
        if tangent.is_nan() || tangent >= MAX_SLOPE {
            return;
        }
        let is_electron = particle.pid.abs() == pid::ELECTRON;
        let kink_mev = if is_electron { ELECTRON_KINK_MEV } else { KINK_MEV };
        let [x, y, start] = particle.origin;
        // The distance from the beam grows at most with the tangent.
        let free = (sensors.min_radius - (x * x + y * y).sqrt()).max(0.0) / tangent;
        let starting = if z > 0.0 {
            self.forward.starting.get_mut(sensors.modules_before(start + free - MARGIN))
        } else {
            let end = sensors.modules_before(start - free + MARGIN);
            end.checked_sub(1).map(|module| &mut self.backward.starting[module])
        };
        if let Some(starting) = starting {
            let kink = (kink_mev / particle.momentum.p).min(MAX_KINK);
            let flight = Flight { particle: index, intercept: [x, y], slope, start, kink };
            starting.push(flight.turned(particle.origin, slope));
        }
    }
}

impl<const FORWARD: bool> Beam<FORWARD> {
    /// Lets the particles pass all modules.
    fn pass(&mut self, sensors: &Sensors, detector: &mut Detector<'_>) {
        self.flights.clear();
        for step in 0..MODULES {
            self.cross_module(if FORWARD { step } else { MODULES - 1 - step }, sensors, detector);
        }
    }

    fn cross_module(&mut self, index: usize, sensors: &Sensors, detector: &mut Detector<'_>) {
        self.starting[index].drain(..).for_each(|flight| self.flights.push(flight));
        let module = &sensors.modules[index];
        for order in 0..SENSORS_PER_MODULE {
            let last = SENSORS_PER_MODULE - 1;
            let sensor = &module.sensors[if FORWARD { order } else { last - order }];
            self.flights.cross(sensor, |flight| detector.cross(flight, sensor));
        }
        self.flights.remove_beyond(sensors.max_radius + MARGIN * MAX_SLOPE, module.z);
    }
}

impl Detector<'_> {
    /// Adds the crossing of a sensor by a particle; returns the particle after it.
    // A call would pass the particle in memory, which takes longer than all else here.
    #[inline(always)]
    fn cross(&mut self, flight: Flight, sensor: &Sensor) -> Flight {
        let [x, y] = flight.at(sensor.z);
        self.crossings.push(Crossing {
            patch: Patch::new(sensor.index, flight.particle),
            position: sensor.local(x, y),
            slope: sensor.components(flight.slope),
            random: self.random.three_uniform(),
        });
        let [slope_x, slope_y] = flight.slope;
        // The kink in space, as a change of slopes.
        let scale = flight.kink * (1.0 + slope_x * slope_x + slope_y * slope_y);
        let kinks = self.random.two_nearly_normal();
        let slope = [slope_x + scale * kinks[0], slope_y + scale * kinks[1]];
        flight.turned([x, y, sensor.z], slope)
    }
}
