//! Pixels of crossings, by lanes: the charge along the way through the sensor spreads to the sides, and pixels
//! with enough of it have a hit. Lengths are in mm.

use crate::geometry::{COLUMNS, PITCH, ROWS};

use super::deposits::{Block as DepositBlock, Deposit, Deposits, LANES};
use super::functions::{exp, sin_cos};
use super::patch::Patch;
use super::random::{Random, ThreeUniform};
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
    /// The patch of sensor and particle, without pixels.
    pub patch: Patch,
    /// Position in the middle of the sensor, along columns and rows.
    pub position: [f32; 2],
    /// Slope along columns and rows.
    pub slope: [f32; 2],
    /// Random numbers.
    pub random: ThreeUniform,
}

/// Crossings of an event.
#[derive(Default)]
pub(super) struct Crossings {
    /// Blocks of lanes, more than are in use.
    blocks: Vec<Block>,
    count: usize,
}

/// Crossings by lanes.
#[derive(Clone, Copy, Default)]
struct Block {
    patch: [Patch; LANES],
    column: [f32; LANES],
    row: [f32; LANES],
    column_slope: [f32; LANES],
    row_slope: [f32; LANES],
    random: [ThreeUniform; LANES],
}

/// Crossing that the sensor does not see.
const UNSEEN: Crossing = Crossing {
    patch: Patch::NONE,
    position: [0.0; 2],
    slope: [0.0; 2],
    random: ThreeUniform::ONES,
};

impl Crossings {
    /// Adds a crossing.
    #[inline]
    pub(super) fn push(&mut self, crossing: Crossing) {
        if self.count == LANES * self.blocks.len() {
            self.blocks.push(Block::default());
        }
        let block = &mut self.blocks[self.count / LANES];
        let lane = self.count % LANES;
        block.patch[lane] = crossing.patch;
        block.column[lane] = crossing.position[0];
        block.row[lane] = crossing.position[1];
        block.column_slope[lane] = crossing.slope[0];
        block.row_slope[lane] = crossing.slope[1];
        block.random[lane] = crossing.random;
        self.count += 1;
    }

    /// Number of crossings.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Adds the pixels of all crossings to patches, and removes the crossings.
    pub(super) fn drain(
        &mut self,
        random: &mut Random,
        deposits: &mut Deposits,
        patches: &mut Vec<Patch>,
    ) {
        while !self.count.is_multiple_of(LANES) {
            self.push(UNSEEN);
        }
        for block in &self.blocks[..self.count / LANES] {
            block.add_pixels(random, deposits, patches);
        }
        self.count = 0;
        deposits.drain(patches);
    }
}

/// Charges of crossings by lanes.
struct Charges {
    /// Way through the silicon along columns and rows, in pixels, whichever is more.
    pixels: [f32; LANES],
    /// Share of the charge that a pixel needs.
    threshold: [f32; LANES],
}

impl Block {
    fn add_pixels(&self, random: &mut Random, deposits: &mut Deposits, patches: &mut Vec<Patch>) {
        let Charges { pixels, threshold } = self.charges();
        let mut ways = DepositBlock::new(self.patch, self.column, self.row);
        for lane in 0..LANES {
            ways.width[lane] = self.column_slope[lane].abs() * THICKNESS + DIFFUSION;
            ways.height[lane] = self.row_slope[lane].abs() * THICKNESS + DIFFUSION;
            let is_long = pixels[lane] >= 1.0;
            ways.threshold[lane] = if is_long { f32::INFINITY } else { threshold[lane] };
        }
        ways.add_pixels(patches);
        for lane in lanes(|lane| (pixels[lane] >= 1.0) & (threshold[lane] < f32::INFINITY)) {
            self.add_parts(lane, whole_part(pixels[lane]) + 1, threshold[lane], deposits);
        }
        for lane in lanes(|lane| self.random[lane].third() < DELTA_RAYS) {
            let position = [self.column[lane], self.row[lane]];
            add_delta_ray(position, self.patch[lane], random, patches);
        }
    }

    #[inline]
    fn charges(&self) -> Charges {
        let mut charges = Charges { pixels: [0.0; LANES], threshold: [0.0; LANES] };
        for lane in 0..LANES {
            let column_slope = self.column_slope[lane];
            let row_slope = self.row_slope[lane];
            let path = (1.0 + column_slope * column_slope + row_slope * row_slope).sqrt();
            // The charge is path × (MIN_CHARGE + EXCESS / (TAIL + a random number)).
            let tail = TAIL + self.random[lane].second();
            let threshold = THRESHOLD * tail / (path * (MIN_CHARGE * tail + EXCESS));
            let is_seen = self.random[lane].first() < EFFICIENCY;
            charges.threshold[lane] = if is_seen { threshold } else { f32::INFINITY };
            let slope = if column_slope.abs() > row_slope.abs() { column_slope } else { row_slope };
            charges.pixels[lane] = slope.abs() * (THICKNESS / PITCH);
        }
        charges
    }

    /// Adds the charge of a long way in parts that are not longer than a pixel.
    fn add_parts(&self, lane: usize, parts: u32, threshold: f32, deposits: &mut Deposits) {
        let per_part = THICKNESS / parts as f32;
        let part = [self.column_slope[lane] * per_part, self.row_slope[lane] * per_part];
        let size = part.map(|part| part.abs() + DIFFUSION);
        let threshold = threshold * parts as f32;
        for index in 0..parts {
            let from_middle = index as f32 - 0.5 * (parts - 1) as f32;
            let position =
                [self.column[lane] + from_middle * part[0], self.row[lane] + from_middle * part[1]];
            deposits.push(Deposit { patch: self.patch[lane], position, size, threshold });
        }
    }
}

/// The lanes of which a condition holds.
#[inline]
fn lanes(condition: impl Fn(usize) -> bool) -> impl Iterator<Item = usize> {
    let mut rest = (0..LANES).fold(0_u32, |lanes, lane| lanes | u32::from(condition(lane)) << lane);
    std::iter::from_fn(move || {
        let lane = rest.trailing_zeros() as usize;
        rest &= rest.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
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
