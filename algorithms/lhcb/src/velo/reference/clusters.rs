//! Clusters of super-pixels by the rules of the experiment, slow and obvious: pixels are elements of
//! sets. `docs/velo.md` has the rules.

use std::collections::BTreeSet;

use generators_lhcb::geometry::{Geometry, MODULE_PAIRS, pair_of};
use generators_lhcb::words::sensor_of;
use generators_lhcb::{Bank, Event, Pixel, SuperPixel};

use crate::velo::model::formulas::{LocalPosition, local_y, phi16, position};
use crate::velo::model::{Hit, PairRange};

/// Column and row of a pixel, on a sensor or in a window.
type Point = (i32, i32);

/// Columns of the window around a candidate before its own super-pixel.
const COLUMNS_BEFORE: i32 = 6;
/// Rows of the window before the candidate's super-pixel.
const ROWS_BEFORE: i32 = 8;
/// Rows of the window.
const WINDOW_ROWS: i32 = 16;
/// Columns of a part of the window.
const PART_COLUMNS: i32 = 4;

/// Clusters of an event in order of creation, and what was estimated before.
#[derive(Clone, Debug, PartialEq)]
pub struct Clusters {
    /// Slots by estimate, and hits found.
    pub pairs: [PairRange; MODULE_PAIRS],
    /// Number of slots of each pair of modules.
    pub estimates: [u32; MODULE_PAIRS],
    /// Candidate words, in order.
    pub candidates: Vec<u32>,
    /// A hit for each slot; those without a hit are empty.
    pub slots: Vec<Hit>,
}

/// A pixel from which a cluster may grow.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    bank: Bank,
    /// Index of its word in the bank.
    word: usize,
    pixel: SuperPixel,
    sensor: u16,
    /// Bit of its pixel in the pattern.
    bit: u32,
}

/// Finds the clusters of an event.
pub fn find_clusters(event: &Event<'_>, geometry: &Geometry) -> Clusters {
    let mut flagged = vec![Vec::new(); MODULE_PAIRS];
    let mut candidates = Vec::new();
    for &bank in event.banks {
        for (word, &content) in event.words(bank).iter().enumerate() {
            let pixel = SuperPixel::decode(content);
            let sensor = sensor_of(event.format, bank.source, pixel.is_second_sensor);
            if pixel.is_isolated {
                let hits = clusters_of_pattern(pixel)
                    .map(|pixels| hit_of_pattern(geometry, sensor, pixel, &pixels));
                flagged[pair_of(sensor)].extend(hits);
            } else {
                candidates.extend(candidates_of(event, bank, word));
            }
        }
    }
    let mut of_pairs = flagged;
    let mut estimates: Vec<_> = of_pairs.iter().map(|hits| hits.len() as u32).collect();
    for candidate in &candidates {
        let pair = pair_of(candidate.sensor);
        estimates[pair] += 1;
        of_pairs[pair].extend(cluster_of(event, geometry, candidate));
    }
    let mut clusters = Clusters {
        pairs: [PairRange::default(); MODULE_PAIRS],
        estimates: [0; MODULE_PAIRS],
        candidates: candidates.iter().map(Candidate::word).collect(),
        slots: Vec::new(),
    };
    for (pair, hits) in of_pairs.iter().enumerate() {
        let start = clusters.slots.len();
        clusters.pairs[pair] = PairRange { start: start as u32, count: hits.len() as u32 };
        clusters.estimates[pair] = estimates[pair];
        clusters.slots.extend(hits);
        clusters.slots.resize(start + estimates[pair] as usize, Hit::default());
    }
    clusters
}

/// Pixels of a super-pixel in the field of two columns and four rows.
fn pixels_of(pattern: u8) -> impl Iterator<Item = Point> {
    (0..8).filter(move |bit| pattern >> bit & 1 != 0).map(|bit| (bit / 4, bit % 4))
}

/// The connected pixels of a flagged super-pixel, that with the lowest bit first. A super-pixel
/// without pixels makes one cluster without pixels.
fn clusters_of_pattern(pixel: SuperPixel) -> impl Iterator<Item = Vec<Point>> {
    let mut rest: BTreeSet<Point> = pixels_of(pixel.pattern).collect();
    let mut clusters = Vec::new();
    while let Some(first) = rest.pop_first() {
        let mut cluster = vec![first];
        let mut next = 0;
        while let Some(&(column, row)) = cluster.get(next) {
            let is_near = |p: &Point| (p.0 - column).abs() <= 1 && (p.1 - row).abs() <= 1;
            let near: Vec<_> = rest.iter().copied().filter(is_near).collect();
            near.iter().for_each(|point| assert!(rest.remove(point)));
            cluster.extend(near);
            next += 1;
        }
        clusters.push(cluster);
    }
    if clusters.is_empty() {
        clusters.push(Vec::new());
    }
    clusters.into_iter()
}

fn hit_of_pattern(geometry: &Geometry, sensor: u16, pixel: SuperPixel, pixels: &[Point]) -> Hit {
    let mean = Mean::new(pixels);
    let column = 2 * pixel.column + mean.column;
    let row = 4 * pixel.row + mean.row;
    hit(geometry, sensor, Mean { column, row, ..mean })
}

/// Mean column and row of pixels, whole and fraction.
#[derive(Clone, Copy)]
struct Mean {
    column: u16,
    row: u16,
    column_fraction: f32,
    row_fraction: f32,
}

impl Mean {
    fn new(pixels: &[Point]) -> Mean {
        let n = pixels.len() as i32;
        if n == 0 {
            return Mean { column: 0, row: 0, column_fraction: 0.0, row_fraction: 0.0 };
        }
        let x: i32 = pixels.iter().map(|point| point.0).sum();
        let y: i32 = pixels.iter().map(|point| point.1).sum();
        let fraction = |sum: i32| sum as f32 / n as f32 - (sum / n) as f32;
        Mean {
            column: (x / n) as u16,
            row: (y / n) as u16,
            column_fraction: fraction(x),
            row_fraction: fraction(y),
        }
    }
}

fn hit(geometry: &Geometry, sensor: u16, mean: Mean) -> Hit {
    let local = LocalPosition {
        column: mean.column,
        fraction: mean.column_fraction,
        y: local_y(mean.row, mean.row_fraction),
    };
    let position = position(geometry, sensor, local);
    let pixel = Pixel { sensor, column: mean.column, row: mean.row };
    Hit { id: pixel.id(), position, phi: phi16(position[0], position[1]) }
}

impl Candidate {
    /// The word in the experiment's list of candidates.
    fn word(&self) -> u32 {
        (self.word as u32) << 11 | u32::from(self.sensor) << 3 | (7 - self.bit)
    }
}

/// Pixels of a word that have no neighbour to the north or east, lower half first.
fn candidates_of(event: &Event<'_>, bank: Bank, word: usize) -> Vec<Candidate> {
    let words = event.words(bank);
    let pixel = SuperPixel::decode(words[word]);
    let sensor = sensor_of(event.format, bank.source, pixel.is_second_sensor);
    let column = i32::from(pixel.column);
    let row = i32::from(pixel.row);
    let mut set: BTreeSet<Point> = pixels_of(pixel.pattern).collect();
    for neighbour in words.iter().map(|word| SuperPixel::decode(*word)) {
        let to_east = i32::from(neighbour.column) - column;
        let to_north = i32::from(neighbour.row) - row;
        if [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1)].contains(&(to_east, to_north)) {
            let pixels = pixels_of(neighbour.pattern);
            set.extend(pixels.map(|(x, y)| (x + 2 * to_east, y + 4 * to_north)));
        }
    }
    let is_last = |&(x, y): &Point| {
        [(0, 1), (1, 1), (1, 0), (1, -1)]
            .iter()
            .all(|step| !set.contains(&(x + step.0, y + step.1)))
    };
    let mut last: Vec<_> = pixels_of(pixel.pattern).filter(is_last).collect();
    last.sort_by_key(|point| point.1);
    let candidate =
        |(x, y): Point| Candidate { bank, word, pixel, sensor, bit: (4 * x + y) as u32 };
    last.into_iter().map(candidate).collect()
}

/// Pixels of four columns and sixteen rows of a window.
struct Field(BTreeSet<Point>);

impl Field {
    /// Pixels that can be reached from these, with the steps of the experiment.
    fn grown_from(&self, start: impl IntoIterator<Item = Point>) -> BTreeSet<Point> {
        let mut cluster: BTreeSet<Point> = start.into_iter().collect();
        let mut next: Vec<_> = cluster.iter().copied().collect();
        while let Some(from) = next.pop() {
            for to in steps_from(from) {
                if self.0.contains(&to) && cluster.insert(to) {
                    next.push(to);
                }
            }
        }
        cluster
    }
}

/// Steps from a pixel. Those to the north-east and south-west are off by a row at the ends, as in
/// the experiment.
fn steps_from((q, t): Point) -> Vec<Point> {
    let last = WINDOW_ROWS - 1;
    let mut steps =
        vec![(q, t + 1), (q, t - 1), (q + 1, t), (q - 1, t), (q - 1, t + 1), (q + 1, t - 1)];
    match t {
        0 | 1 => {}
        15 => steps.push((q + 2, 0)),
        _ => steps.push((q + 1, t + 1)),
    }
    match t {
        14 | 15 => {}
        0 => steps.push((q - 2, last)),
        _ => steps.push((q - 1, t - 1)),
    }
    steps.retain(|&(q, t)| (0..PART_COLUMNS).contains(&q) && (0..WINDOW_ROWS).contains(&t));
    steps
}

/// The cluster of a candidate; `None` if another candidate makes it, or none does.
fn cluster_of(event: &Event<'_>, geometry: &Geometry, candidate: &Candidate) -> Option<Hit> {
    let first_column = 2 * i32::from(candidate.pixel.column) - COLUMNS_BEFORE;
    let first_row = 4 * i32::from(candidate.pixel.row) - ROWS_BEFORE;
    let window = window_pixels(event, candidate, (first_column, first_row));
    let part = |first: i32| {
        let columns = first..first + PART_COLUMNS;
        let pixels = window.iter().filter(|point| columns.contains(&point.0));
        Field(pixels.map(|&(x, y)| (x - first, y)).collect())
    };
    let west = part(0);
    let main = part(PART_COLUMNS);
    let bit = candidate.bit as i32;
    let own: Point = (2 + bit / 4, ROWS_BEFORE + bit % 4);
    let cluster = main.grown_from([own]);
    let last_column = PART_COLUMNS - 1;
    let near = |row: i32| row - 1..=row + 1;
    let touches_east = cluster
        .iter()
        .filter(|point| point.0 == last_column)
        .any(|&(_, row)| near(row).any(|row| window.contains(&(2 * PART_COLUMNS, row))));
    let has_later = cluster.iter().any(|&point| point > own);
    let is_cut = cluster.iter().any(|&(_, row)| row == 0 || row == WINDOW_ROWS - 1);
    if touches_east || has_later || is_cut {
        return None;
    }
    let at_west = cluster.iter().filter(|point| point.0 == 0);
    let start = at_west.flat_map(|&(_, row)| near(row)).map(|row| (last_column, row));
    let extension = west.grown_from(start.filter(|point| west.0.contains(point)));
    if extension.iter().any(|&(column, row)| row == WINDOW_ROWS - 1 || column == 0) {
        return None;
    }
    let of_main = cluster.iter().map(|&(q, t)| (q + PART_COLUMNS, t));
    let all = of_main.chain(extension.iter().copied());
    let pixels: Vec<_> = all.map(|(q, t)| (first_column + q, first_row + t)).collect();
    Some(hit(geometry, candidate.sensor, Mean::new(&pixels)))
}

/// Pixels of the unflagged words of the candidate's sensor, relative to the first one of the window.
fn window_pixels(event: &Event<'_>, candidate: &Candidate, first: Point) -> BTreeSet<Point> {
    let words = event.words(candidate.bank).iter().map(|word| SuperPixel::decode(*word));
    let of_sensor = words.filter(|pixel| {
        let second = pixel.is_second_sensor;
        !pixel.is_isolated
            && sensor_of(event.format, candidate.bank.source, second) == candidate.sensor
    });
    let pixels = of_sensor.flat_map(|pixel| {
        let column = 2 * i32::from(pixel.column) - first.0;
        let row = 4 * i32::from(pixel.row) - first.1;
        pixels_of(pixel.pattern).map(move |(x, y)| (column + x, row + y))
    });
    let is_inside = |&(_, row): &Point| (0..WINDOW_ROWS).contains(&row);
    pixels.filter(is_inside).collect()
}
