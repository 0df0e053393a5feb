//! Pixels of a crossing: the charge along the way through the sensor spreads to the sides, and pixels
//! with enough of it have a hit. Lengths are in mm.

use crate::geometry::{COLUMNS, PITCH, ROWS};

use super::deposits::Deposit;
use super::functions::{exp, sin_cos};
use super::patch::Patch;
use super::pixels::EventPixels;
use super::random::Random;
use super::sensors::{column_at, whole_part};

/// Share of the crossings that a sensor sees.
const EFFICIENCY: f32 = 0.996;
/// Thickness of the silicon.
const THICKNESS: f32 = 0.2;
/// Width over which the charge spreads on its way to the pixels.
const DIFFUSION: f32 = 0.0082;
/// Share of the usual charge that a pixel needs.
const THRESHOLD: f32 = 0.14;
/// Charge of crossings: at least, the scale of what is added, and the probability with which the long
/// tail above ten times the scale begins.
const MIN_CHARGE: f32 = 0.7;
const EXCESS: f32 = 0.14;
const TAIL: f32 = 0.1;
/// Share of the crossings that knock out an electron which travels along the sensor.
const DELTA_RAYS: f32 = 0.042;
/// Pixels of such electrons: at least, at most, and the slope of the distribution on a logarithmic
/// scale.
const MIN_DELTA: f32 = 3.0;
const MAX_DELTA: usize = 120;
const DELTA_SLOPE: f32 = 1.55;
/// Turn of such electrons from pixel to pixel, in radians.
const DELTA_TURN: f32 = 1.0;

/// Crossing of a sensor.
#[derive(Clone, Copy)]
pub(super) struct Crossing {
    /// Index of the sensor.
    pub sensor: u16,
    /// Position in the middle of the sensor, along columns and rows.
    pub position: [f32; 2],
    /// Slope along columns and rows.
    pub slope: [f32; 2],
    /// Index of the particle.
    pub particle: u32,
}

/// Adds the pixels of a crossing.
#[inline]
pub(super) fn add_crossing(crossing: &Crossing, random: &mut Random, pixels: &mut EventPixels) {
    let [efficiency, excess, delta_ray] = random.three_uniform();
    if efficiency >= EFFICIENCY {
        return;
    }
    let [column_slope, row_slope] = crossing.slope;
    let path = (1.0 + column_slope * column_slope + row_slope * row_slope).sqrt();
    // Of the usual charge, that of the crossing is path × (MIN_CHARGE + EXCESS / (TAIL + excess)).
    let tail = TAIL + excess;
    let threshold = THRESHOLD * tail / (path * (MIN_CHARGE * tail + EXCESS));
    let way = crossing.slope.map(|slope| slope * THICKNESS);
    let patch = Patch::new(crossing.sensor, crossing.particle);
    let deposit = Deposit { patch, position: crossing.position, size: way, threshold };
    let pixels_along = way[0].abs().max(way[1].abs()) * (1.0 / PITCH);
    if pixels_along < 1.0 {
        pixels.deposits.push(spread(deposit));
    } else {
        add_parts(deposit, whole_part(pixels_along) + 1, pixels);
    }
    if delta_ray < DELTA_RAYS {
        add_delta_ray(crossing.position, patch, random, &mut pixels.patches);
    }
}

/// The charge with what spreads to the sides.
#[inline]
fn spread(deposit: Deposit) -> Deposit {
    Deposit { size: deposit.size.map(|size| size.abs() + DIFFUSION), ..deposit }
}

/// Adds the charge of a long way in parts that are not longer than a pixel.
fn add_parts(way: Deposit, parts: u32, pixels: &mut EventPixels) {
    let per_part = 1.0 / parts as f32;
    let size = way.size.map(|size| size * per_part);
    let threshold = way.threshold * parts as f32;
    for index in 0..parts {
        let from_middle = index as f32 - 0.5 * (parts - 1) as f32;
        let position = [0, 1].map(|axis| way.position[axis] + from_middle * size[axis]);
        pixels.deposits.push(spread(Deposit { position, size, threshold, ..way }));
    }
}

/// Adds the pixels of an electron on its way along the sensor, which turns randomly.
#[cold]
fn add_delta_ray(position: [f32; 2], patch: Patch, random: &mut Random, patches: &mut Vec<Patch>) {
    let rise = exp(random.exponential() * (1.0 / DELTA_SLOPE));
    let length = ((MIN_DELTA * rise) as usize).min(MAX_DELTA);
    let mut angle = random.between(0.0, std::f32::consts::TAU);
    let mut column = column_at(position[0]) as f32 + 0.5;
    let mut row = position[1] / PITCH;
    let mut previous = None;
    for _ in 0..length {
        let is_inside =
            (0.0..COLUMNS as f32).contains(&column) && (0.0..ROWS as f32).contains(&row);
        if !is_inside {
            break;
        }
        let pixel = [column as usize, row as usize];
        // A step is not longer than a pixel: two pixels fit into a patch.
        previous = match previous {
            None => Some(pixel),
            Some(first) => {
                patches.push(patch.with_pixel_pair(first, pixel));
                None
            }
        };
        let [sin, cos] = sin_cos(angle);
        column += cos;
        row += sin;
        angle += DELTA_TURN * random.normal();
    }
    if let Some([column, row]) = previous {
        patches.push(patch.with_pixels(column, row, 1));
    }
}
