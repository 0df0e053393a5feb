//! Pixels and clusters that no particle made.

use crate::geometry::{COLUMNS, ROWS, SENSORS};

use super::patch::{NO_PARTICLE, Patch};
use super::pixels::EventPixels;
use super::random::Random;
use super::response::Crossing;
use super::sensors::{HEIGHT, WIDTH};
use super::shape::EventShape;

/// Largest slope of what random clusters look like.
const MAX_SLOPE: f32 = 0.25;

/// Adds noise, and random clusters for the crossings of an event.
pub(super) fn add_noise(
    shape: &EventShape,
    crossings: usize,
    random: &mut Random,
    pixels: &mut EventPixels,
) {
    for _ in 0..random.poisson(shape.noise) {
        let sensor = random.below(SENSORS) as u16;
        let column = random.below(COLUMNS);
        let row = random.below(ROWS);
        pixels.patches.push(Patch::new(sensor, NO_PARTICLE).with_pixels(column, row, 1));
    }
    for _ in 0..random.poisson(shape.ghosts * crossings as f64) {
        let sensor = random.below(SENSORS) as u16;
        let crossing = Crossing {
            patch: Patch::new(sensor, NO_PARTICLE),
            position: [random.between(0.0, WIDTH), random.between(0.0, HEIGHT)],
            slope: [0, 1].map(|_| random.between(-MAX_SLOPE, MAX_SLOPE)),
            random: random.three_uniform(),
        };
        pixels.crossings.push(crossing);
    }
    pixels.add_crossings(random);
}
