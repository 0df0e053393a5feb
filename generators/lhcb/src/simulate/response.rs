//! Pixels of a crossing: the charge along the way through the sensor spreads to the sides, and pixels
//! with enough of it have a hit. Lengths are in mm.

use crate::geometry::{COLUMNS, PITCH, ROWS};

use super::functions::{exp, sin_cos};
use super::pixels::Patch;
use super::random::Random;
use super::sensors::{HEIGHT, WIDTH, column_at, edge_of, whole_part};

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
/// Columns, or rows, of a part of a way: it is not much longer than a pixel.
const MAX_SPAN: usize = 3;

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

/// Shares of the charge in consecutive columns, or rows.
struct Span {
    first: usize,
    count: usize,
    shares: [f32; MAX_SPAN],
}

impl Span {
    /// Shares between the edges of columns, or rows.
    #[inline]
    fn new(low: f32, high: f32, [first, last]: [usize; 2], edge: impl Fn(usize) -> f32) -> Self {
        let mut span =
            Span { first, count: (last - first + 1).min(MAX_SPAN), shares: [0.0; MAX_SPAN] };
        let per_length = 1.0 / (high - low);
        let mut start = low;
        for (index, share) in span.shares.iter_mut().enumerate().take(span.count) {
            let end = edge(first + index + 1).min(high);
            *share = (end - start) * per_length;
            start = end;
        }
        span
    }
}

/// Adds the pixels of a crossing.
#[inline]
pub(super) fn add_pixels(crossing: &Crossing, random: &mut Random, patches: &mut Vec<Patch>) {
    let patch = Patch::new(crossing.sensor, crossing.particle);
    let way = crossing.slope.map(|slope| slope * THICKNESS);
    let parts = whole_part(way[0].abs().max(way[1].abs()) * (1.0 / PITCH)) as usize + 1;
    let [column_slope, row_slope] = crossing.slope;
    let path = (1.0 + column_slope * column_slope + row_slope * row_slope).sqrt();
    let charge = path * (MIN_CHARGE + EXCESS / (TAIL + random.uniform()));
    let threshold = THRESHOLD / charge;
    if parts == 1 {
        add_part(crossing.position, way, threshold, patch, patches);
    } else {
        add_parts(crossing.position, way, parts, threshold, patch, patches);
    }
    if random.chance(DELTA_RAYS) {
        add_delta_ray(crossing.position, patch, random, patches);
    }
}

/// Adds the pixels of a way in parts.
fn add_parts(
    position: [f32; 2],
    way: [f32; 2],
    parts: usize,
    threshold: f32,
    patch: Patch,
    patches: &mut Vec<Patch>,
) {
    let part = way.map(|way| way / parts as f32);
    for index in 0..parts {
        let from_middle = index as f32 - 0.5 * (parts - 1) as f32;
        let position = [0, 1].map(|axis| position[axis] + from_middle * part[axis]);
        add_part(position, part, threshold * parts as f32, patch, patches);
    }
}

/// Adds the pixels of a part of the way.
#[inline]
fn add_part(
    position: [f32; 2],
    part: [f32; 2],
    threshold: f32,
    patch: Patch,
    patches: &mut Vec<Patch>,
) {
    let half = part.map(|part| 0.5 * (part.abs() + DIFFUSION));
    let low = [0, 1].map(|axis| (position[axis] - half[axis]).max(0.0));
    let high = [(position[0] + half[0]).min(WIDTH), (position[1] + half[1]).min(HEIGHT)];
    if low[0] >= high[0] || low[1] >= high[1] {
        return;
    }
    let row = |position: f32| (whole_part(position * (1.0 / PITCH)) as usize).min(ROWS - 1);
    let columns = [column_at(low[0]), column_at(high[0])];
    let rows = [row(low[1]), row(high[1])];
    if columns[1] - columns[0] > 1 || rows[1] - rows[0] > 1 {
        let columns = Span::new(low[0], high[0], columns, edge_of);
        let rows = Span::new(low[1], high[1], rows, |row| row as f32 * PITCH);
        return add_product(&columns, &rows, threshold, patch, patches);
    }
    // Up to four pixels, without branches that can't be predicted.
    let first_column = share_below(low[0], high[0], columns, edge_of(columns[1]));
    let first_row = share_below(low[1], high[1], rows, rows[1] as f32 * PITCH);
    let shares = [
        first_column * first_row,
        first_column * (1.0 - first_row),
        (1.0 - first_column) * first_row,
        (1.0 - first_column) * (1.0 - first_row),
    ];
    let bit = |index: usize| usize::from(shares[index] > threshold) << index;
    let pattern = bit(0) | bit(1) | bit(2) | bit(3);
    if pattern != 0 {
        patches.push(patch.with_pixels(columns[0], rows[0], pattern));
    }
}

/// Share of the charge below an edge between two columns, or rows; all of it if there is one.
#[inline]
fn share_below(low: f32, high: f32, [first, last]: [usize; 2], edge: f32) -> f32 {
    // Divided in either case: which it is can't be predicted.
    let end = if last > first { edge } else { high };
    (end - low) / (high - low)
}

/// Adds the pixels of more than two columns or rows.
fn add_product(
    columns: &Span,
    rows: &Span,
    threshold: f32,
    patch: Patch,
    patches: &mut Vec<Patch>,
) {
    for column in 0..columns.count {
        for row in 0..rows.count {
            if columns.shares[column] * rows.shares[row] > threshold {
                patches.push(patch.with_pixels(columns.first + column, rows.first + row, 1));
            }
        }
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
    for _ in 0..length {
        let is_inside =
            (0.0..COLUMNS as f32).contains(&column) && (0.0..ROWS as f32).contains(&row);
        if !is_inside {
            return;
        }
        patches.push(patch.with_pixels(column as usize, row as usize, 1));
        let [sin, cos] = sin_cos(angle);
        column += cos;
        row += sin;
        angle += DELTA_TURN * random.normal();
    }
}
