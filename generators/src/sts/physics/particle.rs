//! The path of a particle.

use super::constants::{BEND, FIELD, MAX_IONISATION, NS_PER_CM, STEEPEST};

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
    use super::*;

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
