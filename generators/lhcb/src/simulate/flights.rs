//! Particles in flight between two sensors, as straight lines. They are in blocks of lanes, so that one
//! instruction finds where several of them meet a sensor. Lengths are in mm.

use super::sensors::{HEIGHT, Sensor, WIDTH};

/// Particles of a block.
const LANES: usize = 16;
/// Blocks whose particles cross a sensor one after the other: those of one number of 64 bits.
const GROUP: usize = 64 / LANES;

/// Particle in flight: a line.
#[derive(Clone, Copy)]
pub(super) struct Flight {
    /// Index of the particle.
    pub particle: u32,
    /// Position x and y at z = 0.
    pub intercept: [f32; 2],
    /// Change of x and y with z.
    pub slope: [f32; 2],
    /// Position z of the particle's origin.
    pub start: f32,
    /// Width of the distribution of its kinks, in radians.
    pub kink: f32,
}

/// Particles in flight in one direction along the beam, upwards if `FORWARD`.
#[derive(Default)]
pub(super) struct Flights<const FORWARD: bool> {
    blocks: Vec<Block>,
    count: usize,
}

/// Particles in flight by lanes; unused ones have no position.
#[derive(Clone, Copy)]
struct Block {
    particle: [u32; LANES],
    x: [f32; LANES],
    y: [f32; LANES],
    slope_x: [f32; LANES],
    slope_y: [f32; LANES],
    start: [f32; LANES],
    kink: [f32; LANES],
}

const UNUSED: Block = Block {
    particle: [0; LANES],
    x: [f32::NAN; LANES],
    y: [f32::NAN; LANES],
    slope_x: [0.0; LANES],
    slope_y: [0.0; LANES],
    start: [0.0; LANES],
    kink: [0.0; LANES],
};

/// The lanes of which a condition holds, a bit each.
#[inline]
fn lanes_where(condition: impl Fn(usize) -> bool) -> u32 {
    (0..LANES).fold(0, |lanes, lane| lanes | u32::from(condition(lane)) << lane)
}

impl Flight {
    /// Position x and y at z.
    #[inline]
    pub(super) fn at(&self, z: f32) -> [f32; 2] {
        [0, 1].map(|axis| self.intercept[axis] + self.slope[axis] * z)
    }

    /// The particle with another slope from a position x, y, z on.
    #[inline]
    pub(super) fn turned(self, [x, y, z]: [f32; 3], slope: [f32; 2]) -> Self {
        Flight { intercept: [x - slope[0] * z, y - slope[1] * z], slope, ..self }
    }
}

impl Block {
    /// Lanes of particles that cross a sensor, a bit each.
    #[inline]
    fn lanes_at<const FORWARD: bool>(&self, sensor: &Sensor) -> u32 {
        lanes_where(|lane| {
            let [x, y] = self.at(lane, sensor.z);
            let [column, row] = sensor.local(x, y);
            let start = self.start[lane];
            let is_ahead = if FORWARD { sensor.z > start } else { sensor.z < start };
            is_ahead & (0.0..WIDTH).contains(&column) & (0.0..HEIGHT).contains(&row)
        })
    }

    #[inline]
    fn at(&self, lane: usize, z: f32) -> [f32; 2] {
        [self.x[lane] + self.slope_x[lane] * z, self.y[lane] + self.slope_y[lane] * z]
    }

    #[inline]
    fn get(&self, lane: usize) -> Flight {
        Flight {
            particle: self.particle[lane],
            intercept: [self.x[lane], self.y[lane]],
            slope: [self.slope_x[lane], self.slope_y[lane]],
            start: self.start[lane],
            kink: self.kink[lane],
        }
    }

    #[inline]
    fn set(&mut self, lane: usize, flight: Flight) {
        let Flight { particle, intercept: [x, y], slope: [slope_x, slope_y], start, kink } = flight;
        self.particle[lane] = particle;
        self.x[lane] = x;
        self.y[lane] = y;
        self.slope_x[lane] = slope_x;
        self.slope_y[lane] = slope_y;
        self.start[lane] = start;
        self.kink[lane] = kink;
    }
}

impl<const FORWARD: bool> Flights<FORWARD> {
    /// Removes all particles.
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.count = 0;
    }

    /// Adds a particle.
    pub(super) fn push(&mut self, flight: Flight) {
        if self.count == LANES * self.blocks.len() {
            self.blocks.push(UNUSED);
        }
        self.blocks[self.count / LANES].set(self.count % LANES, flight);
        self.count += 1;
    }

    /// Lets `cross` continue each particle that crosses a sensor.
    #[inline]
    pub(super) fn cross(&mut self, sensor: &Sensor, mut cross: impl FnMut(Flight) -> Flight) {
        for blocks in self.blocks.chunks_mut(GROUP) {
            let mut lanes = 0;
            for (index, block) in blocks.iter().enumerate() {
                lanes |= u64::from(block.lanes_at::<FORWARD>(sensor)) << (LANES * index);
            }
            while lanes != 0 {
                let index = lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                let block = &mut blocks[index / LANES];
                block.set(index % LANES, cross(block.get(index % LANES)));
            }
        }
    }

    /// Removes particles that are beyond a radius at `z`, on their way outwards.
    pub(super) fn remove_beyond(&mut self, radius: f32, z: f32) {
        for index in (0..self.blocks.len()).rev() {
            let block = &self.blocks[index];
            let mut lanes = lanes_where(|lane| {
                let [x, y] = block.at(lane, z);
                let rise = x * block.slope_x[lane] + y * block.slope_y[lane];
                let is_outwards = if FORWARD { rise >= 0.0 } else { rise <= 0.0 };
                is_outwards & (x * x + y * y > radius * radius)
            });
            // The last particle takes the lane: those that are still to be removed are in lower ones.
            while lanes != 0 {
                let lane = lanes.ilog2() as usize % LANES;
                lanes ^= 1 << lane;
                self.remove(index, lane);
            }
        }
    }

    fn remove(&mut self, block: usize, lane: usize) {
        self.count -= 1;
        let last_block = self.count / LANES;
        let last_lane = self.count % LANES;
        let last = self.blocks[last_block].get(last_lane);
        self.blocks[block].set(lane, last);
        self.blocks[last_block].x[last_lane] = f32::NAN;
        self.blocks.truncate(self.count.div_ceil(LANES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::sensors::Sensors;

    fn flight(particle: u32, position: [f32; 3], slope: [f32; 2]) -> Flight {
        let [x, y, start] = position;
        let flight = Flight { particle, intercept: [x, y], slope, start, kink: 0.0 };
        flight.turned(position, slope)
    }

    fn crossed<const FORWARD: bool>(flights: &mut Flights<FORWARD>, sensor: &Sensor) -> Vec<u32> {
        let mut particles = Vec::new();
        flights.cross(sensor, |flight| {
            particles.push(flight.particle);
            flight
        });
        particles
    }

    #[test]
    fn sensors_ahead_are_crossed() {
        let sensor = &Sensors::nominal().modules[30].sensors[0];
        let [x, y] = sensor.position([20.0, 7.0]);
        let at = |distance: f32| [x - 0.5 * distance, y + 0.1 * distance, sensor.z - distance];
        let slope = [0.5, -0.1];
        let mut forward = Flights::<true>::default();
        let mut backward = Flights::<false>::default();
        for (particle, distance) in (0..).zip([100.0, -10.0, 3.0]) {
            forward.push(flight(particle, at(distance), slope));
            backward.push(flight(particle, at(distance), slope));
        }
        assert_eq!(crossed(&mut forward, sensor), [0, 2]);
        assert_eq!(crossed(&mut backward, sensor), [1]);
    }

    #[test]
    fn particles_outside_are_removed() {
        let sensor = &Sensors::nominal().modules[30].sensors[0];
        let [x, y] = sensor.position([20.0, 7.0]);
        let mut flights = Flights::<true>::default();
        for particle in 0..100 {
            let is_inside = particle % 3 == 0;
            let outside = flight(particle, [70.0, 0.0, sensor.z - 5.0], [0.1, 0.0]);
            let inside = flight(particle, [x, y, sensor.z - 5.0], [0.0, 0.0]);
            flights.push(if is_inside { inside } else { outside });
        }
        flights.push(flight(100, [70.0, 0.0, sensor.z], [-0.1, 0.0]));
        flights.remove_beyond(60.0, sensor.z);
        assert_eq!(flights.count, 35);
        let mut particles = crossed(&mut flights, sensor);
        particles.sort_unstable();
        let expected: Vec<_> = (0..100).step_by(3).collect();
        assert_eq!(particles, expected);
        assert_eq!(flights.blocks.len(), 3);
    }
}
