//! Clusters of super-pixels: those of flagged ones by pattern, others by masks of bits around candidates.

use generators_lhcb::geometry::{Geometry, pair_of};
use generators_lhcb::words::sensor_of;
use generators_lhcb::{Event, Pixel, SuperPixel};

use super::candidates::{self, Candidate};
use crate::velo::cpu::growth::{bit, column, grow, near};
use crate::velo::cpu::patterns::PATTERNS;
use crate::velo::cpu::results::HitSlots;
use crate::velo::model::PairRange;
use crate::velo::model::formulas::{LocalPosition, local_y, phi16, position};

/// Finds clusters.
#[derive(Clone, Debug, Default)]
pub struct ClusterFinder {
    candidates: Vec<Candidate>,
}

/// Pixels around a candidate: four columns to the west, its own four, and the rows of the next one.
struct Window {
    west: u64,
    main: u64,
    east: u16,
}

/// Mean position of a cluster on its sensor.
struct Mean {
    column: u16,
    row: u16,
    column_fraction: f32,
    row_fraction: f32,
}

impl ClusterFinder {
    /// Writes the hits of an event in order of creation; returns the number of slots.
    pub fn find(
        &mut self,
        event: &Event<'_>,
        geometry: &Geometry,
        slots: &mut HitSlots<'_>,
    ) -> usize {
        self.candidates.clear();
        let estimates = candidates::find(event, &mut self.candidates);
        let mut start = 0;
        for (pair, estimate) in slots.pairs.iter_mut().zip(estimates) {
            *pair = PairRange { start, count: 0 };
            start += estimate;
        }
        for &bank in event.banks {
            for &word in event.words(bank) {
                let pixel = SuperPixel::decode(word);
                if pixel.is_isolated {
                    let sensor = sensor_of(event.format, bank.source, pixel.is_second_sensor);
                    let patterns = &PATTERNS[usize::from(pixel.pattern)];
                    for cluster in &patterns.clusters[..patterns.count] {
                        let mean = Mean {
                            column: 2 * pixel.column + cluster.column,
                            row: 4 * pixel.row + cluster.row,
                            column_fraction: cluster.column_fraction,
                            row_fraction: cluster.row_fraction,
                        };
                        add(slots, geometry, sensor, mean);
                    }
                }
            }
        }
        for candidate in &self.candidates {
            if let Some(mean) = cluster(event, candidate) {
                add(slots, geometry, candidate.sensor, mean);
            }
        }
        start as usize
    }
}

/// Appends a hit to its pair of modules.
fn add(slots: &mut HitSlots<'_>, geometry: &Geometry, sensor: u16, mean: Mean) {
    let pair = &mut slots.pairs[pair_of(sensor)];
    let slot = (pair.start + pair.count) as usize;
    pair.count += 1;
    let local = LocalPosition {
        column: mean.column,
        fraction: mean.column_fraction,
        y: local_y(mean.row, mean.row_fraction),
    };
    let [x, y, z] = position(geometry, sensor, local);
    slots.ids[slot] = Pixel { sensor, column: mean.column, row: mean.row }.id();
    slots.x[slot] = x;
    slots.y[slot] = y;
    slots.z[slot] = z;
    slots.phi[slot] = phi16(x, y);
}

/// Pixels around a candidate, from all unflagged words of its sensor.
fn window(event: &Event<'_>, candidate: &Candidate) -> Window {
    let mut window = Window { west: 0, main: 0, east: 0 };
    for &word in event.words(candidate.bank) {
        let pixel = SuperPixel::decode(word);
        let sensor = sensor_of(event.format, candidate.bank.source, pixel.is_second_sensor);
        if pixel.is_isolated || sensor != candidate.sensor {
            continue;
        }
        let column = i32::from(pixel.column) - (i32::from(candidate.pixel.column) - 3);
        let row = i32::from(pixel.row) - (i32::from(candidate.pixel.row) - 2);
        if !(0..5).contains(&column) || !(0..4).contains(&row) {
            continue;
        }
        let first = u64::from(pixel.pattern & 15) << (4 * row);
        let second = u64::from(pixel.pattern >> 4) << (4 * row);
        match column {
            0 | 1 => window.west |= first << (32 * column) | second << (32 * column + 16),
            2 | 3 => window.main |= first << (32 * column - 64) | second << (32 * column - 48),
            _ => window.east |= first as u16,
        }
    }
    window
}

/// The cluster of a candidate; none if another candidate makes it, or none does.
fn cluster(event: &Event<'_>, candidate: &Candidate) -> Option<Mean> {
    let window = window(event, candidate);
    let own = bit(2 + candidate.bit / 4, 8 + candidate.bit % 4);
    let cluster = grow(own, window.main);
    let touches_east = near(column(cluster, 3)) & window.east != 0;
    let has_later = cluster > (own | (own - 1));
    if touches_east || has_later || cluster & 0x8001_8001_8001_8001 != 0 {
        return None;
    }
    let start = u64::from(near(column(cluster, 0)) & column(window.west, 3)) << 48;
    let extension = grow(start, window.west);
    if extension & 0x8000_8000_8000_FFFF != 0 {
        return None;
    }
    let mut n = 0;
    let mut x = 0;
    let mut y = 0;
    let first_column = 2 * i32::from(candidate.pixel.column) - 6;
    let first_row = 4 * i32::from(candidate.pixel.row) - 8;
    let parts = [(extension, 0), (cluster, 4)];
    for (mut pixels, before) in parts {
        while pixels != 0 {
            let bit = pixels.trailing_zeros() as i32;
            n += 1;
            x += first_column + before + bit / 16;
            y += first_row + bit % 16;
            pixels &= pixels - 1;
        }
    }
    let fraction = |sum: i32| sum as f32 / n as f32 - (sum / n) as f32;
    Some(Mean {
        column: (x / n) as u16,
        row: (y / n) as u16,
        column_fraction: fraction(x),
        row_fraction: fraction(y),
    })
}
